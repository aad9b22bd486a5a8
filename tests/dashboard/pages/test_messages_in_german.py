"""What Paperclerk says is shown in German, with its values; what others said stays as said."""

import html
import re
from datetime import timedelta
from pathlib import Path

import httpx
import pytest

from actions import instances
from core.holds import HoldCause, paperless_target
from core.jobs import JobStatus
from core.messages import plain
from core.settings import ConfigError, load_settings
from core.spending import LimitKind, LimitReached
from daemon.services import Services
from sandbox import Sandbox
from sandbox.faults import Answer, Fault
from tests.dashboard.api_client import build_rig
from tests.dashboard.conftest import open_browser
from tests.dashboard.pages.test_review import form_of
from tests.dashboard.test_invalid_settings import helped
from tests.installation import Installation, drain, process, scan

GERMAN = {"accept-language": "de"}


def text_of(page: str) -> str:
    """Return what a person reads on a page."""
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", page)).split())


async def read(browser: httpx.AsyncClient, path: str) -> str:
    return text_of((await browser.get(path, headers=GERMAN)).text)


async def test_why_paperless_is_on_hold(
    services: Services, browser: httpx.AsyncClient, sandbox: Sandbox
) -> None:
    sandbox.paperless.faults.add(Fault(effect=Answer(status=503), times=None))
    await process(services)

    shown = await read(browser, "/")
    [hold] = await services.store.holds.list_active()

    assert re.search(r"http://\S+ antwortete 503 \(kein Typ\)", shown)
    assert " answered 503 (" in str(hold.cause)
    assert "could not" not in str(hold.cause)


async def test_the_limit_that_is_reached(
    services: Services, installation: Installation, browser: httpx.AsyncClient
) -> None:
    reached = LimitReached(LimitKind.DOCUMENTS_PER_DAY, used=100, limit=100)
    cause, now = HoldCause(reached.message, limit=reached.kind), installation.clock()
    later = now + timedelta(hours=2)
    await services.store.holds.place("limit:home", cause, next_probe_at=later, now=now)

    shown = await read(browser, "/")

    assert "Tageslimit erreicht (100 von 100 Dokumenten)" in shown


async def test_a_persons_own_words_stay_though_they_read_like_ours(
    services: Services, browser: httpx.AsyncClient
) -> None:
    await instances.pause(services.caller, "home", "stopped")

    assert f"pausiert von {services.caller.by}: stopped" in await read(browser, "/")


async def test_a_text_of_an_older_version_is_shown_as_it_is(
    services: Services, installation: Installation, browser: httpx.AsyncClient
) -> None:
    cause, now = HoldCause(plain("no answer in time")), installation.clock()
    await services.store.holds.place(paperless_target("home"), cause, next_probe_at=now, now=now)

    assert "no answer in time" in await read(browser, "/")


async def test_why_a_job_was_cancelled(installation: Installation, sandbox: Sandbox) -> None:
    installation.configure('[scan]\nexclude_tags = ["Privat"]\n')
    async with installation.open() as services, open_browser(build_rig(services)) as browser:
        await scan(services)
        sandbox.world.edit(1, tags=["Inbox", "Privat"])
        finished = {outcome.job.document.id: outcome.job for outcome in await drain(services)}
        shown = await read(browser, f"/jobs/{finished[1].id}")

    assert finished[1].status is JobStatus.CANCELLED
    assert shown.count("hat das ausgeschlossene Tag Privat") == 2


async def test_what_is_wrong_with_the_settings(tmp_path: Path) -> None:
    (tmp_path / "home.toml").write_text('[scan]\ncron = "61 * * * *"\nincude_tags = []\n')
    with pytest.raises(ConfigError) as caught:
        load_settings(tmp_path, {})

    async with helped(*caught.value.errors) as client:
        shown = await read(client, "/setup")

    assert "„61 * * * *“: Minute muss 0 bis 59 sein" in shown
    assert "unbekannte Einstellung - meinten Sie „include_tags“?" in shown
    assert "fehlt - setzen Sie token oder token_file" in shown


async def test_a_check_that_failed(
    services: Services, browser: httpx.AsyncClient, sandbox: Sandbox
) -> None:
    sandbox.world.edit(1, content="Stromrechnung\nStadtwerke Musterstadt GmbH\n31.12.2099\n")
    finished = await process(services)

    shown = await read(browser, f"/jobs/{finished.job.id}")

    assert "das Datum liegt in der Zukunft" in shown


async def test_why_what_was_asked_for_was_refused(
    services: Services, browser: httpx.AsyncClient
) -> None:
    await process(services)
    form = form_of((await browser.get("/review/home/1")).text)
    form["take"], form["value:date"] = ["date"], ["2026-02-31"]

    await browser.post("/review/home/1/accept", data=form, headers=GERMAN)

    assert "„2026-02-31“ ist kein Datum; schreiben Sie es wie 2026-01-31" in (
        await read(browser, "/review")
    )


async def test_what_a_server_said_stays_in_its_place(
    services: Services, browser: httpx.AsyncClient, sandbox: Sandbox
) -> None:
    refused = Answer(status=400, body="must not be empty: stopped")
    sandbox.model.state.faults.add(Fault(effect=refused, times=None))
    finished = await process(services)

    shown = await read(browser, f"/jobs/{finished.job.id}")

    assert "der Modellserver antwortete 400: must not be empty: stopped" in shown
