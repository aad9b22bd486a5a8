"""Every page, in both languages, on a phone and at a desk, by day and by night."""

from collections.abc import Iterator
from typing import Literal

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browser.looking import faults_of, watched
from tests.browser.places import PLACES
from tests.browser.stage import Stage

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
    with watched(page, stage.url) as complaints:
        page.goto(stage.at(place), wait_until="load")
        expect(page.locator("[hx-trigger=load] > .button")).to_have_count(0)

        assert faults_of(page) == []
    assert complaints == []
