"""A browser without JavaScript can do all that matters, with a real daemon behind it."""

from collections.abc import Callable, Iterator
from time import monotonic

import pytest
from playwright.sync_api import Browser, Page, expect

from sandbox.faults import Fault
from tests.browser.logged_in_daemon import LETTER, PASSWORD, LoggedInDaemon
from tests.browser.page_checks import measure_overflow, watch_page
from tests.browser.sample_data import RUBBISH
from tests.installation import COMPLETIONS, fields_of
from tests.waiting import LONG

HERE = ("title", "correspondent", "document_type", "tags", "created")


@pytest.fixture
def page(logged_in_daemon: LoggedInDaemon, browser: Browser) -> Iterator[Page]:
    page = browser.new_context(
        locale="en", java_script_enabled=False, viewport={"width": 390, "height": 844}
    ).new_page()
    with watch_page(page, logged_in_daemon.url) as complaints:
        page.goto(logged_in_daemon.url)
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("button", name="Log in").click()
        yield page
    assert complaints == []
    page.context.close()


def press(page: Page, button: str, said: str) -> None:
    page.get_by_role("button", name=button, exact=True).click()
    expect(page.locator(".flash")).to_have_text(said)
    assert measure_overflow(page) <= 0


def load_until(page: Page, is_so: Callable[[], bool]) -> None:
    """Load the page again and again, as a person would."""
    end = monotonic() + LONG
    while not is_so():
        assert monotonic() < end, page.locator("main").inner_text()
        page.reload()


def test_a_letter_is_looked_for_changed_accepted_and_undone(
    logged_in_daemon: LoggedInDaemon, page: Page
) -> None:
    letter = logged_in_daemon.sandbox.world.add_document(LETTER, "scan_1.pdf").id
    before = fields_of(logged_in_daemon.sandbox, letter)

    page.get_by_role("link", name="Scan now").click()
    press(page, "Scan now", "Scan of home requested.")
    page.goto(f"{logged_in_daemon.url}/review")
    load_until(page, lambda: page.get_by_text("scan_1").count() > 0)
    page.get_by_role("link", name="scan_1").first.click()
    page.get_by_label("Suggestion: title").fill("Mein Strom")
    page.get_by_role("checkbox", name="date").uncheck()
    page.get_by_role("button", name="Accept").last.click()
    expect(page.locator(".flash > span")).to_have_text(f"home/{letter}: 4 accepted, 1 rejected.")

    page.goto(f"{logged_in_daemon.url}/history")
    load_until(page, lambda: page.locator("ins", has_text="Mein Strom").count() > 0)
    written = fields_of(logged_in_daemon.sandbox, letter)
    assert (written["title"], written["created"]) == ("Mein Strom", before["created"])
    page.goto(f"{logged_in_daemon.url}/documents/home/{letter}")
    page.get_by_role("link", name="Undo all changes to this document").click()
    page.get_by_role("button", name="Undo").click()
    load_until(page, lambda: page.locator(".badge.undone").count() > 1)
    after = fields_of(logged_in_daemon.sandbox, letter)
    assert [after[name] for name in HERE] == [before[name] for name in HERE]


def test_a_letter_is_rejected(logged_in_daemon: LoggedInDaemon, page: Page) -> None:
    letter = logged_in_daemon.sandbox.world.add_document(LETTER, "scan_2.pdf").id
    before = fields_of(logged_in_daemon.sandbox, letter)

    page.goto(f"{logged_in_daemon.url}/documents/home/{letter}")
    press(page, "Process", "Document queued.")
    load_until(page, lambda: page.locator("main").get_by_role("link", name="Review").count() > 0)
    page.goto(f"{logged_in_daemon.url}/review/home/{letter}")
    expect(page.get_by_role("button", name="Edit")).to_be_hidden()
    page.get_by_role("button", name="Reject").click()

    expect(page.locator(".flash > span")).to_have_text(f"home/{letter} left unchanged.")
    after = fields_of(logged_in_daemon.sandbox, letter)
    assert [after[name] for name in HERE] == [before[name] for name in HERE]


def test_what_failed_is_tried_again_and_what_is_paused_goes_on(
    logged_in_daemon: LoggedInDaemon, page: Page
) -> None:
    faults = logged_in_daemon.sandbox.model.state.faults
    faults.add(Fault(path=COMPLETIONS, times=None, effect=RUBBISH))
    letter = logged_in_daemon.sandbox.world.add_document(LETTER, "scan_3.pdf").id
    page.goto(f"{logged_in_daemon.url}/documents/home/{letter}")
    press(page, "Process", "Document queued.")
    page.goto(f"{logged_in_daemon.url}/activity?status=failed")
    load_until(page, lambda: page.get_by_text("scan_3").count() > 0)
    faults.clear()

    page.goto(logged_in_daemon.url)
    press(page, "Pause", "home paused.")
    page.goto(f"{logged_in_daemon.url}/activity?status=failed")
    page.locator(".runs").get_by_role("button", name="Retry", exact=True).click()
    expect(page.locator(".flash")).to_have_text("Job queued again.")
    expect(page.locator("main .badge").first).to_have_text("pending")
    page.goto(logged_in_daemon.url)
    press(page, "Resume", "home resumed.")

    page.goto(f"{logged_in_daemon.url}/activity?status=completed")
    load_until(page, lambda: page.get_by_text("scan_3").count() > 0)
