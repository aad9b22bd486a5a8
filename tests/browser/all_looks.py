"""`make pages`: every page at every width, in every language and theme."""

from itertools import product

import pytest
from playwright.sync_api import Browser

from tests.browser.page_looks import LANGUAGES, SCHEMES, WIDTHS, PageLook, check_page
from tests.browser.page_paths import PLACES
from tests.browser.sample_dashboard import SampleDashboard


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("place", PLACES)
def test_a_page_is_fit_for_everyone_in_every_look(
    browser: Browser, sample_dashboard: SampleDashboard, place: str, language: str
) -> None:
    looks = [PageLook(width, language, scheme) for width, scheme in product(WIDTHS, SCHEMES)]

    assert check_page(browser, sample_dashboard, place, looks) == []
