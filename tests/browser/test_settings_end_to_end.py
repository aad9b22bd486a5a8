"""Settings are edited in a browser while a real daemon works."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from sandbox.faults import Delay, Fault
from tests.browser.logged_in_daemon import LETTER, LoggedInDaemon
from tests.installation import COMPLETIONS, fields_of
from tests.waiting import HELD, LONG_MS

EDIT = "/settings/home/edit"


@pytest.fixture
def page(logged_in_daemon: LoggedInDaemon, browser: Browser) -> Iterator[Page]:
    page = logged_in_daemon.page(browser)
    page.set_default_timeout(LONG_MS)
    yield page
    page.context.close()


@pytest.fixture
def file(logged_in_daemon: LoggedInDaemon) -> Path:
    return logged_in_daemon.installation.settings_file


def process(logged_in_daemon: LoggedInDaemon, page: Page, name: str) -> int:
    """Process a letter."""
    document = logged_in_daemon.sandbox.world.add_document(LETTER, f"{name}.pdf").id
    page.goto(f"{logged_in_daemon.url}/documents/home/{document}")
    page.get_by_role("button", name="Process").click()
    expect(page.locator(".flash")).to_have_text("Document queued.")
    return document


def show_changes(page: Page) -> None:
    page.get_by_role("button", name="Show changes").click()


def test_a_mode_is_edited_while_a_document_is_processed(
    logged_in_daemon: LoggedInDaemon, page: Page, file: Path
) -> None:
    faults = logged_in_daemon.sandbox.model.state.faults
    faults.add(Fault(path=COMPLETIONS, effect=Delay(seconds=HELD)))
    under_way = process(logged_in_daemon, page, "scan_0001")
    expect(page.locator("#live")).to_contain_text("processing")
    page.goto(logged_in_daemon.url + EDIT)

    page.get_by_label("Title").select_option("Replace")
    page.get_by_label("Schedule").first.fill("sometimes")
    show_changes(page)
    expect(page.locator("#error-scan-cron")).to_contain_text("expected five fields")
    assert "Replace" not in file.read_text()
    page.get_by_label("Schedule").first.fill("@daily")
    show_changes(page)
    expect(page.locator(".diff .added", has_text="title")).to_contain_text('title = "replace"')
    file.write_text(file.read_text() + "# someone else\n")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("alert")).to_contain_text("changed in the meantime")
    show_changes(page)
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".flash")).to_contain_text("home.toml saved.")
    assert 'title = "replace"' in file.read_text()
    assert "# someone else\n" in file.read_text()
    faults.release()

    # A job keeps the mode it began with, if that one is stricter.
    page.goto(f"{logged_in_daemon.url}/documents/home/{under_way}")
    expect(page.locator("#live")).to_contain_text("for review")
    assert fields_of(logged_in_daemon.sandbox, under_way)["title"] == "scan_0001"
    next_one = process(logged_in_daemon, page, "scan_0002")
    expect(page.locator("#live")).to_contain_text("written")
    assert fields_of(logged_in_daemon.sandbox, next_one)["title"] != "scan_0002"
