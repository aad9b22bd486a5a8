"""Every page, in both languages, on a phone and on a wide screen, light and dark."""

from collections.abc import Iterator
from typing import Literal

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browser.page_checks import faults_of, overhang, poor_contrasts, split_words, watched
from tests.browser.page_paths import PLACES
from tests.browser.sample_dashboard import SampleDashboard

Scheme = Literal["light", "dark"]
_OTHER: dict[Scheme, Scheme] = {"light": "dark", "dark": "light"}


@pytest.fixture(scope="module", params=["en", "de"])
def context(request: pytest.FixtureRequest, browser: Browser) -> Iterator[BrowserContext]:
    context = browser.new_context(locale=request.param)
    yield context
    context.close()


@pytest.fixture
def page(context: BrowserContext) -> Iterator[Page]:
    page = context.new_page()
    yield page
    page.close()


@pytest.mark.parametrize("place", PLACES)
def test_a_page_is_fit_for_everyone(
    page: Page, sample_dashboard: SampleDashboard, place: str
) -> None:
    looks: list[tuple[int, Scheme]] = [(390, "light"), (1280, "dark")]
    with watched(
        page, sample_dashboard.setup_url if place == "setup" else sample_dashboard.url
    ) as complaints:
        page.goto(sample_dashboard.at(place), wait_until="load")
        expect(page.locator("[hx-trigger=load] > .button")).to_have_count(0)

        for width, scheme in looks:
            page.set_viewport_size({"width": width, "height": 844})
            page.emulate_media(color_scheme=scheme)
            assert faults_of(page) == [], (width, scheme)
            page.emulate_media(color_scheme=_OTHER[scheme])
            assert poor_contrasts(page) == [], (width, _OTHER[scheme])
    assert complaints == []


@pytest.mark.parametrize("width", [768, 820, 960, 1024, 1070, 1152])
def test_the_header_is_one_line_of_whole_words(
    page: Page, sample_dashboard: SampleDashboard, width: int
) -> None:
    page.set_viewport_size({"width": width, "height": 844})
    page.goto(sample_dashboard.at("overview"), wait_until="load")

    header = page.locator("header.top").bounding_box()
    links = [link.bounding_box() for link in page.locator("header.top a:visible").all()]

    assert header is not None
    assert header["height"] < 70
    assert all(box is not None and box["y"] + box["height"] <= header["height"] for box in links)
    assert all(box is not None and box["x"] + box["width"] <= width for box in links)
    assert split_words(page, "header.top") == []
    assert overhang(page) <= 0
