"""Pages that follow what happens."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, expect

from tests.browser.stage import Stage

LONG = 15_000.0


@pytest.fixture
def sharing(browser: Browser) -> Iterator[BrowserContext]:
    context = browser.new_context(locale="en")
    yield context
    context.close()


def test_what_a_job_offers_follows_its_state(sharing: BrowserContext, stage: Stage) -> None:
    watching, acting = sharing.new_page(), sharing.new_page()
    acting.goto(f"{stage.url}/jobs/22")
    acting.get_by_role("button", name="Retry").click()
    watching.goto(f"{stage.url}/jobs/22")
    watching.get_by_text("All facts, as programs get them").click()
    facts = watching.locator("pre")
    expect(facts).to_be_visible()
    expect(watching.get_by_role("button", name="Cancel")).to_be_visible()

    acting.get_by_role("button", name="Cancel").click()

    expect(watching.locator("main .badge").first).to_have_text("cancelled", timeout=LONG)
    expect(watching.get_by_role("button", name="Cancel")).to_have_count(0)
    expect(watching.get_by_role("button", name="Retry")).to_be_visible()
    # What was open stays open.
    expect(facts).to_be_visible()


def test_counts_causes_holds_and_scans_of_activity_follow_what_happens(
    sharing: BrowserContext, stage: Stage
) -> None:
    watching, acting = sharing.new_page(), sharing.new_page()
    watching.goto(f"{stage.url}/activity")
    scans = watching.locator("section", has=watching.get_by_role("heading", name="Scans"))
    listed = scans.locator("li").count()
    pending = watching.get_by_role("link", name="pending").inner_text()
    acting.goto(stage.url)
    row = acting.locator("li", has_text="open Paperless").filter(has_text="home")

    row.get_by_role("button", name="Scan now").click()
    expect(scans.locator("li")).to_have_count(listed + 1, timeout=LONG)
    row.get_by_role("button", name="Pause").click()
    paused = watching.locator(".strip", has_text="paused by admin")
    expect(paused).to_be_visible(timeout=LONG)
    row.get_by_role("button", name="Resume").click()
    expect(paused).to_have_count(0, timeout=LONG)
    acting.goto(f"{stage.url}/documents/home/18")
    acting.get_by_role("button", name="Process").click()

    expect(watching.get_by_role("link", name="pending")).not_to_have_text(pending, timeout=LONG)
