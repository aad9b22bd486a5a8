"""The page of one document, also of one that nobody knows."""

import re
from datetime import datetime, timedelta

import httpx
import pytest

from actions.timeouts import may_have_document
from daemon.services import Services
from sandbox import Sandbox
from sandbox.faults import Answer, Delay, Fault
from tests.dashboard.api_client import build_rig
from tests.dashboard.conftest import open_browser
from tests.dashboard.pages.test_review import form_of
from tests.installation import Installation, drain, enqueue_document, home

NOWHERE = "/documents/home/999"
BUTTON = f"{NOWHERE}/process"
REVIEW = "/review/home/1"


async def test_what_neither_we_nor_paperless_know_is_not_found(browser: httpx.AsyncClient) -> None:
    answer = await browser.get(NOWHERE)

    assert answer.status_code == 404
    assert BUTTON not in answer.text


async def test_what_paperless_alone_knows_can_be_processed(browser: httpx.AsyncClient) -> None:
    answer = await browser.get("/documents/home/1")

    assert answer.status_code == 200
    assert "/documents/home/1/process" in answer.text


async def test_while_paperless_is_away_nothing_is_said_not_to_exist(
    browser: httpx.AsyncClient, sandbox: Sandbox
) -> None:
    away = Answer(status=503, body="down")
    sandbox.paperless.faults.add(Fault(path="/api/.*", times=None, effect=away))

    answer = await browser.get(NOWHERE)

    assert answer.status_code == 200
    assert BUTTON in answer.text


async def test_nobody_waits_long_for_a_paperless_that_does_not_answer(
    services: Services, sandbox: Sandbox
) -> None:
    sandbox.paperless.faults.add(Fault(path="/api/.*", times=None, effect=Delay(seconds=30.0)))

    may = await may_have_document(
        services.instances["home"], 999, timeout=timedelta(milliseconds=50)
    )

    assert may
    sandbox.paperless.faults.release()


async def test_what_is_gone_from_paperless_keeps_its_page_if_we_know_it(
    browser: httpx.AsyncClient, services: Services
) -> None:
    await services.store.documents.ignore(home(999), by="anna", now=services.context.clock())

    answer = await browser.get(NOWHERE)

    assert answer.status_code == 200


async def test_a_document_that_waits_for_review_is_not_called_done(
    browser: httpx.AsyncClient, services: Services
) -> None:
    await enqueue_document(services, 1)
    await drain(services)

    page = (await browser.get("/documents/home/1")).text
    found = (await browser.get("/documents?q=1")).text
    shown = (await browser.get("/api/v1/documents/home/1")).json()
    listed = (await browser.get("/api/v1/documents")).json()

    for html in (page, found):
        assert re.findall(r'class="badge (done|proposed)">(.*?)<', html)[0] == (
            "proposed",
            "for review",
        )
        assert 'class="badge done"' not in html
    # The state that decides about selection stays, with `for_review` beside it.
    assert (shown["known"]["state"], shown["known"]["for_review"]) == ("done", True)
    assert [document["for_review"] for document in listed["items"]] == [True]


async def test_the_last_change_is_when_something_was_last_written(
    installation: Installation, sandbox: Sandbox
) -> None:
    installation.configure(all_fields="replace")
    async with installation.open() as services, open_browser(build_rig(services)) as browser:
        await enqueue_document(services, 1)
        await drain(services)
        written_at = installation.clock()
        installation.clock.advance(hours=2)
        # Its row changes, but nothing is written.
        await services.store.documents.ignore(home(1), by="anna", now=installation.clock())

        page = (await browser.get("/documents/home/1")).text
        document = (await browser.get("/api/v1/documents/home/1")).json()

    [shown] = re.findall(r'<dt>Last changed</dt><dd>\s*<time datetime="(.*?)"', page)
    assert datetime.fromisoformat(shown) == written_at.replace(microsecond=0)
    assert datetime.fromisoformat(document["last_change_at"]) == written_at


async def test_without_a_write_there_is_no_last_change(
    browser: httpx.AsyncClient, services: Services
) -> None:
    await enqueue_document(services, 1)
    await drain(services)

    page = (await browser.get("/documents/home/1")).text

    [shown] = re.findall(r"<dt>Last changed</dt><dd>(.*?)</dd>", page, re.DOTALL)
    assert shown.strip() == "–"


async def test_the_current_values_are_those_that_paperless_has(
    browser: httpx.AsyncClient, services: Services, sandbox: Sandbox
) -> None:
    await enqueue_document(services, 1)
    await drain(services)
    sandbox.world.edit(1, title="Von <Hand>", tags=["Strom", "Wohnen"])

    shown = (await browser.get("/documents/home/1/now")).text

    assert "<dd>Von &lt;Hand&gt;</dd>" in shown
    assert re.findall(r'class="chip there">(.*?)<', shown) == ["Strom", "Wohnen"]


async def test_the_text_has_the_evidence_of_the_last_analysis_marked(
    browser: httpx.AsyncClient, services: Services, sandbox: Sandbox
) -> None:
    await enqueue_document(services, 1)
    await drain(services)

    before = (await browser.get("/documents/home/1/text")).text
    sandbox.world.edit(1, content=sandbox.world.documents[1].content + "\nNachtrag")
    after = (await browser.get("/documents/home/1/text")).text

    assert "<mark>" in before
    assert "The text has changed since the analysis." not in before
    assert "The text has changed since the analysis." in after


@pytest.mark.parametrize("part", ["now", "text"])
async def test_nothing_of_an_excluded_document_is_shown(
    installation: Installation, sandbox: Sandbox, part: str
) -> None:
    installation.configure('[scan]\nexclude_tags = ["Privat"]\n')
    async with installation.open() as services, open_browser(build_rig(services)) as browser:
        await enqueue_document(services, 1)
        await drain(services)
        sandbox.world.edit(1, title="Geheim", content="Geheim", tags=["Privat"])

        shown = await browser.get(f"/documents/home/1/{part}")

    assert "This document has an excluded tag." in shown.text
    assert "Geheim" not in shown.text


async def test_one_timeline_has_every_job_with_its_changes(
    browser: httpx.AsyncClient, services: Services, installation: Installation
) -> None:
    await enqueue_document(services, 1)
    await drain(services)
    installation.clock.advance(minutes=1)
    await browser.post("/review/home/1/reject", data={})
    await drain(services)

    page = (await browser.get("/documents/home/1")).text

    assert re.findall(r'<a href="/jobs/\d+">(.*?)</a>', page) == ["review decision", "analysis"]
    assert page.count('class="badge rejected">rejected<') == 5


async def test_the_timeline_says_what_was_decided_and_undone_newest_first(
    browser: httpx.AsyncClient, services: Services, installation: Installation
) -> None:
    await enqueue_document(services, 1)
    await drain(services)
    installation.clock.advance(minutes=1)
    await browser.post("/review/home/1/accept", data=form_of((await browser.get(REVIEW)).text))
    await drain(services)
    installation.clock.advance(minutes=1)
    undone = await browser.post("/undo", data={"document": "home/1"})
    await drain(services)

    page = (await browser.get("/documents/home/1")).text

    entries = re.findall(r'<p class="run">(.*?)</p>\s*(?:<p>(.*?)</p>)?', page, re.DOTALL)
    kinds = [re.sub(r".*<a [^>]*>(.*?)</a>.*", r"\1", run, flags=re.DOTALL) for run, _ in entries]
    assert undone.headers["location"] == "/documents/home/1"
    assert kinds[:3] == ["undo", "review decision", "analysis"]
    assert "undone: " in entries[0][1]
    assert "accepted" in entries[1][1]
    assert "written: " in entries[1][1]
    assert '<span class="badge undone">undone</span>' in page
    assert "All changes to this document were undone." in page
