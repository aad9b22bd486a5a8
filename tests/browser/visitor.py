"""A user of the dashboard in a browser, who checks every page."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC
from typing import Literal

from playwright.sync_api import Browser, Locator, Page, expect

from core.calendar import utc_now
from i18n import Translator, get_translator
from tests.browser.logged_in_daemon import LoggedInDaemon
from tests.browser.page_checks import find_faults, watch_page


@dataclass(frozen=True, slots=True)
class Device:
    """Language, width and theme of a browser."""

    language: str
    width: int
    scheme: Literal["light", "dark"]

    def __str__(self) -> str:
        return f"{self.language}, {self.width}, {self.scheme}"


DESKTOP = Device("en", 1280, "light")
PHONE = Device("de", 390, "dark")


@dataclass(frozen=True, slots=True)
class Visitor:
    """A logged-in user. Labels are given in English and translated to the language of the page."""

    page: Page
    language: str
    translator: Translator
    complaints: list[str]
    """Errors of the browser so far."""

    def open(self, url: str) -> None:
        self.page.goto(url)
        self.check_page()

    def follow(self, link: Locator) -> None:
        link.click()
        self.check_page()

    def press(self, button: str, message: str = "", **values: object) -> None:
        """Press a button, and expect the given message."""
        self.page.get_by_role("button", name=self.translator.text(button)).click()
        if message:
            text = self.translator.text(message, **values)
            expect(self.page.locator(".flash > span")).to_have_text(text)
        self.check_page()

    def expect_heading(self, heading: str) -> None:
        expect(self.page.get_by_role("heading", level=1)).to_have_text(
            self.translator.text(heading)
        )

    def check_page(self) -> None:
        """Check that the open page is accessible, fits its width and has no errors."""
        self.page.wait_for_load_state("load")
        # Wait until the parts that load on their own are there.
        expect(self.page.locator("[hx-trigger=load] > .button")).to_have_count(0)
        assert (find_faults(self.page), self.complaints) == ([], []), self.page.url


@contextmanager
def open_visitor(
    logged_in_daemon: LoggedInDaemon, browser: Browser, device: Device
) -> Iterator[Visitor]:
    """Open the overview as a logged-in user, and collect errors while the context is open."""
    context = browser.new_context(
        storage_state=logged_in_daemon.state,
        locale=device.language,
        viewport={"width": device.width, "height": 844},
        color_scheme=device.scheme,
    )
    page = context.new_page()
    with watch_page(page, logged_in_daemon.url) as complaints:
        translator = get_translator(device.language, zone=UTC, now=utc_now())
        visitor = Visitor(page, device.language, translator, complaints)
        visitor.open(f"{logged_in_daemon.url}/")
        yield visitor
        assert complaints == []
    context.close()
