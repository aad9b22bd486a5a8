"""`make screenshots`: a picture of each page, for the documentation."""

import sys
import tempfile
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import Literal

from playwright.sync_api import Browser, Page

from tests.browser.chromium import running_chromium
from tests.browser.page_paths import PLACES
from tests.browser.sample_dashboard import SampleDashboard, running_dashboard
from tests.browser.setup_steps import STEPS, walk_setup
from tests.browser.small_png import small_png

PICTURES = Path(__file__).parents[2] / "docs" / "pictures"
VARIANTS = {
    *("review-doubts", "failed", "job-doubts", "job-failed", "document-unseen", "history-rejected"),
    *("scan", "costs-empty", "welcome-too-late", "review-text", "job-deleted", "overview-weeks"),
    "add-instance",
}
"""Pages that look like another one."""
Scheme = Literal["light", "dark"]
Look = tuple[Scheme, str, int, int]
LOOKS: tuple[Look, ...] = (
    ("light", "en", 1280, 960),
    ("dark", "de", 390, 844),
    ("light", "en", 1920, 1080),
)


_SHOW_TEXT = """() => {
  const views = document.querySelector(".views");
  if (views?.checkVisibility()) document.getElementById("view-text").click();
}"""


def main() -> None:
    """Take all pictures, or those named on the command line."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else PICTURES
    wanted = sys.argv[2:] or [*(name for name in PLACES if name not in VARIANTS), *STEPS]
    folder.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as place,
        running_dashboard(Path(place)) as sample_dashboard,
        running_chromium(shows_pdfs=True) as browser,
    ):
        for look in LOOKS:
            take(browser, sample_dashboard, look, wanted, folder)
    (folder / "README.md").write_text(build_gallery(wanted), encoding="utf-8")


def build_gallery(wanted: Iterable[str]) -> str:
    """Return a page with all pictures."""
    lines = ["# Pictures of every page", ""]
    lines += ["Made by `make screenshots`; those of the README by `make animation`.", ""]
    for name in wanted:
        lines += [f"## {name.replace('-', ' ').capitalize()}", ""]
        lines += [f"![{_alt(name, *look)}]({_file_name(name, *look)})" for look in LOOKS]
        lines.append("")
    return "\n".join(lines)


def _file_name(name: str, scheme: Scheme, _: str, width: int, __: int) -> str:
    return f"{name}-{width}-{scheme}.png"


def _alt(name: str, scheme: Scheme, language: str, width: int, _: int) -> str:
    return f"{name.replace('-', ' ')}, {width} px wide, {scheme}, {language}"


def take(
    browser: Browser,
    sample_dashboard: SampleDashboard,
    look: Look,
    wanted: Collection[str],
    folder: Path,
) -> None:
    """Take a picture of each page in a look."""
    scheme, language, width, height = look
    counting = browser.new_page()
    context = browser.new_context(
        viewport={"width": width, "height": height}, color_scheme=scheme, locale=language
    )
    page = context.new_page()
    for name in _open_pages(page, sample_dashboard, wanted):
        picture = small_png(counting, page.screenshot(scale="css"))
        (folder / _file_name(name, *look)).write_bytes(picture)
    context.close()
    counting.close()


def _open_pages(
    page: Page, sample_dashboard: SampleDashboard, wanted: Collection[str]
) -> Iterator[str]:
    """Open each wanted page and yield its name."""
    for name in wanted:
        if name in STEPS:
            continue
        page.goto(sample_dashboard.at(name), wait_until="load")
        # On a narrow page, which shows either the scan or the text, the text has the evidence.
        page.evaluate(_SHOW_TEXT)
        # Chromium's PDF viewer stays dark for a while.
        page.wait_for_timeout(2_000 if page.locator("iframe:visible").count() else 500)
        yield name
    if set(STEPS) & set(wanted):
        yield from (step for step in walk_setup(page, sample_dashboard) if step in wanted)


if __name__ == "__main__":
    main()
