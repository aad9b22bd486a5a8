"""Someone before the pages: finds things by their words, and looks closely at every step."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC
from typing import Literal

from playwright.sync_api import Browser, Locator, Page, expect

from core.calendar import utc_now
from i18n import Translator, get_translator
from tests.browser.logged_in_daemon import LoggedInDaemon
from tests.browser.page_checks import faults_of, watched


@dataclass(frozen=True, slots=True)
class Look:
    """How someone looks at pages."""

    language: str
    width: int
    scheme: Literal["light", "dark"]

    def __str__(self) -> str:
        return f"{self.language}, {self.width}, {self.scheme}"


DESKTOP = Look("en", 1280, "light")
PHONE = Look("de", 390, "dark")


@dataclass(frozen=True, slots=True)
class Visitor:
    """Someone who is logged in. What is named is named in English, and sought in the language."""

    page: Page
    language: str
    translator: Translator
    complaints: list[str]
    """What the browser had to complain about so far."""

    def goes_to(self, url: str) -> None:
        self.page.goto(url)
        self.looks()

    def follows(self, link: Locator) -> None:
        link.click()
        self.looks()

    def presses(self, button: str, said: str = "", **values: object) -> None:
        """Press a button, and see that it is said what was done."""
        self.page.get_by_role("button", name=self.translator.text(button)).click()
        if said:
            message = self.translator.text(said, **values)
            expect(self.page.locator(".flash > span")).to_have_text(message)
        self.looks()

    def sees(self, heading: str) -> None:
        expect(self.page.get_by_role("heading", level=1)).to_have_text(
            self.translator.text(heading)
        )

    def looks(self) -> None:
        """Find nothing wrong with the page as it is: that all can use it, and that it fits."""
        self.page.wait_for_load_state("load")
        # What is loaded by itself has come.
        expect(self.page.locator("[hx-trigger=load] > .button")).to_have_count(0)
        assert (faults_of(self.page), self.complaints) == ([], []), self.page.url


@contextmanager
def visiting(logged_in_daemon: LoggedInDaemon, browser: Browser, look: Look) -> Iterator[Visitor]:
    """Open the overview as who is logged in, and watch the page until it is left."""
    context = browser.new_context(
        storage_state=logged_in_daemon.state,
        locale=look.language,
        viewport={"width": look.width, "height": 844},
        color_scheme=look.scheme,
    )
    page = context.new_page()
    with watched(page, logged_in_daemon.url) as complaints:
        translator = get_translator(look.language, zone=UTC, now=utc_now())
        visitor = Visitor(page, look.language, translator, complaints)
        visitor.goes_to(f"{logged_in_daemon.url}/")
        yield visitor
        assert complaints == []
    context.close()
