"""Every page, in both languages, at every width, light and dark."""

from collections.abc import Mapping

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.page_checks import measure_overflow, split_words
from tests.browser.page_paths import PLACES
from tests.browser.page_variants import LANGUAGES, SCHEMES, WIDTHS, PageVariant, check_page
from tests.browser.sample_dashboard import SampleDashboard

_SETTINGS = [(language, scheme) for language in LANGUAGES for scheme in SCHEMES]


_CONTRAST_WIDTHS = (390, 1280)
"""Widths at which contrast is checked: one light and one dark, with different layouts."""


def _looks_of(number: int) -> list[PageVariant]:
    """Return a look for each width: all four settings on each page, and at each width in turn."""
    return [
        PageVariant(width, *_SETTINGS[(number + place) % len(_SETTINGS)], width in _CONTRAST_WIDTHS)
        for place, width in enumerate(WIDTHS)
    ]


@pytest.mark.parametrize(
    ("place", "looks"), [(place, _looks_of(number)) for number, place in enumerate(PLACES)]
)
def test_a_page_is_fit_for_everyone(
    tabs: Mapping[str, Page],
    sample_dashboard: SampleDashboard,
    place: str,
    looks: list[PageVariant],
) -> None:
    assert check_page(tabs, sample_dashboard, place, looks) == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_header_is_one_line_of_whole_words(
    browser: Browser, sample_dashboard: SampleDashboard, language: str
) -> None:
    page = browser.new_page(locale=language)
    page.goto(sample_dashboard.at("overview"), wait_until="load")

    for width in (768, 820, 960, 1024, 1070, 1152):
        page.set_viewport_size({"width": width, "height": 844})
        _check_header(page, width)
    page.close()


def _check_header(page: Page, width: int) -> None:
    header = page.locator("header.top").bounding_box()
    links = [link.bounding_box() for link in page.locator("header.top a:visible").all()]

    assert header is not None
    assert header["height"] < 70
    assert all(box is not None and box["y"] + box["height"] <= header["height"] for box in links)
    assert all(box is not None and box["x"] + box["width"] <= width for box in links)
    assert split_words(page, "header.top") == []
    assert measure_overflow(page) <= 0
