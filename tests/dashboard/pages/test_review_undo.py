"""A decision is undone from its confirmation: to review, or by an undo once it is written."""

import json
import re
from urllib.parse import quote

import httpx
import pytest

from core.jobs import UNDO
from daemon.services import Services
from sandbox import Sandbox
from store import JobFilter
from tests.dashboard.pages.test_review import form_of
from tests.installation import drain, fields_of, home, process

LETTER = "/review/home/1"


async def _accept(browser: httpx.AsyncClient) -> list[str]:
    """Accept all that is suggested; return the jobs that the confirmation offers to undo."""
    form = form_of((await browser.get(LETTER)).text)
    answer = await browser.post(f"{LETTER}/accept", data=form)
    page = (await browser.get(answer.headers["location"])).text
    return re.findall(r'name="job" value="(\d+)"', page)


async def test_what_is_not_written_yet_returns_to_review(
    browser: httpx.AsyncClient, services: Services, sandbox: Sandbox
) -> None:
    await process(services)
    before = await services.store.changes.list_for_review(document=home(1))
    written = fields_of(sandbox)
    jobs = await _accept(browser)

    answer = await browser.post("/review/undo", data={"job": jobs})
    page = await browser.get(answer.headers["location"])
    await drain(services)

    assert answer.headers["location"] == LETTER
    assert f"{len(before)} changes are for review again." in page.text
    assert await services.store.changes.list_for_review(document=home(1)) == before
    assert fields_of(sandbox) == written


async def test_what_is_written_is_undone_and_its_page_has_the_next_step(
    browser: httpx.AsyncClient, services: Services, sandbox: Sandbox
) -> None:
    await process(services)
    before = fields_of(sandbox)
    jobs = await _accept(browser)
    await drain(services)
    written = fields_of(sandbox)

    answer = await browser.post("/review/undo", data={"job": jobs, "back": "/review"})
    page = await browser.get(answer.headers["location"])
    await drain(services)
    ended = await browser.get(answer.headers["location"])

    assert written != before
    assert answer.headers["location"] == "/documents/home/1"
    assert "The changes to 1 document were already written: they are being undone" in page.text
    assert "Changes to this document are being undone." in page.text
    assert "changes to this document were undone." in ended.text
    assert "To get suggestions again, process the document again." in ended.text
    assert fields_of(sandbox) == before


async def test_a_rejection_is_undone(browser: httpx.AsyncClient, services: Services) -> None:
    await process(services)
    before = await services.store.changes.list_for_review(document=home(1))
    answer = await browser.post(f"{LETTER}/reject", data={})
    page = (await browser.get(answer.headers["location"])).text
    await drain(services)

    jobs = re.findall(r'name="job" value="(\d+)"', page)
    await browser.post("/review/undo", data={"job": jobs})

    assert await services.store.changes.list_for_review(document=home(1)) == before


async def test_a_job_that_is_no_decision_is_not_undone(
    browser: httpx.AsyncClient, services: Services
) -> None:
    analysis = (await process(services)).job

    await browser.post("/review/undo", data={"job": [analysis.id]})
    page = await browser.get("/review")

    assert "There is nothing to undo." in page.text
    assert await services.store.jobs.list(JobFilter(kind=UNDO)) == ()


async def test_the_confirmation_is_shown_once(
    browser: httpx.AsyncClient, services: Services
) -> None:
    await process(services)
    await _accept(browser)

    assert 'name="job"' not in (await browser.get("/review")).text


@pytest.mark.parametrize(
    "cookie", ["nonsense", '{"text": "x"}', '{"text": "x", "jobs": ["y"]}', "{" * 50]
)
async def test_a_confirmation_that_nobody_can_read_is_not_shown(
    browser: httpx.AsyncClient, cookie: str
) -> None:
    browser.cookies.set("decided", quote(cookie))

    page = await browser.get("/review")

    assert page.status_code == 200
    assert 'name="job"' not in page.text


async def test_what_a_confirmation_says_is_text(browser: httpx.AsyncClient) -> None:
    said = {"text": "<script>alert(1)</script>", "jobs": [1]}
    browser.cookies.set("decided", quote(json.dumps(said)))

    page = await browser.get("/review")

    assert "&lt;script&gt;alert(1)" in page.text
