"""`make bench-live`: how long it takes until open pages show an event."""

import tempfile
from pathlib import Path
from statistics import median

from rich.table import Table

from benchmarks.measure import console
from dashboard.live import FEW
from tests.browser.chromium import running_chromium
from tests.browser.live_changes import (
    enqueue_one_by_one,
    record_when_jobs_appear,
    seconds_until_shown,
)
from tests.browser.logged_in_daemon import create_seed, running_daemon

MAX_SECONDS = 2.0
"""Maximum seconds until an event is shown while few pages are open."""


def measure(folder: Path) -> list[float]:
    """Return the seconds until each of a few pages, in separate browsers, shows each event."""
    seed = create_seed(folder / "seed")
    with running_chromium() as browser, running_daemon(folder / "daemon", seed) as logged_in_daemon:
        pages = [logged_in_daemon.page(browser, "/activity") for _ in range(FEW)]
        for page in pages:
            record_when_jobs_appear(page)
        jobs = enqueue_one_by_one(logged_in_daemon, apart=0.5)
        return [
            took for page in pages for took in seconds_until_shown(logged_in_daemon, page, jobs)
        ]


def main() -> int:
    """Measure and print; return 1 if an event was shown too late."""
    with tempfile.TemporaryDirectory(prefix="paperclerk-live-") as name:
        folder = Path(name)
        for part in ("seed", "daemon"):
            (folder / part).mkdir()
        took = measure(folder)
    table = Table("events", "pages", "median", "slowest")
    table.add_row(str(len(took) // FEW), str(FEW), f"{median(took):.2f} s", f"{max(took):.2f} s")
    console().print(table)
    return 1 if max(took) > MAX_SECONDS else 0


if __name__ == "__main__":
    raise SystemExit(main())
