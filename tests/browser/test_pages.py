"""Every page, in both languages, on a phone and at a desk, by day and by night."""

import json
from collections.abc import Iterator
from typing import Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, expect

from tests.browser.places import PLACES
from tests.browser.stage import Stage

AXE = Axe()
Theme = Literal["light", "dark"]
_LOOKS: list[tuple[str, int, Theme]] = [
    ("en", 390, "light"),
    ("de", 390, "dark"),
    ("de", 1280, "light"),
    ("en", 1280, "dark"),
]
"""Each language with each width, each width with each theme, each theme with each language."""


@pytest.fixture(scope="module", params=_LOOKS, ids=lambda look: "-".join(map(str, look)))
def look(request: pytest.FixtureRequest, browser: Browser) -> Iterator[BrowserContext]:
    language, width, theme = request.param
    context = browser.new_context(
        viewport={"width": width, "height": 844}, color_scheme=theme, locale=language
    )
    yield context
    context.close()


@pytest.fixture
def page(look: BrowserContext) -> Iterator[Page]:
    page = look.new_page()
    yield page
    page.close()


@pytest.mark.parametrize("place", PLACES)
def test_a_page_is_fit_for_everyone(page: Page, stage: Stage, place: str) -> None:
    complaints: list[str] = []
    hosts: set[str] = set()
    page.on("console", lambda message: _note(message, complaints))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("request", lambda request: hosts.add(request.url.split("/")[2]))

    page.goto(stage.at(place), wait_until="load")
    expect(page.locator("[hx-trigger=load] > .button")).to_have_count(0)

    wide = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
    assert wide <= 0, f"scrolls sideways by {wide}"
    assert complaints == []
    assert hosts == {stage.url.removeprefix("http://")}
    found = AXE.run(page, options={"resultTypes": ["violations"]}).response["violations"]
    assert [_told(one) for one in found] == []


def test_what_a_document_says_stays_text(page: Page, stage: Stage) -> None:
    page.goto(f"{stage.url}/review/home/40", wait_until="networkidle")

    expect(page.locator("h1")).to_contain_text("<script>alert(2)</script> {{ 7*7 }}")
    assert page.locator("img[onerror], main script").count() == 0


def _note(message: ConsoleMessage, complaints: list[str]) -> None:
    # The browser says so when the answer is 404, as to a page that is not there, or 403.
    is_answer = "404" in message.text or "403" in message.text
    if message.type in {"error", "warning"} and not is_answer:
        complaints.append(message.text)


def _told(violation: dict[str, object]) -> str:
    nodes = violation["nodes"]
    places = [node["target"] for node in nodes] if isinstance(nodes, list) else []
    return f"{violation['id']}: {json.dumps(places)[:300]}"
