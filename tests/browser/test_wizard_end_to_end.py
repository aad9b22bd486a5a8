"""From nothing to the first filed document: a daemon without settings, and only a browser."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC
from pathlib import Path
from time import monotonic

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from core.calendar import utc_now
from i18n import get_translator
from sandbox import Sandbox
from sandbox.paperless import World
from tests.browser.page_checks import watch_page
from tests.browser.visitor import PHONE, Visitor
from tests.daemon.first_login import PASSWORD, link_of
from tests.daemon.programs import start_program
from tests.installation import Installation, fields_of, writes
from tests.store.builders import FakeClock
from tests.waiting import LONG

CHOSEN = PASSWORD["password"]


@pytest.fixture
def start(tmp_path: Path, world: World) -> Iterator[tuple[Installation, httpx.URL]]:
    """A daemon that was started with empty folders, and the link that it printed."""
    with Sandbox(world) as sandbox:
        installation = Installation(sandbox, tmp_path, FakeClock(utc_now()))
        process = start_program(installation, "run")
        try:
            yield installation, link_of(process)
        finally:
            process.terminate()
            process.communicate()


@contextmanager
def on_a_phone(browser: Browser, url: str) -> Iterator[Visitor]:
    context = browser.new_context(
        locale=PHONE.language,
        viewport={"width": PHONE.width, "height": 844},
        color_scheme=PHONE.scheme,
    )
    page = context.new_page()
    with watch_page(page, url) as complaints:
        translator = get_translator(PHONE.language, zone=UTC, now=utc_now())
        yield Visitor(page, PHONE.language, translator, complaints)
        assert complaints == []
    context.close()


def load_until(page: Page, is_so: Callable[[], bool]) -> None:
    """Load the page again and again, as a person without scripts would."""
    end = monotonic() + LONG
    while not is_so():
        assert monotonic() < end, page.locator("main").inner_text()
        page.reload()


def test_a_phone_sets_up_the_first_instance_and_tries_it(
    start: tuple[Installation, httpx.URL], browser: Browser
) -> None:
    (installation, link), sandbox = start, start[0].sandbox

    with on_a_phone(browser, str(link.copy_with(path="/", query=None)).rstrip("/")) as visitor:
        page, text = visitor.page, visitor.translator.text
        visitor.open(str(link))
        page.get_by_label(text("Password"), exact=True).fill(CHOSEN)
        page.get_by_label(text("Repeat password")).fill(CHOSEN)
        visitor.press("Set password and log in")
        visitor.expect_heading("Set up an instance")
        expect(page.locator("#nearby > p")).to_be_visible()
        visitor.check_page()
        page.get_by_label(text("Address of Paperless")).fill(sandbox.url)
        visitor.press("Continue")
        page.get_by_label(text("API token"), exact=True).fill(sandbox.token)
        visitor.press("Use this token")
        expect(page.locator("#nearby > p")).to_be_visible()
        page.get_by_label(text("Address of the model's API")).fill(sandbox.model.base_url)
        visitor.press("Continue")
        visitor.press("Check everything")
        expect(page.get_by_role("heading", name=text("Save and start"))).to_be_visible()
        visitor.check_page()
        visitor.press("Save the settings")
        expect(
            page.get_by_role("heading", name=text("{name} is ready", name="home"))
        ).to_be_visible()
        visitor.check_page()
        page.get_by_role("button", name=text("Try {n} documents (nothing is written)", n=5)).click()
        expect(
            page.get_by_role("heading", name=text("Dry run of {name}", name="home"))
        ).to_be_visible()

    assert installation.settings_file.stat().st_mode & 0o777 == 0o600
    assert writes(sandbox) == []


def test_without_scripts_the_first_document_is_filed(
    start: tuple[Installation, httpx.URL], browser: Browser
) -> None:
    (installation, link), sandbox = start, start[0].sandbox
    context = browser.new_context(locale="en", java_script_enabled=False)
    page = context.new_page()

    page.goto(str(link))
    page.get_by_label("Password", exact=True).fill(CHOSEN)
    page.get_by_label("Repeat password").fill(CHOSEN)
    page.get_by_role("button", name="Set password and log in").click()
    page.get_by_role("link", name="Look for Paperless").click()
    page.get_by_label("Instance name").fill("attic")
    page.get_by_label("Address of Paperless").fill(sandbox.url)
    page.get_by_role("button", name="Continue").click()
    page.get_by_label("User name").fill("admin")
    page.get_by_label("Password").fill("admin-password")
    page.get_by_role("button", name="Fetch the token").click()
    page.get_by_label("Address of the model's API").fill(sandbox.model.base_url)
    page.get_by_role("button", name="Continue").click()
    page.get_by_role("button", name="Check everything").click()
    load_until(page, lambda: page.get_by_label("Start now").count() > 0)
    expect(page.get_by_text('superuser "admin"')).to_be_visible()
    page.get_by_label("Start now").check()
    page.get_by_role("button", name="Save the settings").click()
    load_until(page, lambda: page.get_by_text("attic is ready").count() > 0)
    before = fields_of(sandbox, 1)
    review = str(link.copy_with(path="/review/attic/1", query=None))

    def can_accept() -> bool:
        # Until the document is for review, the page sends on to the document itself.
        page.goto(review)
        return page.get_by_role("button", name="Accept").count() > 0

    load_until(page, can_accept)
    page.get_by_role("button", name="Accept").last.click()
    load_until(page, lambda: fields_of(sandbox, 1)["title"] != before["title"])
    context.close()

    assert [path.name for path in installation.config.iterdir()] == ["attic.toml"]
    assert "admin-password" not in (installation.config / "attic.toml").read_text(encoding="utf-8")
