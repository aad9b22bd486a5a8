"""Checks that every page must pass, whatever it shows."""

import json
import re
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import ConsoleMessage, Dialog, Error, Page, Request

from i18n.translate import parse_po

_AXE = Axe().axe_script
_CATALOGUE = Path(__file__).parents[2] / "i18n" / "de.po"
_WORD = re.compile(r"[^\W\d_]{4,}")
_MARKS = ".,:;!?()\"“”„'"
_OF_THE_BROWSER = (
    "data:",
    "chrome-extension://mhjfbmdgcfjbbpaeojofohoefgiehjai/",
    "chrome://resources/",
)
"""Requests within the browser: Chromium's PDF viewer is an extension."""
_RUN = "(asked) => axe.run(asked).then((result) => result.violations)"
_WIDE = "document.documentElement.scrollWidth - window.innerWidth"
_SPLIT = """
(selector) => [...document.querySelectorAll(selector)].flatMap((part) => {
  const texts = document.createTreeWalker(part, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  const lines = (node, begin, end) => {
    range.setStart(node, begin);
    range.setEnd(node, end);
    return new Set([...range.getClientRects()].map((box) => Math.round(box.top))).size;
  };
  const split = [];
  while (texts.nextNode()) {
    const node = texts.currentNode;
    if (!node.parentElement.checkVisibility()) continue;
    // A hyphen, a slash and a soft hyphen are places where a word may be broken.
    for (const word of node.data.matchAll(/[^\\s\\u00ad/-]+/g)) {
      if (lines(node, word.index, word.index + word[0].length) > 1) split.push(word[0]);
    }
  }
  return split;
})
"""


@contextmanager
def watch_page(page: Page, *own: str) -> Iterator[list[str]]:
    """Collect errors, dialogs, and requests to hosts other than `own`."""
    found: list[str] = []

    def dialog(opened: Dialog) -> None:
        found.append(opened.message)
        opened.dismiss()

    def error(error: Error) -> None:
        found.append(str(error))

    def console(said: ConsoleMessage) -> None:
        # The browser logs error statuses, which are the correct response to invalid requests.
        is_answer = re.search(r"status of (400|403|404|410|422)", said.text)
        if said.type in {"error", "warning"} and not is_answer:
            found.append(said.text)

    def request(asked: Request) -> None:
        if not asked.url.startswith((*(f"{address}/" for address in own), *_OF_THE_BROWSER)):
            found.append(asked.url)

    page.on("dialog", dialog)
    page.on("pageerror", error)
    page.on("console", console)
    page.on("request", request)
    yield found
    page.remove_listener("dialog", dialog)
    page.remove_listener("pageerror", error)
    page.remove_listener("console", console)
    page.remove_listener("request", request)


def measure_overflow(page: Page) -> int:
    """Return by how many pixels a page scrolls horizontally; 0 or less if it does not."""
    wide: int = page.evaluate(_WIDE)
    return wide


def find_faults(page: Page, *, checks_contrast: bool = True) -> list[str]:
    """Return the violations that axe finds, and whether the page scrolls horizontally."""
    wide = measure_overflow(page)
    rules = {"color-contrast": {"enabled": checks_contrast}}
    return [*_axe(page, rules=rules), *([f"scrolls sideways by {wide}"] if wide > 0 else [])]


def split_words(page: Page, selector: str) -> list[str]:
    """Return the words inside the matching elements that are broken over several lines."""
    found: list[str] = page.evaluate(_SPLIT, selector)
    return found


def split_own_words(page: Page, own: Collection[str]) -> list[str]:
    """Return our own words that are broken over several lines; data of the user may be."""
    found = split_words(page, "body")
    return [word for word in found if word.strip(_MARKS).casefold() in own]


def own_words(language: str) -> frozenset[str]:
    """Return the words of all our texts in a language, in lower case."""
    entries = parse_po(_CATALOGUE.read_text(encoding="utf-8"))
    texts = entries if language == "en" else entries.values()
    return frozenset(word for text in texts for word in _WORD.findall(text.casefold()))


def _axe(page: Page, **asked: object) -> list[str]:
    if not page.evaluate("'axe' in window"):
        page.evaluate(_AXE)
    found = page.evaluate(_RUN, {"resultTypes": ["violations"], **asked})
    return [_describe_violation(violation) for violation in found]


def _describe_violation(violation: dict[str, object]) -> str:
    nodes = violation["nodes"]
    places = [node["target"] for node in nodes] if isinstance(nodes, list) else []
    return f"{violation['id']}: {json.dumps(places)[:300]}"
