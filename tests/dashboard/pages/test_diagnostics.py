"""A file for reports of a fault: what is wrong is in it, and nothing of any document."""

import json
from collections.abc import AsyncIterator

import httpx
import pytest

from core.holds import limit_target, paperless_target, pause_target
from daemon.services import Services
from dashboard.auth import Person
from sandbox import Sandbox
from sandbox.faults import Fault
from scanner.scan import ScanOrder
from tests.browser.sample_data import RUBBISH
from tests.builders import because
from tests.dashboard.api_client import ADMIN, READER, limited_to
from tests.dashboard.conftest import DashboardRig
from tests.installation import COMPLETIONS, Installation, drain, process, scan

FILE = "/settings/diagnostics.json"
TABLES = """
api_key = "a-secret-key"
instructions = "My sister is called Erika"
type_instructions = { "Brief" = "Letters of my daughter" }
owner_names = ["Max Mustermann"]

[names]
descriptions = { "Privat" = "Letters of my lawyer" }

[retry]
max_attempts = 1
"""
PRIVATE = ("a-secret-key", "Erika", "Max Mustermann", "lawyer", "daughter")


@pytest.fixture
async def services(installation: Installation) -> AsyncIterator[Services]:
    installation.configure(TABLES)
    async with installation.open() as services:
        yield services


async def fetch_diagnostics(browser: httpx.AsyncClient) -> dict[str, object]:
    answer = await browser.get(FILE)
    assert answer.status_code == 200
    diagnostics: dict[str, object] = answer.json()
    return diagnostics


async def test_it_tells_versions_and_settings(
    browser: httpx.AsyncClient, services_rig: DashboardRig
) -> None:
    diagnostics = await fetch_diagnostics(browser)

    assert diagnostics["paperclerk"] == "1.2.3"
    assert str(diagnostics["database"]).startswith("SQLite 3.")
    settings = diagnostics["settings"]
    assert isinstance(settings, dict)
    assert settings["home.toml"]["ai.model"]["value"] == "sandbox-model"
    assert settings["home.toml"]["ai.model"]["from"].startswith("home.toml:")
    assert settings["home.toml"]["paperless.timeout"] == {"value": "30s", "from": "default"}
    assert "log.level" in settings["daemon.toml"]


async def test_it_is_a_file_with_a_name(browser: httpx.AsyncClient) -> None:
    answer = await browser.get(FILE)

    disposition = answer.headers["content-disposition"]
    assert disposition.startswith('attachment; filename="paperclerk-diagnostics-20')


async def test_it_tells_what_was_done_and_what_failed_by_codes(
    browser: httpx.AsyncClient, services: Services, sandbox: Sandbox
) -> None:
    sandbox.model.state.faults.add(Fault(path=COMPLETIONS, times=None, effect=RUBBISH))
    await scan(services, ScanOrder(limit=1))
    await drain(services)
    sandbox.model.state.faults.clear()
    await scan(services)
    await drain(services)

    diagnostics = await fetch_diagnostics(browser)

    assert diagnostics["jobs"] == {
        "home": {"pending": 0, "processing": 0, "completed": 2, "failed": 1, "cancelled": 0}
    }
    assert diagnostics["documents_for_review"] == {"home": 2}
    failed, scanned = diagnostics["failed_jobs"], diagnostics["scans"]
    assert isinstance(failed, list)
    assert isinstance(scanned, list)
    assert [(job["code"], job["attempts"]) for job in failed] == [("answer_unusable", 1)]
    assert [(scan["enqueued"], scan["code"]) for scan in scanned] == [(2, None), (1, None)]


async def test_it_shows_holds_and_their_causes_but_for_a_persons_own_words(
    browser: httpx.AsyncClient, services: Services
) -> None:
    now = services.context.clock()
    for target, cause in (
        (paperless_target("home"), "no answer in time"),
        (limit_target("home"), "100 of 100 documents"),
        (pause_target("home"), "my wife reads the mail"),
    ):
        await services.store.holds.place(target, because(cause), next_probe_at=None, now=now)

    holds = (await fetch_diagnostics(browser))["holds"]

    assert isinstance(holds, list)
    said = {hold["kind"]: hold.get("cause") for hold in holds}
    assert said == {
        "paperless": "no answer in time",
        "limit": "100 of 100 documents",
        "pause": None,
    }
    assert {hold["of"] for hold in holds} == {"home"}


async def test_neither_documents_nor_secrets_nor_people_are_in_it(
    browser: httpx.AsyncClient, services: Services, sandbox: Sandbox
) -> None:
    await process(services, 1)
    changes = await services.store.changes.list_for_job(1)

    text = json.dumps(await fetch_diagnostics(browser), ensure_ascii=False)

    values = {str(change.after) for change in changes} | {change.evidence for change in changes}
    titles = {document.title for document in sandbox.world.documents.values()}
    hidden = {*values, *titles, *PRIVATE, sandbox.token}
    assert [word for word in hidden if word and word in text] == []


@pytest.mark.parametrize("person", [READER, limited_to(ADMIN, "home")], ids=["reader", "limited"])
async def test_it_is_for_administrators_of_all_alone(
    browser: httpx.AsyncClient, services_rig: DashboardRig, person: Person
) -> None:
    offered = (await browser.get("/settings")).text
    services_rig.authenticator.person = person

    refused = await browser.get(FILE)
    page = (await browser.get("/settings")).text

    assert refused.status_code == 403
    assert (FILE in offered, FILE in page) == (True, False)
