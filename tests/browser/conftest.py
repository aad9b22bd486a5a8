"""One browser for all tests of pages, a shared dashboard, and one per test."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Playwright, sync_playwright

from tests.browser.chromium import launched_chromium
from tests.browser.logged_in_daemon import LoggedInDaemon, Seed, create_seed, running_daemon
from tests.browser.page_checks import watch_page
from tests.browser.page_variants import LANGUAGES
from tests.browser.sample_dashboard import Filled, SampleDashboard, filled_once


@pytest.fixture(scope="session")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Filled:
    return filled_once(tmp_path_factory.mktemp("filled"))


@pytest.fixture(scope="session")
def sample_dashboard(
    tmp_path_factory: pytest.TempPathFactory, filled: Filled
) -> Iterator[SampleDashboard]:
    """A filled dashboard that all tests share; they must not change it."""
    with filled.copied(tmp_path_factory.mktemp("dashboard")) as sample_dashboard:
        yield sample_dashboard


@pytest.fixture
def own_dashboard(tmp_path: Path, filled: Filled) -> Iterator[SampleDashboard]:
    """A filled dashboard for one test, which may change it."""
    with filled.copied(tmp_path) as sample_dashboard:
        yield sample_dashboard


@pytest.fixture(scope="session")
def seed(tmp_path_factory: pytest.TempPathFactory) -> Seed:
    return create_seed(tmp_path_factory.mktemp("seed"))


@pytest.fixture
def logged_in_daemon(tmp_path: Path, seed: Seed) -> Iterator[LoggedInDaemon]:
    """A daemon for one test, with a password and a logged-in browser."""
    with running_daemon(tmp_path, seed) as logged_in_daemon:
        yield logged_in_daemon


@pytest.fixture(scope="package")
def playwright() -> Iterator[Playwright]:
    """Not per session: while playwright runs, its loop blocks async tests in this thread."""
    with sync_playwright() as playwright:
        yield playwright


@pytest.fixture(scope="package")
def browser(playwright: Playwright) -> Iterator[Browser]:
    with launched_chromium(playwright) as browser:
        yield browser


@pytest.fixture(scope="package")
def tabs(browser: Browser) -> Iterator[dict[str, Page]]:
    """A page for each language, for tests that only look: opening another takes longer."""
    with ExitStack() as stack:
        yield {
            language: stack.enter_context(browser.new_page(locale=language))
            for language in LANGUAGES
        }


@pytest.fixture
def page(browser: Browser, own_dashboard: SampleDashboard) -> Iterator[Page]:
    """A page at laptop width, of a dashboard that the test may change."""
    context = browser.new_context(locale="en", viewport={"width": 1280, "height": 900})
    page = context.new_page()
    with watch_page(page, own_dashboard.url) as complaints:
        yield page
    assert complaints == []
    context.close()
