"""A file for reports of a fault: what is wrong is in it, and nothing of any document."""

from collections.abc import AsyncIterator
from functools import partial

import httpx
import pytest

from actions.diagnostics import DiagnosticsSource, collect_diagnostics
from daemon.check import check_reachability
from daemon.services import Services
from dashboard.auth import Person
from sandbox import Sandbox
from sandbox.faults import Fault
from tests.browser.sample_data import RUBBISH
from tests.dashboard.api_client import ADMIN, READER, limited_to
from tests.dashboard.conftest import DashboardRig
from tests.installation import COMPLETIONS, Installation, process

FILE = "/settings/diagnostics.json"
TABLES = """
api_key = "a-secret-key"
instructions = "My sister is called Erika"

[retry]
max_attempts = 1
"""


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


async def test_it_is_a_file_with_a_name(browser: httpx.AsyncClient) -> None:
    answer = await browser.get(FILE)

    disposition = answer.headers["content-disposition"]
    assert disposition.startswith('attachment; filename="paperclerk-diagnostics-20')


async def test_it_is_what_the_command_writes(
    browser: httpx.AsyncClient, services: Services, sandbox: Sandbox
) -> None:
    sandbox.model.state.faults.add(Fault(path=COMPLETIONS, times=None, effect=RUBBISH))
    await process(services, 1)
    sandbox.model.state.faults.clear()
    context = services.context
    source = DiagnosticsSource(
        context.settings,
        context.store,
        context.clock(),
        context.zone,
        "1.2.3",
        partial(check_reachability, services),
    )

    from_page, from_command = await fetch_diagnostics(browser), await collect_diagnostics(source)

    assert from_page.keys() == from_command.keys()
    same = {"settings", "failed_jobs", "jobs", "scans", "paperclerk", "database"}
    assert {key: from_page[key] for key in same} == {key: from_command[key] for key in same}


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
