"""`make bench-pages`: the server time of each page with a short and with a long history."""

import argparse
import asyncio
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from statistics import median

import httpx
from rich.table import Table

from benchmarks.copies import FIRST, Size
from benchmarks.measure import console
from benchmarks.pages_fill import WAITING, WRITTEN, FilledStore, fill
from benchmarks.pages_server import TIME_HEADER, running_pages
from core.calendar import utc_now
from sandbox import Sandbox
from sandbox.paperless import load_world

MAX_RATIO = 2.0
"""Maximum ratio of the times with the long and the short history."""
SMALL = Size(jobs=1_000, waiting=60, failed=100, pending=100)
"""Enough to fill every list, so that both stores show the same amount on a page."""
LARGE = Size(jobs=100_000, waiting=300, failed=1_000, pending=100)


@dataclass(frozen=True, slots=True)
class Dashboard:
    """A running dashboard: a logged-in client, and the paths of its pages."""

    http: httpx.Client
    pages: Mapping[str, str]


def pages_of(filled: FilledStore) -> dict[str, str]:
    """Return the path of every page that has something to show, by name."""
    job = filled.newest_job
    return {
        "overview": "/",
        "overview, one instance": "/?instance=home",
        "review": "/review",
        "review, one document": f"/review/home/{WAITING}",
        "review, evidence": f"/review/home/{WAITING}/text",
        "new names": "/names",
        "activity": "/activity",
        "activity, completed": "/activity?status=completed",
        "activity, pending": "/activity?status=pending",
        "activity, failed": "/activity?status=failed",
        "activity, cause": "/activity?status=failed&cause=answer_unusable",
        "activity, cancelled": "/activity?status=cancelled",
        "activity, one instance": "/activity?instance=office",
        "activity, older": f"/activity?before={FIRST + 200}",
        "scans": "/activity/scans?empty=yes",
        "job": f"/jobs/{job}",
        "document": f"/documents/home/{WRITTEN}",
        "documents, title": "/documents?q=rechnung",
        "documents, number": f"/documents?q={job}",
        "documents, nothing found": "/documents?q=nowhere",
        "history": "/history",
        "history, one instance": "/history?instance=office",
        "history, old days": f"/history?until={_days_ago(60)}",
        "undo": f"/undo?document=home/{WRITTEN}",
        "costs": "/costs",
        "settings": "/settings",
        "error": "/nowhere",
    }


def _days_ago(days: int) -> str:
    return (utc_now() - timedelta(days=days)).date().isoformat()


def measure(small: Dashboard, large: Dashboard, rounds: int) -> Mapping[str, tuple[float, float]]:
    """Load each page in turns; return the median milliseconds. The first round warms up."""
    took: dict[str, tuple[list[float], list[float]]] = {name: ([], []) for name in small.pages}
    for number in range(rounds + 1):
        for name in small.pages:
            both = ((0, small), (1, large))
            for which, dashboard in both if number % 2 else reversed(both):
                milliseconds = _load(dashboard, name)
                if number:
                    took[name][which].append(milliseconds)
    return {name: (median(a), median(b)) for name, (a, b) in took.items()}


def _load(dashboard: Dashboard, name: str) -> float:
    answer = dashboard.http.get(dashboard.pages[name], headers={"accept": "text/html"})
    expected = 404 if name == "error" else 200
    if answer.status_code != expected:
        raise RuntimeError(f"{dashboard.pages[name]} answered {answer.status_code}")
    return float(answer.headers[TIME_HEADER])


@contextmanager
def running_dashboard(folder: Path, size: Size) -> Iterator[Dashboard]:
    """Fill a store of this size and start a dashboard on it."""
    with ExitStack() as stack:
        sandbox = stack.enter_context(Sandbox(load_world()))
        filled = asyncio.run(fill(sandbox, folder, size))
        address = stack.enter_context(running_pages(filled))
        headers = {"authorization": f"Bearer {filled.token}"}
        http = httpx.Client(base_url=address, headers=headers, timeout=60)
        yield Dashboard(stack.enter_context(http), pages_of(filled))


def show(found: Mapping[str, tuple[float, float]], small: Size, large: Size, rounds: int) -> None:
    table = Table(
        title=f"Server time of each page, medians of {rounds} rounds", title_justify="left"
    )
    for heading in ("page", f"{small.jobs:,} jobs", f"{large.jobs:,} jobs", "ratio"):
        table.add_column(heading, justify="left" if heading == "page" else "right")
    for name, (short, long) in found.items():
        table.add_row(name, f"{short:.1f} ms", f"{long:.1f} ms", f"{long / short:.2f}")
    console().print(table)
    over = [name for name, (short, long) in found.items() if long > MAX_RATIO * short]
    console().print(f"More than twice as long: {', '.join(over) or 'none'}.")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=24)
    parser.add_argument("--jobs", type=int, default=LARGE.jobs)
    options = parser.parse_args()
    large = Size(options.jobs, LARGE.waiting, LARGE.failed, LARGE.pending)
    with (
        tempfile.TemporaryDirectory(prefix="paperclerk-bench-") as folder,
        running_dashboard(Path(folder) / "small", SMALL) as small_dashboard,
        running_dashboard(Path(folder) / "large", large) as large_dashboard,
    ):
        found = measure(small_dashboard, large_dashboard, options.rounds)
    show(found, SMALL, large, options.rounds)


if __name__ == "__main__":
    main()
