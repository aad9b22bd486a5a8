"""`make pages`: every page at every width, in every language and theme."""

from collections.abc import Mapping
from itertools import product

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.page_paths import PLACES
from tests.browser.page_variants import (
    LANGUAGES,
    SCHEMES,
    WIDTHS,
    PageVariant,
    check_page,
    find_faults_in,
)
from tests.browser.sample_dashboard import SampleDashboard
from tests.browser.setup_steps import walk_setup


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("place", PLACES)
def test_a_page_is_fit_for_everyone_in_every_look(
    tabs: Mapping[str, Page], sample_dashboard: SampleDashboard, place: str, language: str
) -> None:
    assert check_page(tabs, sample_dashboard, place, _variants(language)) == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_step_of_the_setup_is_fit_for_everyone_in_every_look(
    browser: Browser, sample_dashboard: SampleDashboard, language: str
) -> None:
    page = browser.new_page(locale=language)

    found = [
        f"{step}: {fault}"
        for step in walk_setup(page, sample_dashboard)
        for variant in _variants(language)
        for fault in find_faults_in(page, variant)
    ]
    page.close()

    assert found == []


def _variants(language: str) -> list[PageVariant]:
    return [PageVariant(width, language, scheme) for width, scheme in product(WIDTHS, SCHEMES)]
