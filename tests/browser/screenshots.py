"""`make screenshots`: a picture of each page, for the documentation and for a look at the look."""

import sys
import tempfile
from pathlib import Path

from tests.browser.chromium import running_chromium
from tests.browser.places import PLACES
from tests.browser.stage import running_stage

PICTURES = Path(__file__).parents[2] / "docs" / "pictures"
PAGES = {name: PLACES[name] for name in ("overview", "review", "review-one")}


def main() -> None:
    """Take them all, or those that are named."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else PICTURES
    wanted = sys.argv[2:] or list(PAGES)
    folder.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as place,
        running_stage(Path(place)) as stage,
        running_chromium() as browser,
    ):
        for name in wanted:
            for look, language, width in (("light", "en", 1280), ("dark", "de", 390)):
                context = browser.new_context(
                    viewport={"width": width, "height": 844 if width < 500 else 960},
                    color_scheme="light" if look == "light" else "dark",
                    locale=language,
                )
                page = context.new_page()
                page.goto(stage.at(name), wait_until="load")
                page.wait_for_timeout(500)
                page.screenshot(path=folder / f"{name}-{width}-{look}.png", scale="css")
                context.close()


if __name__ == "__main__":
    main()
