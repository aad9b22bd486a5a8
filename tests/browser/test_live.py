"""Pages that follow what happens: many of them, hidden ones, and without any event."""

from collections.abc import Iterator
from datetime import timedelta

import pytest
from playwright.sync_api import (
    APIResponse,
    Browser,
    BrowserContext,
    Page,
    Response,
    Route,
    expect,
)

from tests.browser.sample_dashboard import SampleDashboard
from tests.waiting import LONG_MS

MANY = 8
"""More than the six connections to a host that a browser has."""
LIVE = ("/", "/activity", "/?instance=home", "/activity?instance=home")
ALONE = "delete window.SharedWorker"
BEATING = """EventSource = class {
    addEventListener(topic, tell) {
        if (topic === "beat") setInterval(tell, 1000, { data: '{"apart_ms": 1000}' });
    }
}"""
"""A stream that says nothing but that it lives, by the clock of the page."""
SHOW = """(state) => {
    for (const [name, value] of [["visibilityState", state], ["hidden", state === "hidden"]])
        Object.defineProperty(document, name, { value, configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
}"""
"""Show or hide a page, as a browser does; one without a head shows all of them always."""


@pytest.fixture
def sample_dashboard(own_dashboard: SampleDashboard) -> SampleDashboard:
    """Tests of this file change what they look at."""
    return own_dashboard


@pytest.fixture(params=["one stream for all pages", "one stream for each page"])
def context(request: pytest.FixtureRequest, browser: Browser) -> Iterator[BrowserContext]:
    context = browser.new_context(locale="en")
    if request.param == "one stream for each page":
        context.add_init_script(ALONE)
    yield context
    context.close()


@pytest.fixture
def sharing(browser: Browser) -> Iterator[BrowserContext]:
    context = browser.new_context(locale="en")
    yield context
    context.close()


def open_live(context: BrowserContext, url: str) -> Page:
    """Open a page, and wait until it hears the stream: then it is asked for once more."""
    page = context.new_page()
    with page.expect_response(is_live):
        page.goto(url)
    return page


def is_live(answer: Response) -> bool:
    return "hx-request" in answer.request.headers


def pause_and_resume(page: Page) -> Iterator[bool]:
    """Pause an instance and resume it; yield each time whether it is on hold."""
    row = page.locator(".instances > li", has_text="home")
    for deed, is_paused in (("Pause", True), ("Resume", False)):
        row.get_by_role("button", name=deed).click()
        expect(page.locator(".flash")).to_be_visible()
        yield is_paused


def expect_paused(page: Page, *, is_paused: bool) -> None:
    paused = page.locator(".attention > li, .strip", has_text="paused by admin")
    expect(paused).to_have_count(int(is_paused))


def expect_streams(page: Page, sample_dashboard: SampleDashboard, *pages: int) -> None:
    """Wait until so many streams are open, each for so many pages."""
    for _ in range(int(LONG_MS / 100)):
        if [int(url.partition("pages=")[2] or 1) for url in sample_dashboard.streams.open] == [
            *pages
        ]:
            return
        page.wait_for_timeout(100)
    raise AssertionError(sample_dashboard.streams.open)


def test_the_review_list_follows_decisions_unless_a_row_is_ticked(
    sharing: BrowserContext, sample_dashboard: SampleDashboard
) -> None:
    ticked, other = (open_live(sharing, f"{sample_dashboard.url}/review") for _ in range(2))
    expect(other.locator(".waiting")).to_have_count(9)
    acting = sharing.new_page()
    acting.goto(f"{sample_dashboard.url}/review/home/40")

    tick = ticked.locator(".waiting input[type=checkbox]").first
    tick.check()
    acting.get_by_role("button", name="Reject").click()
    expect(other.locator(".waiting")).to_have_count(8)
    expect(other.locator("#total")).to_have_text("8 documents")
    expect(ticked.locator(".waiting")).to_have_count(9)
    expect(ticked.locator(".selection-bar")).to_contain_text("1 selected")

    tick.uncheck()
    expect(ticked.locator(".waiting")).to_have_count(8)


def test_pages_without_number_are_loaded_and_live(
    sharing: BrowserContext, sample_dashboard: SampleDashboard
) -> None:
    pages = [
        open_live(sharing, sample_dashboard.url + LIVE[number % len(LIVE)])
        for number in range(MANY)
    ]
    acting = sharing.new_page()
    acting.goto(sample_dashboard.url)

    for is_paused in pause_and_resume(acting):
        for page in pages:
            expect_paused(page, is_paused=is_paused)

    expect_streams(acting, sample_dashboard, MANY + 1)
    for page in pages[3:]:
        page.close()
    expect_streams(acting, sample_dashboard, 4)


def test_nobody_listens_for_a_page_that_nobody_looks_at(
    context: BrowserContext, sample_dashboard: SampleDashboard
) -> None:
    page = open_live(context, sample_dashboard.url)
    expect_streams(page, sample_dashboard, 1)

    page.evaluate(SHOW, "hidden")
    expect_streams(page, sample_dashboard)
    acting = context.new_page()
    acting.goto(f"{sample_dashboard.url}/settings")
    acting.request.post(f"{sample_dashboard.url}/instances/home/pause", form={"csrf": "mark"})
    page.wait_for_timeout(2_000)
    expect_paused(page, is_paused=False)

    page.evaluate(SHOW, "visible")
    expect_paused(page, is_paused=True)
    expect_streams(page, sample_dashboard, 1)
    acting.request.post(f"{sample_dashboard.url}/instances/home/resume", form={"csrf": "mark"})
    expect_paused(page, is_paused=False)


def test_a_page_listens_by_itself_when_the_others_cannot_be_asked(
    sharing: BrowserContext, sample_dashboard: SampleDashboard
) -> None:
    sharing.add_init_script("SharedWorker = class { constructor() { throw new Error('no'); } }")

    page = open_live(sharing, sample_dashboard.url)

    expect_streams(page, sample_dashboard, 1)


def test_a_quiet_page_is_asked_for_now_and_then_for_what_comes_with_time(
    sharing: BrowserContext, sample_dashboard: SampleDashboard
) -> None:
    sharing.add_init_script(f"{ALONE}; {BEATING}")
    page = sharing.new_page()
    page.clock.install()
    with page.expect_response(is_live):
        page.goto(sample_dashboard.url)
        page.clock.run_for(2_000)
    expect(page.locator("#live.htmx-request")).to_have_count(0)
    sample_dashboard.life.silent = timedelta(minutes=5)

    page.clock.run_for(62_000)

    expect(
        page.locator(".attention > .bad", has_text="has not responded for several minutes")
    ).to_be_visible()


def test_what_happens_while_an_answer_is_on_its_way_is_not_missed(
    sharing: BrowserContext, sample_dashboard: SampleDashboard
) -> None:
    page = open_live(sharing, sample_dashboard.url)
    late: list[tuple[Route, APIResponse]] = []

    def keep_back(route: Route) -> None:
        if late:
            route.continue_()
        else:
            late.append((route, route.fetch()))

    page.route(f"{sample_dashboard.url}/", keep_back)
    page.evaluate(SHOW, "visible")
    while not late:
        page.wait_for_timeout(100)
    page.request.post(f"{sample_dashboard.url}/instances/home/pause", form={"csrf": "mark"})
    page.wait_for_timeout(3_000)

    # It shows that it has not been answered for long.
    expect(page.locator("body.slow")).to_have_count(1)
    [(route, answer)] = late
    route.fulfill(response=answer)

    expect_paused(page, is_paused=True)
    expect(page.locator("body.slow")).to_have_count(0)
    page.request.post(f"{sample_dashboard.url}/instances/home/resume", form={"csrf": "mark"})
    expect_paused(page, is_paused=False)


def test_what_a_job_offers_follows_its_state(
    sharing: BrowserContext, sample_dashboard: SampleDashboard
) -> None:
    watching, acting = sharing.new_page(), sharing.new_page()
    acting.goto(f"{sample_dashboard.url}/jobs/22")
    acting.get_by_role("button", name="Retry").click()
    watching.goto(f"{sample_dashboard.url}/jobs/22")
    watching.get_by_text("Raw data (JSON)").click()
    facts = watching.locator("pre")
    expect(facts).to_be_visible()
    expect(watching.get_by_role("button", name="Cancel")).to_be_visible()

    acting.get_by_role("button", name="Cancel").click()

    expect(watching.locator("main .badge").first).to_have_text("cancelled")
    expect(watching.get_by_role("button", name="Cancel")).to_have_count(0)
    expect(watching.get_by_role("button", name="Retry")).to_be_visible()
    # What was open stays open.
    expect(facts).to_be_visible()


def test_scans_follow_what_happens(
    sharing: BrowserContext, sample_dashboard: SampleDashboard
) -> None:
    watching, acting = sharing.new_page(), sharing.new_page()
    watching.goto(f"{sample_dashboard.url}/activity/scans?empty=yes")
    scans = watching.get_by_label("Scans").locator("li")
    listed = scans.count()
    acting.goto(sample_dashboard.url)
    row = acting.locator(".instances > li", has_text="home")

    row.get_by_role("link", name="Scan now").click()
    acting.get_by_role("button", name="Scan now").click()

    expect(scans).to_have_count(listed + 1)


def test_the_number_of_unread_notifications_follows_what_is_read(
    sample_dashboard: SampleDashboard, sharing: BrowserContext
) -> None:
    seen = open_live(sharing, f"{sample_dashboard.url}/activity")
    expect(seen.locator("#unread")).to_have_text("2 unread")
    reader = sharing.new_page()
    reader.goto(f"{sample_dashboard.url}/notifications")

    reader.get_by_role("button", name="Mark as read").first.click()

    expect(reader.locator("#unread")).to_have_text("1 unread")
    expect(seen.locator("#unread")).to_have_text("1 unread", timeout=LONG_MS)


def test_counts_and_holds_of_activity_follow_what_happens(
    sharing: BrowserContext, sample_dashboard: SampleDashboard
) -> None:
    watching, acting = sharing.new_page(), sharing.new_page()
    watching.goto(f"{sample_dashboard.url}/activity")
    pending = watching.get_by_role("link", name="pending").inner_text()
    acting.goto(sample_dashboard.url)
    row = acting.locator(".instances > li", has_text="home")

    row.get_by_role("button", name="Pause").click()
    paused = watching.locator(".attention > li, .strip", has_text="paused by admin")
    expect(paused).to_be_visible()
    row.get_by_role("button", name="Resume").click()
    expect(paused).to_have_count(0)
    acting.goto(f"{sample_dashboard.url}/documents/home/18")
    acting.get_by_role("button", name="Process").click()

    expect(watching.get_by_role("link", name="pending")).not_to_have_text(pending)


def test_the_page_of_a_document_follows_it_and_keeps_what_stays(
    sharing: BrowserContext, sample_dashboard: SampleDashboard
) -> None:
    watching, acting = (
        open_live(sharing, f"{sample_dashboard.url}/documents/home/17"),
        sharing.new_page(),
    )
    state = watching.locator("#live .card p .badge").first
    before = state.inner_text()
    expect(watching.locator("[id^=why] p")).to_be_visible()
    watching.evaluate("document.getElementById('picture').kept = true")
    asked: list[str] = []
    watching.on(
        "request", lambda request: asked.append(request.url.partition("/documents/home/17")[2])
    )
    acting.goto(f"{sample_dashboard.url}/documents/home/17")

    acting.get_by_role("button", name="Process again").click()

    expect(state).to_have_text("queued")
    expect(watching.locator("[id^=why]")).to_contain_text("it is in the queue")
    assert before != "queued"
    assert watching.evaluate("document.getElementById('picture').kept")
    assert (asked.count("/why"), asked.count("/thumbnail")) == (1, 0)
