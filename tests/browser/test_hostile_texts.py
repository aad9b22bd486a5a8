"""Whatever documents, models, names and errors say is shown as text, and does nothing."""

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser import hostile_texts
from tests.browser.hostile_texts import HOSTILE_TEXT, MARK
from tests.browser.page_checks import measure_overflow, watch_page
from tests.browser.page_paths import PLACES
from tests.browser.sample_dashboard import Contents, SampleDashboard, running_dashboard

SAID = quote(HOSTILE_TEXT)
ASKED = {
    "search": f"/documents?q={quote(HOSTILE_TEXT[:190])}",
    "filters": f"/activity?status={SAID}&cause={SAID}&instance={SAID}",
    "span": f"/history?since={SAID}&until={SAID}&instance={SAID}",
    "month": f"/costs?month={SAID}",
    "no page": f"/{SAID}",
    "no document": f"/documents/{SAID}/1",
    "no number": f"/jobs/{SAID}",
    "undo of nothing": f"/undo?document={SAID}",
    "link": f"/welcome?link={SAID}",
    "going on": f"/login?next={SAID}",
    "going away": "/login?next=javascript:window.ran=1",
}
"""What a link that someone was sent may ask for."""
_SAY_NOTHING = {
    *("costs-empty", "login", "welcome", "welcome-too-late", "error", "document-unseen"),
    *("job-deleted", "notifications", "scan-now", "settings-edit", "webhook", "add-instance"),
    *(
        "test-model",
        "filters",
        "span",
        "month",
        "no page",
        "no document",
        "no number",
        "undo of nothing",
    ),
    *("link", "going on", "going away"),
}
"""Pages that have nothing hostile to show."""
_MOVED = {
    "/jobs/18": "/jobs/1",
    "/jobs/20": "/jobs/1",
    "/jobs/22": "/jobs/2",
    "/review/home/40": "/review/home/34",
    "q=rechnung": "q=window",
}
_FOREIGN = """() => {
  const isEvil = ({ name }) => name.startsWith("on") || name === "evil";
  const all = [...document.querySelectorAll("*")];
  const evil = all.filter((element) => [...element.attributes].some(isEvil));
  const links = all.filter((element) => element.protocol === "javascript:");
  const made = document.querySelectorAll("main script, main style, main svg:not(.icon, .plot *)");
  return [...evil, ...links, ...made].map((element) => element.outerHTML.slice(0, 200));
}"""


HOSTILE = Contents(hostile_texts.prepare, hostile_texts.fill, hostile_texts.LONG)


@pytest.fixture(scope="module")
def sample_dashboard(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SampleDashboard]:
    with running_dashboard(tmp_path_factory.mktemp("evil"), HOSTILE) as sample_dashboard:
        yield sample_dashboard


@pytest.fixture(scope="module")
def page(browser: Browser) -> Iterator[Page]:
    """One page for all tests: opening another takes longer than a test."""
    page = browser.new_page(locale="en", viewport={"width": 390, "height": 844})
    yield page
    page.close()


@pytest.fixture
def complaints(page: Page, sample_dashboard: SampleDashboard) -> Iterator[list[str]]:
    """Gather what must not be: errors, dialogs, requests to others."""
    with watch_page(page, sample_dashboard.url, sample_dashboard.setup_url) as found:
        yield found


def _address(sample_dashboard: SampleDashboard, place: str) -> str:
    """Return where a page of the other dashboard is on this one."""
    if place in ASKED:
        return sample_dashboard.url + ASKED[place]
    address = sample_dashboard.at(place)
    for before, after in _MOVED.items():
        address = address.replace(before, after)
    return address


@pytest.mark.parametrize("place", [*PLACES, *ASKED])
def test_a_page_shows_what_means_no_good_as_text(
    page: Page, sample_dashboard: SampleDashboard, complaints: list[str], place: str
) -> None:
    answer = page.goto(_address(sample_dashboard, place), wait_until="load")
    expect(page.locator("[hx-trigger=load] > .button")).to_have_count(0)

    assert answer is not None
    assert answer.status < 500
    assert page.evaluate("window.ran") is None
    assert page.evaluate(_FOREIGN) == []
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 844})
        assert measure_overflow(page) <= 0, width
    assert complaints == []
    if place not in _SAY_NOTHING:
        shown = page.locator("main")
        typed = shown.locator("input").evaluate_all("all => all.map(input => input.value).join()")
        assert MARK in shown.inner_text() + typed, "nothing hostile to show? see _SAY_NOTHING"
    # What turns the direction of writing round would turn our own words round, too.
    assert "\u202e" not in page.content()


def test_what_was_done_is_described_in_words_that_run_nothing(
    page: Page, sample_dashboard: SampleDashboard, complaints: list[str]
) -> None:
    for said in (HOSTILE_TEXT, f"!{HOSTILE_TEXT}"):
        flash = quote(said[:300])
        page.context.add_cookies([{"name": "flash", "value": flash, "url": sample_dashboard.url}])
        page.goto(f"{sample_dashboard.url}/settings")

        expect(page.locator("main > .toast")).to_contain_text(MARK)
        assert page.evaluate("window.ran") is None
        assert page.evaluate(_FOREIGN) == []
    assert complaints == []


def test_a_hostile_token_can_be_revoked(page: Page, tmp_path: Path) -> None:
    with (
        running_dashboard(tmp_path, HOSTILE) as sample_dashboard,
        watch_page(page, sample_dashboard.url) as complaints,
    ):
        page.goto(f"{sample_dashboard.url}/account")
        page.get_by_role("button", name="Revoke").click()

        expect(page.locator(".flash")).to_contain_text(MARK)
        expect(page.get_by_role("button", name="Revoke")).to_have_count(0)
    assert complaints == []
