"""With a daemon of its own: from the first visit to what Paperless has in the end."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from dashboard.live import FEW
from sandbox.faults import Fault
from tests.browser.live_changes import (
    BY_STREAM_ALONE,
    enqueue_one_by_one,
    expect_all_shown,
    record_when_jobs_appear,
)
from tests.browser.logged_in_daemon import LETTER, PASSWORD, LoggedInDaemon, first_start
from tests.browser.page_checks import watch_page
from tests.browser.sample_data import RUBBISH
from tests.daemon.processes import GIVEN_UP
from tests.installation import COMPLETIONS


@pytest.fixture
def open_page(logged_in_daemon: LoggedInDaemon, browser: Browser) -> Iterator[Page]:
    page = logged_in_daemon.page(browser)
    yield page
    page.context.close()


@pytest.fixture
def page(logged_in_daemon: LoggedInDaemon, open_page: Page) -> Iterator[Page]:
    """One about which the browser must not complain, nor ask another host for anything."""
    with watch_page(open_page, logged_in_daemon.url) as complaints:
        yield open_page
    assert complaints == []


def add_letter(logged_in_daemon: LoggedInDaemon, name: str) -> int:
    return logged_in_daemon.sandbox.world.add_document(LETTER, f"{name}.pdf").id


def scan_now(page: Page) -> None:
    page.get_by_role("link", name="Scan now").click()
    page.get_by_role("button", name="Scan now").click()
    expect(page.locator(".flash")).to_have_text("Scan of home requested.")


def process(logged_in_daemon: LoggedInDaemon, page: Page, document: int) -> None:
    page.goto(f"{logged_in_daemon.url}/documents/home/{document}")
    page.get_by_role("button", name="Process").click()
    expect(page.locator(".flash")).to_have_text("Document queued.")


@pytest.mark.parametrize("scripted", [True, False], ids=["with script", "without script"])
def test_a_password_is_chosen_by_the_link_of_the_first_start(
    tmp_path: Path, browser: Browser, *, scripted: bool
) -> None:
    with first_start(tmp_path) as (_, link):
        page = browser.new_context(locale="en", java_script_enabled=scripted).new_page()
        page.goto(str(link))
        page.get_by_label("Password", exact=True).fill(PASSWORD)
        page.get_by_label("Repeat password").fill(PASSWORD)
        page.get_by_role("button", name="Set password and log in").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Overview")
        page.get_by_role("button", name="Log out").click()
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("button", name="Log in").click()

        expect(page.get_by_role("heading", level=1)).to_have_text("Overview")
        page.context.close()


def test_a_failed_job_is_tried_again_when_the_model_is_mended(
    logged_in_daemon: LoggedInDaemon, page: Page
) -> None:
    faults = logged_in_daemon.sandbox.model.state.faults
    faults.add(Fault(path=COMPLETIONS, times=None, effect=RUBBISH))
    add_letter(logged_in_daemon, "scan_0816")

    scan_now(page)
    failed = page.locator(".attention > li", has_text="1 document failed.")
    failed.get_by_role("link", name="View").click()
    expect(page.locator("#live")).to_contain_text("scan_0816")
    faults.clear()
    page.get_by_role("button", name="Retry all").click()

    expect(page.locator(".flash")).to_have_text("1 job queued again.")
    row = page.locator("#live li", has_text="scan_0816")
    expect(row.locator(".badge").first).to_contain_text("for review")


def test_what_is_paused_waits_and_goes_on_when_it_is_resumed(
    logged_in_daemon: LoggedInDaemon, page: Page
) -> None:
    page.get_by_role("button", name="Pause").click()
    expect(page.locator(".flash")).to_have_text("home paused.")
    letter = add_letter(logged_in_daemon, "scan_0817")
    process(logged_in_daemon, page, letter)
    page.goto(logged_in_daemon.url)
    expect(page.locator("#live")).to_contain_text("1 on hold")

    page.get_by_role("button", name="Resume").click()

    page.goto(f"{logged_in_daemon.url}/activity")
    row = page.locator("#live li", has_text="scan_0817")
    expect(row.locator(".badge").first).to_contain_text("for review")


def test_the_stream_alone_brings_every_move_to_four_pages(
    logged_in_daemon: LoggedInDaemon, page: Page, browser: Browser
) -> None:
    page.get_by_role("button", name="Pause").click()
    # Each in a browser of its own: they share nothing.
    pages = [
        logged_in_daemon.page(browser, "/activity", script=BY_STREAM_ALONE) for _ in range(FEW)
    ]
    for open_page in pages:
        record_when_jobs_appear(open_page)

    jobs = enqueue_one_by_one(logged_in_daemon)

    for open_page in pages:
        expect_all_shown(open_page, jobs)
        open_page.context.close()


@pytest.mark.parametrize("shares", [True, False], ids=["one stream for all", "one for each"])
def test_a_page_that_is_open_survives_a_restart(
    logged_in_daemon: LoggedInDaemon, open_page: Page, *, shares: bool
) -> None:
    page = open_page
    if not shares:
        page.add_init_script("delete window.SharedWorker")
        page.reload()
    letter = add_letter(logged_in_daemon, f"scan_0818_{shares}")
    page.evaluate("window.isTheSame = true")
    waiting = page.locator("#for-review")
    before = waiting.inner_text()
    process(logged_in_daemon, page.context.new_page(), letter)
    expect(waiting).not_to_have_text(before)

    code, log = logged_in_daemon.stop()

    # The stream that the page has open comes to its end; it need not be cut off.
    assert (code, "Traceback" in log, GIVEN_UP in log) == (0, False, False), log
    expect(page.locator("#away")).to_be_visible()
    expect(page.locator("#away")).to_contain_text("Paperclerk is not responding.")
    if shares:
        logged_in_daemon.start()
    else:
        # Of what is shared the browser tells nothing.
        with page.expect_response("**/events?*") as again:
            logged_in_daemon.start()
        assert again.value.request.all_headers()["last-event-id"].isdecimal()
    expect(page.locator("#away")).to_be_hidden()
    assert page.evaluate("window.isTheSame"), "the page was loaded again"
