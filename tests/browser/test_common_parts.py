"""What pages have in common: messages that float, keys, menus, selections, wide screens."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, Response, expect

from tests.browser.page_checks import find_faults, measure_overflow, split_words, watch_page
from tests.browser.sample_dashboard import SampleDashboard

WIDTHS = (360, 390, 768, 1024, 1280, 1920)
_CUT = """(parts) => parts
  .filter((one) => one.scrollWidth > one.clientWidth || one.scrollHeight > one.clientHeight + 1)
  .map((one) => one.textContent)"""
CHANGED = ("overview", "scan-now", "activity", "history", "costs", "account")


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(locale="en", viewport={"width": 1280, "height": 900})
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    yield context.new_page()
    context.close()


def test_a_message_floats_and_can_be_closed(page: Page, own_dashboard: SampleDashboard) -> None:
    page.goto(own_dashboard.url)
    heading = page.get_by_role("heading", level=1)
    place = heading.bounding_box()

    page.locator(".instances > li", has_text="home").get_by_role("button", name="Pause").click()
    message = page.locator(".flash")
    expect(message).to_be_visible()

    assert heading.bounding_box() == place
    assert find_faults(page) == []
    page.get_by_role("link", name="Close message").click()
    expect(message).to_be_hidden()


def test_a_slash_searches_and_a_question_mark_lists_the_keys(
    page: Page, sample_dashboard: SampleDashboard
) -> None:
    page.goto(sample_dashboard.at("review-one"))

    page.keyboard.press("?")
    keys = page.get_by_role("dialog", name="Keyboard shortcuts")
    expect(keys).to_contain_text("Accept")
    expect(keys).to_contain_text("Review list")
    expect(keys).to_contain_text("Show text")
    assert find_faults(page) == []
    page.keyboard.press("Escape")
    expect(keys).to_be_hidden()
    page.keyboard.press("/")
    page.keyboard.type("rechnung")
    page.keyboard.press("Enter")

    expect(page).to_have_url(f"{sample_dashboard.url}/documents?q=rechnung")


def test_a_menu_opens_and_closes_by_keyboard(page: Page, sample_dashboard: SampleDashboard) -> None:
    page.goto(sample_dashboard.at("history"))
    menu = page.locator("details.menu").first
    summary = menu.locator("summary")

    summary.press("Enter")
    expect(menu.get_by_role("link", name="Undo everything in this document")).to_be_visible()
    assert find_faults(page) == []
    page.keyboard.press("Escape")

    expect(menu.get_by_role("link")).to_have_count(0)
    expect(summary).to_be_focused()


def test_selected_jobs_are_counted_and_cancelled(
    page: Page, own_dashboard: SampleDashboard
) -> None:
    page.goto(own_dashboard.at("activity"))
    bar = page.locator(".selection-bar")
    expect(bar).to_be_hidden()

    for title in ("scan_0050", "scan_0051"):
        page.get_by_role("checkbox", name=f"Select {title}").check()
    expect(bar).to_contain_text("2 selected")
    assert find_faults(page) == []
    bar.get_by_role("button", name="Cancel").click()

    expect(page.locator(".flash")).to_have_text("2 jobs cancelled.")


def test_a_scan_is_chosen_by_keyboard(page: Page, own_dashboard: SampleDashboard) -> None:
    page.goto(own_dashboard.url)

    row = page.locator(".instances > li", has_text="home")
    row.get_by_role("link", name="Scan now").press("Enter")
    page.get_by_role("radio", name="Only the newest").press("Space")
    page.get_by_label("Number of documents").fill("3")
    page.get_by_role("button", name="Estimate first").press("Enter")

    expect(page.get_by_role("heading", name="Estimate")).to_be_visible()
    expect(page.get_by_label("Number of documents")).to_have_value("3")
    expect(page.get_by_role("radio", name="Only the newest")).to_be_checked()
    assert find_faults(page) == []


def test_a_new_token_is_copied(page: Page, own_dashboard: SampleDashboard) -> None:
    page.goto(own_dashboard.at("account"))
    page.get_by_label("Name").fill("Backup")
    page.get_by_role("button", name="Create token").click()

    page.get_by_role("button", name="Copy").click()

    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    token = page.locator("#token-text").inner_text()
    assert page.evaluate("navigator.clipboard.readText()") == token


def test_the_action_of_a_message_is_below_its_text_on_a_phone(
    browser: Browser, own_dashboard: SampleDashboard
) -> None:
    page = browser.new_page(locale="de", viewport={"width": 390, "height": 844})
    page.goto(f"{own_dashboard.url}/review/home/35")
    page.get_by_role("button", name="Ablehnen").click()

    text = page.locator(".flash > span").bounding_box()
    undo = page.locator(".flash button").bounding_box()
    page.close()

    assert text is not None
    assert undo is not None
    assert undo["y"] >= text["y"] + text["height"]


@pytest.mark.parametrize(
    ("place", "width", "parts"),
    [
        ("activity", 1280, ".facts-of-run > span"),
        ("job", 390, ".wide"),
        ("review", 390, ".title-line"),
    ],
)
def test_nothing_of_a_list_is_cut(
    page: Page, sample_dashboard: SampleDashboard, place: str, width: int, parts: str
) -> None:
    page.set_viewport_size({"width": width, "height": 844})
    page.goto(sample_dashboard.at(place))

    cut = page.locator(parts).evaluate_all(_CUT)

    assert page.locator(parts).count() > 0
    assert cut == []


@pytest.mark.parametrize("language", ["en", "de"])
def test_pages_fit_every_width(
    browser: Browser, sample_dashboard: SampleDashboard, language: str
) -> None:
    context = browser.new_context(locale=language)
    page = context.new_page()
    with watch_page(page, sample_dashboard.url) as complaints:
        for place in CHANGED:
            page.goto(sample_dashboard.at(place), wait_until="load")
            for width in WIDTHS:
                page.set_viewport_size({"width": width, "height": 900})
                assert measure_overflow(page) <= 0, (place, width)
                broken = split_words(page, "h1, h2, .tabs, .main, .button, button, dt, .badge")
                assert broken == [], (place, width)
    context.close()
    assert complaints == []


def test_a_wide_screen_is_used_up_to_1440_pixels(
    page: Page, sample_dashboard: SampleDashboard
) -> None:
    page.set_viewport_size({"width": 1920, "height": 900})
    page.goto(sample_dashboard.url)

    content = page.locator("main").bounding_box()

    assert content is not None
    assert content["width"] == 1440


def test_the_search_field_shows_its_whole_hint_at_1280_pixels(
    browser: Browser, sample_dashboard: SampleDashboard
) -> None:
    for language in ("en", "de"):
        context = browser.new_context(locale=language, viewport={"width": 1280, "height": 900})
        page = context.new_page()
        page.goto(sample_dashboard.url)
        field = page.locator("#header-search")
        # The hint as a value is as wide as the hint.
        field.evaluate("(field) => { field.value = field.placeholder; }")

        assert field.evaluate("(field) => field.scrollWidth - field.clientWidth") <= 0, language
        context.close()


@pytest.mark.parametrize("place", CHANGED)
def test_a_page_weighs_less_than_150_kilobytes(
    page: Page, sample_dashboard: SampleDashboard, place: str
) -> None:
    answers: list[Response] = []

    def keep(answer: Response) -> None:
        answers.append(answer)

    page.on("response", keep)

    page.goto(sample_dashboard.at(place), wait_until="load")

    own = [
        answer for answer in answers if "text/event-stream" not in answer.headers["content-type"]
    ]
    sizes = {answer.url: len(answer.body()) for answer in own}
    assert sum(sizes.values()) < 150_000, sizes
