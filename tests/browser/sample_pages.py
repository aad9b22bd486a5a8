"""`make sample-pages`: a PDF and a picture of the first page of each sample document."""

import html
import zlib
from pathlib import Path

from playwright.sync_api import Page, ViewportSize

from sandbox.documents import FOLDER
from sandbox.paperless.files import PAGES
from tests.browser.chromium import running_chromium
from tests.browser.webp import encode_webp

_SHEET = """<!doctype html><meta charset="utf-8"><style>
@page {{ size: A4; margin: 20mm 18mm }}
body {{ margin: 0; background: #fff; color: #111 }}
pre {{ margin: 0; font: {size}pt/1.35 "DejaVu Sans Mono", monospace; white-space: pre-wrap }}
pre::first-line {{ font-size: 150%; color: hsl({hue} 65% 32%) }}
@media screen {{ body {{ padding: 20mm 18mm; width: 174mm }} }}
</style><title>{title}</title><pre>{text}</pre>"""
_LARGEST = 11
_COLUMNS_WIDTH = 800
"""Width of a line at font size 1: the width of the sheet by that of a character."""
_A4_AT_96_DPI: ViewportSize = {"width": 794, "height": 1123}


def main() -> None:
    """Write the pages of all sample documents."""
    PAGES.mkdir(exist_ok=True)
    with running_chromium() as browser:
        page = browser.new_page(viewport=_A4_AT_96_DPI)
        for text_file in sorted(FOLDER.rglob("*.txt")):
            _write_pages(page, text_file)


def _write_pages(page: Page, text_file: Path) -> None:
    text = text_file.read_text(encoding="utf-8")
    page.set_content(_build_sheet(text, text_file.stem))
    (PAGES / f"{text_file.stem}.pdf").write_bytes(page.pdf(prefer_css_page_size=True))
    picture, _ = encode_webp(page, page.screenshot(), width=440, quality=0.5)
    (PAGES / f"{text_file.stem}.webp").write_bytes(picture)


def _build_sheet(text: str, title: str) -> str:
    """Return the document as HTML, in a font size at which its longest line fits."""
    longest = max((len(line) for line in text.splitlines()), default=1)
    size = min(_LARGEST, _COLUMNS_WIDTH / max(longest, 1))
    hue = zlib.crc32(text.partition("\n")[0].encode()) % 360
    return _SHEET.format(size=size, hue=hue, title=html.escape(title), text=html.escape(text))


if __name__ == "__main__":
    main()
