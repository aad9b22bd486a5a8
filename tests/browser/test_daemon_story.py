"""Whole stories with a daemon of its own: from the first visit to what Paperless has in the end."""

from collections.abc import Iterator
from time import monotonic

import pytest
from playwright.sync_api import Browser, Page, expect

from dashboard.live.feed import FEW
from sandbox.faults import Fault
from tests.browser.filling import RUBBISH
from tests.browser.house import LETTER, House, running_house
from tests.browser.looking import watched
from tests.browser.moves import (
    enqueue_one_by_one,
    note_down_when_jobs_are_shown,
    seconds_until_shown,
)
from tests.daemon.processes import GIVEN_UP, IN_TIME
from tests.office import COMPLETIONS

LONG = 15_000.0


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory, browser: Browser) -> Iterator[House]:
    with running_house(tmp_path_factory.mktemp("house"), browser) as house:
        yield house


@pytest.fixture
def open_page(house: House, browser: Browser) -> Iterator[Page]:
    page = house.page(browser)
    yield page
    page.context.close()


@pytest.fixture
def page(house: House, open_page: Page) -> Iterator[Page]:
    """One about which the browser must not complain, nor ask another host for anything."""
    with watched(open_page, house.url) as complaints:
        yield open_page
    assert complaints == []


def add_letter(house: House, name: str) -> int:
    return house.sandbox.world.add_document(LETTER, f"{name}.pdf").id


def scan_now(page: Page) -> None:
    page.get_by_role("button", name="Scan now").click()
    expect(page.locator(".flash")).to_have_text("A scan of home is asked for.")


def process(house: House, page: Page, document: int) -> None:
    page.goto(f"{house.url}/documents/home/{document}")
    page.get_by_role("button", name="Process").click()
    expect(page.locator(".flash")).to_have_text("The document is in the queue.")


def test_a_failed_job_is_tried_again_when_the_model_is_mended(house: House, page: Page) -> None:
    faults = house.sandbox.model.state.faults
    faults.add(Fault(path=COMPLETIONS, times=None, effect=RUBBISH))
    add_letter(house, "scan_0816")

    scan_now(page)
    failed = page.locator(".numbers div", has_text="Failed")
    expect(failed).to_contain_text("1", timeout=LONG)
    failed.get_by_role("link").click()
    expect(page.locator("#live")).to_contain_text("scan_0816")
    faults.clear()
    page.get_by_role("button", name="Retry all of this cause").click()

    expect(page.locator(".flash")).to_have_text("1 job is in the queue again.")
    row = page.locator("#live li", has_text="scan_0816")
    expect(row.locator(".badge")).to_have_text("completed", timeout=LONG)


def test_what_is_paused_waits_and_goes_on_when_it_is_resumed(house: House, page: Page) -> None:
    page.get_by_role("button", name="Pause").click()
    expect(page.locator(".flash")).to_have_text("home rests until you resume it.")
    letter = add_letter(house, "scan_0817")
    process(house, page, letter)
    page.goto(house.url)
    expect(page.locator("#live")).to_contain_text("1 in the queue (1 rests)")

    page.get_by_role("button", name="Resume").click()

    page.goto(f"{house.url}/activity")
    row = page.locator("#live li", has_text="scan_0817")
    expect(row.locator(".badge")).to_have_text("completed", timeout=LONG)


def test_moves_are_on_four_pages_within_two_seconds_and_none_is_missed(
    house: House, page: Page, browser: Browser
) -> None:
    page.get_by_role("button", name="Pause").click()
    # Each in a browser of its own: they share nothing.
    pages = [house.page(browser, "/activity") for _ in range(FEW)]
    page.goto(f"{house.url}/settings")
    for one in pages:
        note_down_when_jobs_are_shown(one)

    jobs = enqueue_one_by_one(house, page)

    for one in pages:
        took = seconds_until_shown(house, one, jobs)
        assert max(took) < 2, took
        one.context.close()
    page.goto(house.url)
    page.get_by_role("button", name="Resume").click()
    expect(page.locator(".flash")).to_have_text("home goes on.")


@pytest.mark.parametrize("shares", [True, False], ids=["one stream for all", "one for each"])
def test_a_page_that_is_open_survives_a_restart(
    house: House, open_page: Page, *, shares: bool
) -> None:
    page = open_page
    if not shares:
        page.add_init_script("delete window.SharedWorker")
        page.reload()
    letter = add_letter(house, f"scan_0818_{shares}")
    page.evaluate("window.isTheSame = true")
    waiting = page.locator("#for-review")
    before = waiting.inner_text()
    process(house, page.context.new_page(), letter)
    expect(waiting).not_to_have_text(before, timeout=LONG)

    begun = monotonic()
    code, log = house.stop()
    took = monotonic() - begun

    # The stream that the page has open comes to its end; it need not be cut off.
    assert (code, "Traceback" in log, GIVEN_UP in log) == (0, False, False), log
    assert took < IN_TIME, log
    expect(page.locator("#away")).to_be_visible(timeout=LONG)
    expect(page.locator("#away")).to_contain_text("Paperclerk does not answer.")
    if shares:
        house.start()
    else:
        # Of what is shared the browser tells nothing.
        with page.expect_response("**/events?*", timeout=2 * LONG) as again:
            house.start()
        assert again.value.request.all_headers()["last-event-id"].isdecimal()
    expect(page.locator("#away")).to_be_hidden(timeout=2 * LONG)
    assert page.evaluate("window.isTheSame"), "the page was loaded again"
