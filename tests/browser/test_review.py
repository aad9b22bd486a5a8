"""Review in a browser, by mouse and by keyboard: one document, and the list."""

import re

import pytest
from playwright.sync_api import Browser, Page, Response, expect

from tests.browser.page_checks import find_faults, watch_page
from tests.browser.sample_dashboard import SampleDashboard

LETTER = "/review/home/34"
DOUBTFUL = "/review/home/40"
ASKED = "Failed to load resource: the server responded with a status of 409 (Conflict)"
"""What the browser logs of a page that asks before something is done."""


@pytest.fixture
def sample_dashboard(own_dashboard: SampleDashboard) -> SampleDashboard:
    """Tests of this file change what they look at."""
    return own_dashboard


def open_page(page: Page, sample_dashboard: SampleDashboard, path: str) -> None:
    page.goto(sample_dashboard.url + path, wait_until="load")


def test_a_field_leads_to_its_evidence_and_back(
    page: Page, sample_dashboard: SampleDashboard
) -> None:
    open_page(page, sample_dashboard, LETTER)
    expect(page.locator(".document-text")).to_be_hidden()

    page.get_by_role("group", name="date", exact=True).locator(".evidence a").click()

    mark = page.locator(".mark-label", has_text="date")
    expect(page.locator(".document-text")).to_be_visible()
    expect(mark).to_be_in_viewport()
    expect(mark).to_be_focused()
    mark.press("Enter")
    expect(page.get_by_label("Suggestion: date")).to_be_focused()
    assert find_faults(page) == []


def test_tags_are_chips_that_are_added_and_removed(
    page: Page, sample_dashboard: SampleDashboard
) -> None:
    open_page(page, sample_dashboard, LETTER)
    sent = page.locator("input[name='value:tags']")
    expect(page.locator("button.chip")).to_have_text(["Strom ×"])

    typing = page.get_by_label("Add a tag")
    typing.fill("Wohnen")
    typing.press("Enter")
    typing.fill("Miete,")
    typing.press(",")

    expect(page.locator("button.chip")).to_have_text(["Strom ×", "Wohnen ×", "Miete ×"])
    page.get_by_role("button", name="Remove Strom").click()
    expect(sent).to_have_value("Wohnen, Miete")
    typing.press("Backspace")
    expect(sent).to_have_value("Wohnen")
    assert find_faults(page) == []


def test_a_name_that_would_be_created_is_called_new_while_it_is_typed(
    page: Page, sample_dashboard: SampleDashboard
) -> None:
    open_page(page, sample_dashboard, LETTER)
    field = page.get_by_role("group", name="correspondent", exact=True)
    typing = field.locator("input[name='value:correspondent']")

    typing.fill("Stadtwerke Nirgendwo")

    expect(field.locator(".new-name-typed")).to_be_visible()
    typing.fill("autohaus seidel")
    expect(field.locator(".new-name-typed")).to_be_hidden()
    expect(field.locator("datalist option")).to_have_count(1)


def test_a_typed_name_is_created_after_a_question(
    browser: Browser, sample_dashboard: SampleDashboard
) -> None:
    page = browser.new_page(locale="en")
    name = "Stadtwerke Nirgendwo"
    heading = page.get_by_role("heading", level=1)
    typing = page.locator("input[name='value:correspondent']")

    with watch_page(page, sample_dashboard.url) as complaints:
        open_page(page, sample_dashboard, LETTER)
        typing.fill(name)
        page.get_by_role("button", name=re.compile("^Accept")).first.click()
        expect(heading).to_have_text("Create new names?")
        expect(page.locator(".rows li b")).to_have_text([name])
        assert find_faults(page) == []
        page.get_by_role("link", name="Back").click()
        expect(page).to_have_url(re.compile(LETTER))
        expect(typing).to_have_value(name)
        page.keyboard.press("a")
        expect(heading).to_have_text("Create new names?")
        page.get_by_role("button", name="Create and accept").click()
        expect(page).to_have_url(re.compile(r"/review/home/35"))
        expect(page.locator(".flash span").first).to_contain_text(f"“{name}” will be created.")

    assert complaints == [ASKED, ASKED]
    page.close()


def test_an_alternative_takes_the_place_of_the_suggestion(
    page: Page, sample_dashboard: SampleDashboard
) -> None:
    open_page(page, sample_dashboard, LETTER)

    page.get_by_role("link", name="14 Nov 2026").click()

    expect(page.get_by_label("Suggestion: date")).to_have_value("2026-11-14")


def test_the_keys_are_listed_and_lead_through_review(
    page: Page, sample_dashboard: SampleDashboard
) -> None:
    open_page(page, sample_dashboard, LETTER)

    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_contain_text("Accept")
    assert find_faults(page) == []
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.keyboard.press("e")
    expect(page.get_by_label("Suggestion: title")).to_be_focused()
    page.keyboard.type("Mein ")
    page.keyboard.press("Escape")
    page.keyboard.press("a")

    expect(page).to_have_url(re.compile(r"/review/home/35"))
    expect(page.locator(".flash span").first).to_have_text("home/34: 3 accepted.")
    page.keyboard.press("u")
    expect(page).to_have_url(re.compile(LETTER))
    expect(page.locator(".flash")).to_contain_text("3 changes are for review again.")
    expect(page.get_by_label("Suggestion: title")).to_have_value("Stromrechnung Oktober 2026")
    page.keyboard.press("s")
    expect(page).to_have_url(re.compile(r"/review/home/35"))
    page.keyboard.press("x")
    expect(page.locator(".flash")).to_contain_text("home/35 left unchanged.")


def test_a_slash_searches_in_the_list_of_review(
    page: Page, sample_dashboard: SampleDashboard
) -> None:
    open_page(page, sample_dashboard, "/review")

    page.keyboard.press("/")
    expect(page.get_by_label("Search in review")).to_be_focused()
    page.keyboard.type("quotation")
    page.keyboard.press("Enter")

    expect(page.locator("a.doc")).to_have_text(["Q-4410"])
    page.locator("a.doc").click()
    expect(page.locator(".crumb")).to_contain_text("1 of 1")
    page.keyboard.press("l")
    expect(page).to_have_url(re.compile(r"/review\?q=quotation"))


def test_select_all_leaves_out_what_needs_a_closer_look(
    page: Page, sample_dashboard: SampleDashboard
) -> None:
    open_page(page, sample_dashboard, "/review")
    bar = page.locator(".selection-bar")
    expect(bar).to_be_hidden()

    page.get_by_label("Select all that passed every check").check()

    selected = page.locator("input[name=document]:checked").count()
    assert 0 < selected < page.locator("input[name=document]").count()
    assert page.locator(".unclear input:checked").count() == 0
    expect(bar).to_contain_text(f"{selected} selected")
    expect(bar).to_be_in_viewport()
    assert find_faults(page) == []


def test_documents_with_doubts_are_accepted_after_a_question_by_reason(
    page: Page, sample_dashboard: SampleDashboard
) -> None:
    open_page(page, sample_dashboard, "/review")
    before = page.locator("input[name=document]").count()
    page.get_by_label("Select Q-4410").check()
    page.locator("input[name=document]").first.check()

    page.locator(".selection-bar").get_by_role("button", name="Accept").click()

    expect(page.locator("h1")).to_have_text("Accept 2 documents?")
    expect(page.locator("h2", has_text="The date is in the future")).to_be_visible()
    assert find_faults(page) == []
    page.get_by_role("button", name="Accept all 2 documents").click()
    expect(page.locator(".flash")).to_contain_text("2 documents accepted.")
    expect(page.locator("input[name=document]")).to_have_count(before - 2)
    page.get_by_role("button", name="Undo").click()
    expect(page.locator("input[name=document]")).to_have_count(before)


def test_the_list_is_walked_by_keyboard(page: Page, sample_dashboard: SampleDashboard) -> None:
    open_page(page, sample_dashboard, "/review")
    first = page.locator("a.doc").first.get_attribute("href")
    assert first
    for key in "jjx":
        page.keyboard.press(key)

    expect(page.locator("input[name=document]").nth(1)).to_be_checked()
    expect(page.locator("a.doc").nth(1)).to_be_focused()
    page.keyboard.press("k")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(f"{re.escape(first)}$"))


def test_rows_stay_as_dense_as_they_were_chosen(
    page: Page, sample_dashboard: SampleDashboard
) -> None:
    open_page(page, sample_dashboard, "/review")
    dense = page.locator(".review-list").bounding_box()

    page.get_by_role("link", name="Comfortable").click()
    expect(page.locator(".review-list.comfortable")).to_be_visible()
    comfortable = page.locator(".review-list").bounding_box()
    open_page(page, sample_dashboard, "/review")

    expect(page.locator(".review-list.comfortable")).to_be_visible()
    assert dense is not None
    assert comfortable is not None
    assert comfortable["height"] > dense["height"]


def test_sixteen_documents_fit_on_a_phone(page: Page, sample_dashboard: SampleDashboard) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    open_page(page, sample_dashboard, "/review")

    rows = [row.bounding_box() for row in page.locator(".review-list .waiting").all()]
    heights = [row["height"] for row in rows if row]
    missing = 16 - len(heights)
    whole = page.evaluate("document.documentElement.scrollHeight") + missing * max(heights)
    assert whole < 2_500


@pytest.mark.parametrize("path", ["/review", LETTER, DOUBTFUL])
def test_a_page_of_review_is_light(
    page: Page, sample_dashboard: SampleDashboard, path: str
) -> None:
    sizes: dict[str, int] = {}
    page.on("response", lambda answer: sizes.update(_size(answer)))
    open_page(page, sample_dashboard, path)

    assert sum(sizes.values()) < 150_000, sizes


def _size(answer: Response) -> dict[str, int]:
    """Return the bytes of pages, styles and scripts."""
    kind = answer.headers.get("content-type", "")
    is_counted = re.match("text/html|text/css|text/javascript|application/javascript", kind)
    return {answer.url: len(answer.body())} if is_counted and answer.status == 200 else {}
