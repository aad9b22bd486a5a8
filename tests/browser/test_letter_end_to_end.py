"""A letter from scan to undo with a real daemon, on a wide screen and on a phone, step by step."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.logged_in_daemon import LETTER, LoggedInDaemon
from tests.browser.visitor import DESKTOP, PHONE, Device, Visitor, open_visitor
from tests.installation import MODEL_BLOCKED, fields_of

ANOTHER_NAME = "Deutsche Telekontakt"
HERE = ("title", "correspondent", "document_type", "tags", "created")
UNCERTAIN = LETTER.replace("12.03.2024", "12.03.2099")
"""A letter whose date lies in the future: it needs a review."""


@pytest.fixture
def device() -> Device:
    return DESKTOP


@pytest.fixture
def visitor(
    logged_in_daemon: LoggedInDaemon, browser: Browser, device: Device
) -> Iterator[Visitor]:
    with open_visitor(logged_in_daemon, browser, device) as visitor:
        yield visitor


def bring(logged_in_daemon: LoggedInDaemon, visitor: Visitor, *letters: str) -> list[int]:
    """Put letters into Paperless, have them looked for, and wait until they wait for review."""
    found = [
        logged_in_daemon.sandbox.world.add_document(letter, f"{visitor.language}_{number}.pdf").id
        for number, letter in enumerate(letters)
    ]
    visitor.follow(visitor.page.get_by_role("link", name=visitor.translator.text("Scan now")))
    visitor.press("Scan now", "Scan of {name} requested.", name="home")
    for letter in found:
        logged_in_daemon.log.wait_for_match(
            rf"job completed.* kind=analyze .*document=home/{letter}\b"
        )
    return found


def written(logged_in_daemon: LoggedInDaemon, letter: int) -> list[object]:
    """Wait until what was accepted is in Paperless; return what it has."""
    logged_in_daemon.log.wait_for_match(rf"job completed.* kind=apply .*document=home/{letter}\b")
    return here(logged_in_daemon, letter)


def here(logged_in_daemon: LoggedInDaemon, letter: int) -> list[object]:
    fields = fields_of(logged_in_daemon.sandbox, letter)
    return [fields[name] for name in HERE]


@pytest.mark.parametrize("device", [DESKTOP, PHONE], ids=str)
def test_a_letter_appears_moves_waits_is_edited_accepted_and_undone(
    logged_in_daemon: LoggedInDaemon, visitor: Visitor
) -> None:
    page, say, name = visitor.page, visitor.translator.text, f"scan_{visitor.language}"
    logged_in_daemon.sandbox.model.state.faults.add(MODEL_BLOCKED)
    letter = logged_in_daemon.sandbox.world.add_document(LETTER, f"{name}.pdf").id
    before = here(logged_in_daemon, letter)

    visitor.follow(visitor.page.get_by_role("link", name=visitor.translator.text("Scan now")))
    visitor.press("Scan now", "Scan of {name} requested.", name="home")
    page.evaluate("window.isTheSame = true")
    expect(page.locator("section[aria-labelledby=running]")).to_contain_text(name)
    visitor.check_page()
    logged_in_daemon.sandbox.model.state.faults.clear()
    expect(page.locator("#for-review")).to_have_text(f"1 {say('for review')}")
    visitor.check_page()
    assert page.evaluate("window.isTheSame"), "the page was loaded again"

    visitor.follow(page.locator("nav.main a[href='/review']"))
    visitor.follow(page.locator("main").get_by_role("link", name=name).first)
    named = page.get_by_label(f"{say('Suggestion')}: {say('correspondent')}")
    options = page.locator(f"datalist#{named.get_attribute('list')} option")
    expect(options.and_(page.locator(f"[value='{ANOTHER_NAME}']"))).to_have_count(1)
    named.fill(ANOTHER_NAME)
    taken = visitor.translator.plural("{n} accepted", "{n} accepted", 5)
    visitor.press("Accept", "{ref}: {what}.", ref=f"home/{letter}", what=taken)

    page.goto(logged_in_daemon.url)
    changes = page.locator("section[aria-labelledby=changes]")
    expect(changes).to_contain_text("Stromrechnung Februar 2024")
    visitor.check_page()
    title, correspondent, *_, created = written(logged_in_daemon, letter)
    assert (title, correspondent) == ("Stromrechnung Februar 2024", ANOTHER_NAME)
    assert created == "2024-03-12"

    visitor.follow(page.locator("nav.main a[href='/history']"))
    row = page.locator("main li", has_text=ANOTHER_NAME).filter(has_text=f"home/{letter}")
    visitor.follow(row.get_by_role("link", name="Stromrechnung Februar 2024", exact=True))
    visitor.follow(page.get_by_role("link", name=say("Undo all changes to this document")))
    expect(page.locator("main del", has_text=ANOTHER_NAME)).to_be_visible()
    visitor.press("Undo")
    expect(page.locator("main .crumb", has_text=f"home/{letter}")).to_be_visible()
    expect(page.locator("main .badge.undone").first).to_be_visible()
    page.goto(logged_in_daemon.url)
    expect(changes.locator(".badge.undone").first).to_be_visible()
    visitor.check_page()
    assert here(logged_in_daemon, letter) == before


@pytest.mark.parametrize("device", [PHONE], ids=str)
def test_the_page_of_a_job_tells_what_was_checked(
    logged_in_daemon: LoggedInDaemon, visitor: Visitor
) -> None:
    page, say = visitor.page, visitor.translator.text
    [letter] = bring(logged_in_daemon, visitor, UNCERTAIN)

    visitor.open(f"{logged_in_daemon.url}/documents/home/{letter}")
    visitor.follow(page.locator("main a[href*='/jobs/']").first)

    checks = page.locator("section[aria-labelledby=changes]")
    doubted = checks.locator("details[open]")
    expect(doubted).to_have_count(1)
    expect(doubted).to_contain_text(say("the date is in the future"))
    passed = checks.locator("details:not([open])").first
    expect(passed.locator("li").first).to_be_hidden()
    passed.locator("summary").click()
    expect(passed.locator("li").first).to_have_text(
        f"{say('check passed')}: {say('the text is readable')}"
    )
    visitor.check_page()
    visitor.open(f"{logged_in_daemon.url}/review/home/{letter}")
    visitor.press("Reject", "{ref} left unchanged.", ref=f"home/{letter}")


def test_a_person_goes_through_the_review_by_keys_alone(
    logged_in_daemon: LoggedInDaemon, visitor: Visitor
) -> None:
    page, first_field = visitor.page, visitor.page.locator("#first-field")
    bring(logged_in_daemon, visitor, LETTER, LETTER, LETTER)
    visitor.open(f"{logged_in_daemon.url}/review")
    refs = page.locator("main .waiting .ref").all_inner_texts()
    first, second, third = (int(ref.removeprefix("home/")) for ref in refs)
    before = here(logged_in_daemon, second)
    visitor.open(f"{logged_in_daemon.url}/review/home/{first}")

    for key, letter in (("j", second), ("j", third), ("k", second), ("k", first)):
        page.keyboard.press(key)
        page.wait_for_url(f"**/review/home/{letter}")
    page.keyboard.press("e")
    expect(first_field).to_be_focused()
    # In a field a letter is a letter.
    page.keyboard.press("End")
    page.keyboard.type(" axe")
    expect(first_field).to_have_value("Stromrechnung Februar 2024 axe")
    page.get_by_role("heading", level=1).click()
    page.keyboard.press("a")
    expect(page.locator(".flash > span")).to_have_text(f"home/{first}: 5 accepted.")
    page.wait_for_url(f"**/review/home/{second}")
    visitor.check_page()
    page.keyboard.press("x")
    expect(page.locator(".flash > span")).to_have_text(f"home/{second} left unchanged.")
    page.wait_for_url(f"**/review/home/{third}")
    page.keyboard.press("x")
    expect(page.locator(".flash > span")).to_have_text(f"home/{third} left unchanged.")

    assert written(logged_in_daemon, first)[0] == "Stromrechnung Februar 2024 axe"
    assert here(logged_in_daemon, second) == before


@pytest.mark.parametrize("device", [PHONE], ids=str)
def test_all_without_doubts_are_accepted_at_once_and_no_other(
    logged_in_daemon: LoggedInDaemon, visitor: Visitor
) -> None:
    page, say = visitor.page, visitor.translator.text
    clear, uncertain, other = bring(logged_in_daemon, visitor, LETTER, UNCERTAIN, LETTER)
    before = here(logged_in_daemon, uncertain)
    visitor.open(f"{logged_in_daemon.url}/review")

    page.get_by_label(say("Select all that passed every check")).check()
    ticked = page.locator("input[name=document]:checked")
    values = ticked.evaluate_all("all => all.map((box) => box.value)")
    assert sorted(values) == [f"home/{clear}", f"home/{other}"]
    visitor.press("Accept")

    message = visitor.translator.plural("{n} document accepted.", "{n} documents accepted.", 2)
    expect(page.locator(".flash > span")).to_have_text(message)
    expect(page.locator("main li.waiting")).to_have_count(1)
    assert [written(logged_in_daemon, letter)[0] for letter in (clear, other)] == [
        "Stromrechnung Februar 2024"
    ] * 2
    assert here(logged_in_daemon, uncertain) == before
