"""From the click on a page to what is in the store."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.live_changes import BY_STREAM_ALONE
from tests.browser.proxy import Trouble, bad_proxy
from tests.browser.sample_dashboard import SampleDashboard


@pytest.fixture
def sample_dashboard(own_dashboard: SampleDashboard) -> SampleDashboard:
    """Tests of this file change what they look at."""
    return own_dashboard


@pytest.fixture(params=["with script", "without script"])
def page(request: pytest.FixtureRequest, browser: Browser) -> Iterator[Page]:
    scripted = request.param == "with script"
    context = browser.new_context(java_script_enabled=scripted, locale="en")
    yield context.new_page()
    context.close()


def test_an_instance_is_paused_and_resumed(page: Page, sample_dashboard: SampleDashboard) -> None:
    page.goto(sample_dashboard.url)
    row = page.locator(".instances > li", has_text="home")

    row.get_by_role("button", name="Pause").click()
    expect(page.locator(".flash")).to_have_text("home paused.")
    row.get_by_role("button", name="Resume").click()

    expect(page.locator(".flash")).to_have_text("home resumed.")
    page.reload()
    expect(page.locator(".flash")).to_have_count(0)


def test_a_costly_scan_is_confirmed(page: Page, sample_dashboard: SampleDashboard) -> None:
    page.goto(sample_dashboard.url)
    row = page.locator(".instances > li", has_text="attic")

    row.get_by_role("link", name="Scan now").click()
    page.get_by_role("button", name="Scan now").click()
    expect(page.get_by_text("more than you allow without asking")).to_be_visible()
    page.get_by_role("button", name="Scan now").click()

    expect(page.locator(".flash")).to_have_text("Scan of attic requested.")
    page.goto(f"{sample_dashboard.url}/activity/scans?instance=attic&empty=yes")
    expect(page.get_by_text("confirmed by admin")).to_be_visible()


def test_a_failed_job_is_started_again_and_cancelled(
    page: Page, sample_dashboard: SampleDashboard
) -> None:
    page.goto(f"{sample_dashboard.url}/jobs/22")

    page.get_by_role("button", name="Retry").click()
    expect(page.locator(".flash")).to_have_text("Job queued again.")
    page.get_by_role("button", name="Cancel").click()

    expect(page.locator(".flash")).to_have_text("Job cancelled.")


def test_a_value_that_makes_no_sense_is_refused_with_words(
    page: Page, sample_dashboard: SampleDashboard
) -> None:
    page.goto(f"{sample_dashboard.url}/review/home/14")

    page.get_by_label("Suggestion: title").fill("x" * 300)
    page.get_by_role("button", name="Accept").click()

    expect(page.get_by_role("alert").first).to_contain_text("This value cannot be written.")


def test_what_happens_elsewhere_is_sent_by_the_stream(
    browser: Browser, sample_dashboard: SampleDashboard
) -> None:
    watching, acting = (browser.new_context(locale="en").new_page() for _ in range(2))
    watching.add_init_script(BY_STREAM_ALONE)
    with watching.expect_response(lambda answer: "hx-request" in answer.request.headers):
        watching.goto(sample_dashboard.url)
    home = watching.locator(".instances > li", has_text="home")
    (before,) = re.findall(r"(\d+) in the queue", home.inner_text())
    acting.goto(f"{sample_dashboard.url}/documents/home/12")

    acting.get_by_role("button", name="Process").click()

    # The page is not loaded again: the number of jobs that wait is another one.
    expect(home).to_contain_text(f"{int(before) + 1} in the queue")
    watching.context.close()
    acting.context.close()


@pytest.mark.parametrize("trouble", Trouble)
def test_a_page_behind_a_proxy_that_breaks_the_stream_asks_again_by_itself(
    browser: Browser, sample_dashboard: SampleDashboard, trouble: Trouble
) -> None:
    with bad_proxy(sample_dashboard.url, trouble) as proxy:
        watching, acting = (browser.new_context(locale="en").new_page() for _ in range(2))
        watching.goto(proxy.url)
        acting.goto(sample_dashboard.url)
        for deed, then in (("Pause", "Resume"), ("Resume", "Pause")):
            pressed = acting.locator(".instances > li", has_text="home")
            pressed.get_by_role("button", name=deed).click()
            row = watching.locator(".instances > li", has_text="home")
            expect(row.get_by_role("button", name=then)).to_be_visible()
        expect(watching.locator("#away")).to_be_hidden()
        watching.context.close()
        acting.context.close()


def test_an_undo_is_shown_before_it_is_done(page: Page, sample_dashboard: SampleDashboard) -> None:
    page.goto(f"{sample_dashboard.url}/undo?document=home/14")

    expect(page.locator("main")).to_contain_text("2 fields of 1 document")
    expect(page.get_by_role("button", name="Undo")).to_be_visible()
