"""The dashboard below a path of another site, behind proxies of both styles, with its own login."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.logged_in_daemon import LETTER, PASSWORD, LoggedInDaemon, Seed, running_daemon
from tests.browser.page_checks import watch_page
from tests.browser.proxy import PathProxy, Style

BELOW = "/clerk"
PAGES = ("Review", "Activity", "History", "Costs", "Settings", "Overview")


@pytest.fixture
def logged_in_daemon(tmp_path: Path, seed: Seed) -> Iterator[LoggedInDaemon]:
    daemon = f'[web]\nbase_path = "{BELOW}"\n'
    with running_daemon(tmp_path, seed, daemon=daemon) as logged_in_daemon:
        yield logged_in_daemon


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(locale="en")
    yield context.new_page()
    context.close()


def heading(page: Page, words: str) -> None:
    expect(page.get_by_role("heading", level=1)).to_contain_text(words)


def log_in(page: Page, address: str) -> None:
    page.goto(address)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    heading(page, "Overview")


@pytest.mark.parametrize("style", Style)
def test_all_of_it_works_below_a_path(
    logged_in_daemon: LoggedInDaemon, page: Page, style: Style
) -> None:
    proxy = PathProxy(logged_in_daemon.url, BELOW, style)
    with proxy.server() as server:
        here = server.url + BELOW
        log_in(page, here)
        with watch_page(page, here) as found:
            for name in PAGES:
                page.get_by_role("link", name=name).first.click()
                heading(page, name)
            page.goto(f"{here}/review/")
            heading(page, "Review")
            page.goto(f"{here}/")
            file_a_letter(logged_in_daemon, page)
            page.get_by_role("button", name="Log out").click()
            expect(page).to_have_url(f"{here}/login")

    assert (found, proxy.strays) == ([], [])
    assert b"event: beat" in proxy.streamed


def file_a_letter(logged_in_daemon: LoggedInDaemon, page: Page) -> None:
    """Press a button, and see on the open page what comes of it."""
    waiting = page.locator("#for-review")
    before = waiting.inner_text()
    logged_in_daemon.sandbox.world.add_document(LETTER, "scan_0815.pdf")

    page.get_by_role("link", name="Scan now").click()
    page.get_by_role("button", name="Scan now").click()
    expect(page.locator(".flash")).to_have_text("Scan of home requested.")
    page.evaluate("window.isTheSame = true")

    expect(waiting).not_to_have_text(before)
    assert page.evaluate("window.isTheSame"), "the page was loaded again"
