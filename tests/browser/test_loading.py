"""What takes time shows that it is under way, and nothing is sent twice."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, Locator, Page, Route, expect

from sandbox.faults import Delay, Fault, Faults
from tests.browser.page_checks import find_faults
from tests.browser.page_variants import SCHEMES
from tests.browser.sample_dashboard import SampleDashboard

SEND = """(button) => button.isConnected && button.form.dispatchEvent(
    new SubmitEvent("submit", { submitter: button, bubbles: true }))"""
"""As a browser says it, but the page stays, and can be looked at."""
IS_REFRESH = re.compile(r"//[^/]+/$")
"""The address of the overview: its live part is asked for there."""
TESTING = "The test is running. It may take up to a minute."


@pytest.fixture
def sample_dashboard(own_dashboard: SampleDashboard) -> SampleDashboard:
    """Tests of this file change what they look at."""
    return own_dashboard


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(locale="en", viewport={"width": 390, "height": 844})
    yield context.new_page()
    context.close()


@contextmanager
def slow(faults: Faults, path: str) -> Iterator[None]:
    """Let answers be long in coming, until the context ends."""
    faults.add(Fault(path=path, times=None, effect=Delay(seconds=30)))
    try:
        yield
    finally:
        faults.clear()
        faults.release()


def send_form(button: Locator) -> None:
    """Send the form of a button; a refresh may replace the button just after it was found."""
    assert any(button.evaluate(SEND) for _ in range(10))


def find_faults_in_both_themes(page: Page) -> list[str]:
    found = []
    for scheme in SCHEMES:
        page.emulate_media(color_scheme=scheme)
        found += find_faults(page)
    return found


def expect_busy(button: Locator) -> None:
    expect(button).to_be_disabled()
    expect(button).to_have_attribute("aria-busy", "true")


def test_a_test_of_the_model_shows_that_it_works(
    page: Page, sample_dashboard: SampleDashboard
) -> None:
    page.goto(f"{sample_dashboard.url}/settings/home/model")
    button = page.get_by_role("button", name="Test")

    send_form(button)

    expect_busy(button)
    expect(page.get_by_role("status")).to_have_text(TESTING)
    assert find_faults_in_both_themes(page) == []


def test_what_happens_meanwhile_does_not_bring_a_button_back(
    page: Page, sample_dashboard: SampleDashboard
) -> None:
    page.goto(sample_dashboard.url)
    button = page.locator(".instances > li", has_text="attic").get_by_role("button", name="Pause")
    send_form(button)

    page.request.post(f"{sample_dashboard.url}/instances/home/pause", form={"csrf": "mark"})
    page.wait_for_timeout(2_500)

    expect_busy(button)
    page.request.post(f"{sample_dashboard.url}/instances/home/resume", form={"csrf": "mark"})


def test_an_answer_that_was_on_its_way_does_not_bring_a_button_back(
    page: Page, sample_dashboard: SampleDashboard
) -> None:
    refreshes: list[Route] = []

    def keep(route: Route) -> None:
        refreshes.append(route)

    page.goto(sample_dashboard.url)
    page.route(IS_REFRESH, keep)
    button = page.locator(".instances > li", has_text="attic").get_by_role("button", name="Pause")
    page.evaluate("htmx.trigger('#live', 'refresh')")
    send_form(button)

    with page.expect_response(IS_REFRESH) as answer:
        refreshes[0].continue_()
    answer.value.finished()
    page.wait_for_function("!document.querySelector('#live.htmx-request')")

    expect_busy(button)


def test_a_form_is_sent_once_however_often_its_button_is_pressed(
    page: Page, sample_dashboard: SampleDashboard
) -> None:
    sent: list[Route] = []

    def keep(route: Route) -> None:
        sent.append(route)

    page.goto(f"{sample_dashboard.url}/settings/home/paperless")
    page.route("**/settings/home/paperless", keep)
    box = page.get_by_role("button", name="Test").bounding_box()
    assert box is not None

    for _ in range(2):
        page.mouse.click(box["x"] + 20, box["y"] + 20)
        page.wait_for_timeout(500)

    [route] = sent
    route.continue_()
    expect(page.get_by_role("button", name="Test again")).to_be_enabled()


def test_what_a_button_means_is_sent_with_the_form(
    page: Page, sample_dashboard: SampleDashboard
) -> None:
    page.goto(f"{sample_dashboard.url}/settings")

    with page.expect_request("**/preferences") as sent:
        page.get_by_role("button", name="Dark").click()

    assert "theme=dark" in (sent.value.post_data or "")
    expect(page.locator("html[data-theme=dark]")).to_have_count(1)


def test_a_page_that_one_comes_back_to_is_ready(
    page: Page, sample_dashboard: SampleDashboard
) -> None:
    page.goto(f"{sample_dashboard.url}/history")
    button = page.get_by_role("button", name="Apply filter")
    send_form(button)
    expect_busy(button)

    page.evaluate("window.dispatchEvent(new PageTransitionEvent('pageshow', {persisted: true}))")

    expect(button).to_be_enabled()
    expect(button).not_to_have_attribute("aria-busy", "true")
    expect(page.locator("html.going")).to_have_count(0)


def test_a_part_that_comes_later_is_seen_to_come(
    page: Page, sample_dashboard: SampleDashboard
) -> None:
    with slow(sample_dashboard.installation.sandbox.paperless.faults, "/api/documents/.*"):
        page.goto(f"{sample_dashboard.url}/documents/home/34")
        part = page.locator("[id^=why]")

        expect(part).to_have_attribute("aria-busy", "true")
        expect(part.locator("> .button")).to_be_hidden()
        assert find_faults_in_both_themes(page) == []

    expect(part).not_to_have_attribute("aria-busy", "true")
    expect(part.locator("p").first).to_be_visible()
