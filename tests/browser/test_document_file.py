"""The file of a document beside its review, in the browser's own viewer of PDFs."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, Playwright, Request, expect

from tests.browser.chromium import launched_chromium
from tests.browser.sample_dashboard import SampleDashboard

LETTER = "/review/home/34"
PAGE_IN_A_PDF = b"%PDF-1.4\n<!doctype html><script>parent.ran = 1; alert(1)</script>"


@pytest.fixture(scope="module")
def browser(playwright: Playwright) -> Iterator[Browser]:
    with launched_chromium(playwright, shows_pdfs=True) as browser:
        yield browser


def test_the_document_is_shown_by_the_browsers_own_viewer(
    page: Page, own_dashboard: SampleDashboard
) -> None:
    with page.expect_response(re.compile("/documents/home/34/file")) as sent:
        page.goto(own_dashboard.url + LETTER, wait_until="load")

    frame = page.locator("iframe")
    expect(frame).to_be_visible()
    assert frame.get_attribute("sandbox") is None
    assert sent.value.headers["content-type"] == "application/pdf"
    expect(page.locator(".first-page")).to_be_hidden()


def test_a_phone_gets_a_picture_and_a_link_instead(
    browser: Browser, own_dashboard: SampleDashboard
) -> None:
    asked: list[str] = []

    def note(request: Request) -> None:
        asked.append(request.url)

    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True)
    page = context.new_page()
    page.on("request", note)
    page.goto(own_dashboard.url + LETTER, wait_until="load")

    expect(page.locator(".first-page img")).to_be_visible()
    expect(page.locator("iframe")).to_be_hidden()
    expect(page.get_by_role("link", name="Open file")).to_be_visible()
    assert [address for address in asked if "/file" in address] == []
    context.close()


def test_a_page_that_pretends_to_be_a_pdf_runs_nothing(
    page: Page, own_dashboard: SampleDashboard
) -> None:
    letter = own_dashboard.installation.sandbox.world.documents[34]
    letter.original = PAGE_IN_A_PDF

    with page.expect_response(re.compile("/documents/home/34/file")) as sent:
        page.goto(own_dashboard.url + LETTER, wait_until="load")
    page.wait_for_timeout(1_000)

    # A dialog would be a complaint of the fixture.
    assert sent.value.headers["content-type"] == "application/pdf"
    assert page.evaluate("window.ran") is None


def test_a_wide_screen_shows_the_file_beside_its_evidence(
    page: Page, own_dashboard: SampleDashboard
) -> None:
    page.set_viewport_size({"width": 1920, "height": 1080})
    page.goto(own_dashboard.url + LETTER, wait_until="load")

    page.get_by_role("group", name="date", exact=True).locator(".evidence a").click()

    expect(page.locator(".document-text")).to_be_visible()
    expect(page.locator("iframe")).to_be_visible()
