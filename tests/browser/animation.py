"""`make animation`: a review in the demo, as a picture and as a short animation."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, Page, ViewportSize, expect

from tests.browser.chromium import running_chromium
from tests.browser.screenshots import PICTURES
from tests.browser.small_png import small_png
from tests.browser.webp import encode_webp, join_frames
from tests.daemon.first_login import PASSWORD, link_of
from tests.daemon.programs import PROGRAM, start
from tests.waiting import LONG_MS

SIZE: ViewportSize = {"width": 1440, "height": 880}
_WIDTH = 960
_QUALITY = 0.6
_DOCUMENT, _NEXT = 24, 22
"""Two bills, among the first documents that the demo processes."""
_TRIES = 60
_TITLE = "Phone bill October 2026"


class Recorder:
    """Takes the frames of an animation."""

    def __init__(self, page: Page, encoder: Page) -> None:
        self._page, self._encoder = page, encoder
        self._frames: list[tuple[bytes, int]] = []
        self._height = 0

    def take(self, seconds: float, page: Page | None = None) -> None:
        """Add a frame of the page, or of another one, shown for this long."""
        shown = page or self._page
        shown.wait_for_timeout(300)
        png = shown.screenshot(animations="disabled")
        frame, self._height = encode_webp(self._encoder, png, width=_WIDTH, quality=_QUALITY)
        self._frames.append((frame, int(seconds * 1000)))

    def join(self) -> bytes:
        return join_frames(self._frames, width=_WIDTH, height=self._height)


def main() -> None:
    """Record the demo, in English."""
    with running_demo() as link, running_chromium(shows_pdfs=True) as browser:
        page = log_in(browser, link)
        address = link.partition("/welcome")[0]
        recorder = Recorder(page, browser.new_page())
        picture = record(page, recorder, address)
        (PICTURES / "review.png").write_bytes(small_png(browser.new_page(), picture))
        (PICTURES / "review.webp").write_bytes(recorder.join())


def record(page: Page, recorder: Recorder, address: str) -> bytes:
    """Review a document as a new user would; return a picture of the review."""
    wait_for_document(page, address)
    recorder.take(2)
    page.goto(f"{address}/review")
    recorder.take(2)
    page.goto(f"{address}/review/demo/{_DOCUMENT}")
    page.locator("#view-text").click()
    recorder.take(3)
    picture = page.screenshot(animations="disabled")
    page.locator(".evidence a").first.click()
    recorder.take(1.5)
    title = page.locator('[name="value:title"]')
    title.fill(_TITLE)
    recorder.take(1.5)
    in_paperless = page.get_by_role("link", name="Open in Paperless").get_attribute("href")
    page.get_by_role("button", name="Accept").last.click()
    expect(page.locator(".flash")).to_be_visible()
    recorder.take(2.5)
    paperless = page.context.new_page()
    wait_until_written(paperless, str(in_paperless))
    recorder.take(2.5, paperless)
    page.locator(".flash").get_by_role("button", name="Undo").click()
    expect(page.locator(".flash").get_by_role("button", name="Undo")).to_have_count(0)
    recorder.take(2.5)
    return picture


def wait_for_document(page: Page, address: str) -> None:
    """Wait until the document and the next one are in review, then open the overview."""
    for _ in range(_TRIES):
        page.goto(f"{address}/review/demo/{_NEXT}")
        if page.locator(".decisions").count():
            break
        page.wait_for_timeout(2_000)
    page.goto(f"{address}/")


def wait_until_written(paperless: Page, address: str) -> None:
    """Reload the page of the sandbox until it shows the accepted values."""
    for _ in range(_TRIES):
        paperless.goto(address)
        if paperless.get_by_role("heading", name=_TITLE).count():
            break
        paperless.wait_for_timeout(1_000)


@contextmanager
def running_demo() -> Iterator[str]:
    """Run the demo in a separate process; yield the link that it prints."""
    process = start(PROGRAM, "demo", "--language", "en")
    try:
        yield str(link_of(process))
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate()


def log_in(browser: Browser, link: str) -> Page:
    context = browser.new_context(locale="en", viewport=SIZE)
    page = context.new_page()
    page.goto(link)
    page.fill("[name=password]", PASSWORD["password"])
    page.fill("[name=again]", PASSWORD["password"])
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Overview")).to_be_visible(timeout=LONG_MS)
    return page


if __name__ == "__main__":
    main()
