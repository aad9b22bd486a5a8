"""Whole stories with a daemon of its own: from the first visit to what Paperless has in the end."""

from collections.abc import Iterator
from time import monotonic

import pytest
from playwright.sync_api import Browser, Page, expect

from dashboard.live.feed import FEW
from sandbox.faults import Fault
from tests.browser.filling import RUBBISH
from tests.browser.house import LETTER, House, running_house
from tests.browser.moves import (
    enqueue_one_by_one,
    note_down_when_jobs_are_shown,
    seconds_until_shown,
)
from tests.daemon.processes import GIVEN_UP, IN_TIME
from tests.office import COMPLETIONS, THINKING, fields_of

LONG = 15_000.0
ANOTHER_NAME = "Deutsche Telekontakt"


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory, browser: Browser) -> Iterator[House]:
    with running_house(tmp_path_factory.mktemp("house"), browser) as house:
        yield house


@pytest.fixture
def page(house: House, browser: Browser) -> Iterator[Page]:
    page = house.page(browser)
    yield page
    page.context.close()


def add_letter(house: House, name: str) -> int:
    return house.sandbox.world.add_document(LETTER, f"{name}.pdf").id


def scan_now(page: Page) -> None:
    page.get_by_role("button", name="Scan now").click()
    expect(page.locator(".flash")).to_have_text("A scan of home is asked for.")


def process(house: House, page: Page, document: int) -> None:
    page.goto(f"{house.url}/documents/home/{document}")
    page.get_by_role("button", name="Process").click()
    expect(page.locator(".flash")).to_have_text("The document is in the queue.")


def on_page(page: Page, heading: str) -> None:
    expect(page.get_by_role("heading", level=1)).to_have_text(heading)


def test_a_letter_is_filed_by_a_person_and_taken_back(house: House, page: Page) -> None:
    house.sandbox.model.state.faults.add(THINKING)
    letter = add_letter(house, "scan_0815")
    before = fields_of(house.sandbox, letter)

    scan_now(page)
    page.evaluate("window.isTheSame = true")
    running = page.locator("section", has=page.get_by_role("heading", name="Running now"))
    expect(running).to_contain_text("scan_0815", timeout=LONG)
    house.sandbox.model.state.faults.clear()
    expect(page.locator("#for-review")).to_have_text("1 waiting", timeout=LONG)
    assert page.evaluate("window.isTheSame"), "the page was loaded again"

    page.get_by_role("link", name="Review 1 waiting").click()
    page.get_by_role("link", name="scan_0815").first.click()
    named = page.get_by_label("Suggestion: correspondent")
    options = page.locator(f"datalist#{named.get_attribute('list')} option")
    expect(options.and_(page.locator(f"[value='{ANOTHER_NAME}']"))).to_have_count(1)
    named.fill(ANOTHER_NAME)
    page.get_by_role("button", name="Accept").click()
    expect(page.locator(".flash")).to_have_text(f"home/{letter} is decided.")

    page.goto(house.url)
    expect(page.locator("#live")).to_contain_text(ANOTHER_NAME, timeout=LONG)
    written = fields_of(house.sandbox, letter)
    assert written["title"] == "Stromrechnung Februar 2024"
    assert (written["correspondent"], written["created"]) == (ANOTHER_NAME, "2024-03-12")

    page.get_by_role("link", name="History").click()
    row = page.locator("main li", has_text=ANOTHER_NAME)
    row.get_by_role("link", name="Stromrechnung Februar 2024").click()
    page.get_by_role("link", name="Undo all of this document").click()
    expect(page.locator("main del", has_text=ANOTHER_NAME)).to_be_visible()
    page.get_by_role("button", name="Take back").click()
    on_page(page, "History")
    page.goto(house.url)
    expect(page.locator("#live .badge.undone").first).to_be_visible(timeout=LONG)

    after = fields_of(house.sandbox, letter)
    assert {key: after[key] for key in ("title", "correspondent", "created", "tags")} == {
        key: before[key] for key in ("title", "correspondent", "created", "tags")
    }


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

    expect(page.locator(".flash")).to_have_text("1 jobs are in the queue again.")
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
def test_a_page_that_is_open_survives_a_restart(house: House, page: Page, *, shares: bool) -> None:
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
