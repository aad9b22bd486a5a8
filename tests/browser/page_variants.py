"""Check a page at several widths, in several languages and themes."""

from collections.abc import Iterable, Mapping
from functools import cache
from itertools import groupby
from operator import attrgetter
from typing import Literal, NamedTuple

from playwright.sync_api import Page, expect

from tests.browser.page_checks import find_faults, own_words, split_own_words, watch_page
from tests.browser.sample_dashboard import SampleDashboard

Scheme = Literal["light", "dark"]
WIDTHS = (390, 768, 1024, 1280, 1920)
LANGUAGES = ("en", "de")
SCHEMES: tuple[Scheme, ...] = ("light", "dark")
_HEIGHT = 844


class PageVariant(NamedTuple):
    """A width, a language and a theme."""

    width: int
    language: str
    scheme: Scheme
    checks_contrast: bool = True
    """Whether contrast is checked, which takes longer than all other checks."""


def check_page(
    tabs: Mapping[str, Page],
    dashboard: SampleDashboard,
    place: str,
    variants: Iterable[PageVariant],
) -> list[str]:
    """Return the faults of a page in all variants; it is loaded once per language."""
    found: list[str] = []
    by_language = attrgetter("language")
    for language, group in groupby(sorted(variants, key=by_language), by_language):
        found += _check_in_language(tabs[language], dashboard, place, list(group))
    return found


def _check_in_language(
    page: Page, dashboard: SampleDashboard, place: str, variants: list[PageVariant]
) -> list[str]:
    found: list[str] = []
    with watch_page(page, dashboard.setup_url if place == "setup" else dashboard.url) as complaints:
        page.goto(dashboard.at(place), wait_until="load")
        expect(page.locator("[hx-trigger=load] > .button")).to_have_count(0)
        for variant in variants:
            found += find_faults_in(page, variant)
    # What this page still asks for must not be taken for requests of the next one.
    page.goto("about:blank")
    return found + complaints


def find_faults_in(page: Page, variant: PageVariant) -> list[str]:
    """Return the faults of the open page at this width and in this theme."""
    page.set_viewport_size({"width": variant.width, "height": _HEIGHT})
    page.emulate_media(color_scheme=variant.scheme)
    split = split_own_words(page, _words(variant.language))
    found = find_faults(page, checks_contrast=variant.checks_contrast)
    faults = [*found, *(f"broken word: {word}" for word in split)]
    return [f"{variant.width} {variant.language} {variant.scheme}: {fault}" for fault in faults]


@cache
def _words(language: str) -> frozenset[str]:
    return own_words(language)
