"""Pages with nothing to show, and pages of which a part cannot be had."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, Page, expect

from daemon.services import Services
from sandbox import Sandbox
from sandbox.faults import Answer, Fault
from store.engine import FILE_NAME
from tests.browser.page_checks import find_faults, watch_page
from tests.browser.sample_dashboard import Contents, SampleDashboard, running_dashboard
from tests.installation import Installation
from tests.store.builders import FakeClock

EMPTY = {
    "overview": "Nothing is running, and the queue is empty.",
    "review": "All done. Nothing to review.",
    "names": "No new names to review.",
    "learnt": "Nothing learnt yet.",
    "activity": "No jobs yet. Scans add jobs for new documents.",
    "failed": "No matching jobs.",
    "documents": "No matching documents.",
    "document-unseen": "No jobs yet.",
    "history": "Nothing has been written yet.",
    "costs": "No model calls in this month.",
    "account": "No API tokens yet.",
    "login": "No password has been set yet.",
}
"""What a page says that has nothing to show."""
DOWN = {
    "review-one": "Paperless is currently unreachable",
    "review-text": "Paperless is currently unreachable",
    "document": "Paperless is currently unreachable",
    "undo": "Paperless is currently unreachable",
    "job-prompt": "Paperless is currently unreachable",
}
"""What a page says that needs Paperless for a part of it."""


def _configure(installation: Installation, _: Sandbox) -> None:
    installation.configure()


async def _nothing(services: Services, sandbox: Sandbox, clock: FakeClock) -> str:
    return ""


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SampleDashboard]:
    with running_dashboard(
        tmp_path_factory.mktemp("empty"), Contents(_configure, _nothing)
    ) as sample_dashboard:
        yield sample_dashboard


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(locale="en", viewport={"width": 390, "height": 844})
    yield context.new_page()
    context.close()


@contextmanager
def without_paperless(sample_dashboard: SampleDashboard) -> Iterator[None]:
    down = Fault(path="/api/.*", times=None, effect=Answer(status=503))
    faults = sample_dashboard.installation.sandbox.paperless.faults
    faults.add(down)
    try:
        yield
    finally:
        faults.clear()


@contextmanager
def without_database(sample_dashboard: SampleDashboard) -> Iterator[None]:
    file = sample_dashboard.installation.data / FILE_NAME
    away = file.rename(file.with_suffix(".away"))
    try:
        yield
    finally:
        away.rename(file)


@pytest.mark.parametrize("place", EMPTY)
def test_a_page_with_nothing_to_show_says_so(
    page: Page, empty: SampleDashboard, place: str
) -> None:
    with watch_page(page, empty.url) as complaints:
        page.goto(empty.at(place), wait_until="load")

        expect(page.locator("main")).to_contain_text(EMPTY[place])
        assert find_faults(page) == []
    assert complaints == []


@pytest.mark.parametrize("place", DOWN)
def test_a_page_says_what_it_cannot_show_while_paperless_is_away(
    page: Page, sample_dashboard: SampleDashboard, place: str
) -> None:
    with without_paperless(sample_dashboard):
        page.goto(sample_dashboard.at(place), wait_until="load")

        expect(page.locator("main")).to_contain_text(DOWN[place])


def test_one_can_decide_while_paperless_is_away(page: Page, own_dashboard: SampleDashboard) -> None:
    with without_paperless(own_dashboard):
        page.goto(f"{own_dashboard.url}/review/home/35")
        page.get_by_role("button", name="Reject").click()

        expect(page.locator(".flash > span")).to_have_text("home/35 left unchanged.")


def test_without_its_database_it_says_so_and_an_open_page_goes_on(
    page: Page, empty: SampleDashboard
) -> None:
    with page.expect_response(lambda answer: "hx-request" in answer.request.headers):
        # From here on the page hears the stream, and asks only when it tells something.
        page.goto(empty.url)
    with without_database(empty):
        expect(page.locator("#away")).to_be_visible()
        other = page.context.new_page()
        answer = other.goto(f"{empty.url}/review")

        assert answer is not None
        assert answer.status == 503
        expect(other.locator("h1")).to_have_text("Something went wrong")
        expect(other.locator("main")).to_contain_text("No documents are lost")

    expect(page.locator("#away")).to_be_hidden()
