"""Review goes on: to the next document whatever was said, and to an end with a look back."""

import html
import re

import httpx
import pytest

from daemon.services import Services
from tests.dashboard.pages.test_review import form_of
from tests.installation import Installation, drain, scan

WEEK = "Last 7 days"


@pytest.fixture
async def waiting(services: Services, browser: httpx.AsyncClient) -> list[str]:
    """Three documents that wait, by their pages, in their order."""
    await scan(services)
    await drain(services)
    page = (await browser.get("/review")).text
    return re.findall(r'class="doc" href="(/review/home/\d)"', page)


@pytest.mark.parametrize("deed", ["ignore", "process"])
@pytest.mark.parametrize("chosen", ["", "?instance=home"])
async def test_what_is_said_about_a_document_leads_to_the_next(
    browser: httpx.AsyncClient, waiting: list[str], deed: str, chosen: str
) -> None:
    answers = [await _press(browser, page + chosen, deed) for page in (waiting[0], waiting[-1])]

    assert [answer.status_code for answer in answers] == [303, 303]
    to = [answer.headers["location"] for answer in answers]
    assert to == [f"{waiting[1]}{chosen}", f"/review{chosen}"]
    said = "is now ignored." if deed == "ignore" else "queued."
    assert f"{waiting[-1].removeprefix('/review/')} {said}" in (await browser.get(to[1])).text


async def test_a_refused_decision_stays_on_its_document_and_says_why(
    browser: httpx.AsyncClient, waiting: list[str]
) -> None:
    form = form_of((await browser.get(waiting[0])).text)
    form["take"], form["value:title"] = ["title"], [""]

    answer = await browser.post(f"{waiting[0]}/accept", data=form)

    assert answer.headers["location"] == waiting[0]
    page = (await browser.get(waiting[0])).text
    assert "the title must not be empty" in page


async def test_who_has_done_all_sees_what_the_week_brought(
    browser: httpx.AsyncClient, waiting: list[str], services: Services, installation: Installation
) -> None:
    assert WEEK not in (await browser.get("/review")).text
    accepted = form_of((await browser.get(waiting[0])).text)
    await browser.post(f"{waiting[0]}/accept", data=accepted)
    for page in waiting[1:]:
        await browser.post(f"{page}/reject", data={})
    await drain(services)

    installation.clock.advance(days=6)
    page = (await browser.get("/review")).text
    installation.clock.advance(days=2)
    later = (await browser.get("/review")).text

    assert "All done. Nothing to review." in page
    assert re.findall(r"<li>(\d+ .*?)</li>", page) == ["3 documents analysed", "1 document changed"]
    assert "All done. Nothing to review." in later
    assert WEEK not in later


async def _press(browser: httpx.AsyncClient, page: str, deed: str) -> httpx.Response:
    """Press a button of the form, with all that the form holds."""
    text = (await browser.get(page)).text
    [shown] = re.findall(r'<form method="post" action="/review/.*?</form>', text, re.DOTALL)
    [action] = re.findall(rf'formaction="(/documents/\w+/\d+/{deed})"', shown)
    hidden = re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', shown)
    return await browser.post(action, data={name: html.unescape(value) for name, value in hidden})
