"""`make bench-scan`: what a scan costs Paperless, compared with a full listing at every scan.

Requests and bytes are counted. No time is measured, so the figures are the same on every machine.
"""

import argparse
import asyncio
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
from rich.table import Table

from benchmarks.measure import console
from core.scans import Scan
from daemon.cli.arguments import Options
from daemon.context import open_context
from daemon.lifecycle import register_instances
from daemon.services import Services, open_services
from sandbox import Sandbox
from sandbox.paperless import V2, V3, Kind, Release, World, load_world
from sandbox.paperless.releases import RELEASES
from scanner.scan import ScanOrder

INSTANCE = "home"
SETTINGS = '\n[scan]\nexclude_tags = ["Privat"]\n'
SIZES = (1_000, 10_000, 100_000)
NEW = 25
NOON = datetime(2026, 12, 1, 12, tzinfo=UTC)
OTHERS_PAGE = 100
_SAMPLE = 10
"""Number of pages of the full listing that are read; the rest is extrapolated."""
_LETTER = "Sehr geehrte Damen und Herren, anbei die Rechnung. " * 40


@dataclass(frozen=True, slots=True)
class Cost:
    """The cost of one scan to Paperless."""

    what: str
    requests: int
    kilobytes: float


class BenchClock:
    """A clock that the benchmark sets, so that a night can be simulated."""

    def __init__(self) -> None:
        self.now = NOON

    def __call__(self) -> datetime:
        return self.now


def build_world(release: Release, documents: int) -> World:
    """Build an archive in which a document was added every hour."""
    world = load_world(release=release)
    world.documents.clear()
    tag = world.find(Kind.TAG, "Bank").id
    for number in range(documents):
        added = NOON - timedelta(hours=documents - number)
        world.add_document(_LETTER, f"scan_{number}.pdf", added=added).tags = {tag}
    return world


async def measure(folder: Path, release: Release, documents: int) -> list[Cost]:
    """Scan an archive: first scan, nothing new, new documents, and at night."""
    clock, costs = BenchClock(), list[Cost]()
    with Sandbox(build_world(release, documents)) as sandbox:
        async with _opened(folder, sandbox, clock) as services:

            async def scan(what: str) -> Scan:
                sandbox.paperless.requests.clear()
                report = await services.scanners[INSTANCE].scan(ScanOrder())
                costs.append(_cost(sandbox, what))
                return report

            first = await scan("first scan")
            assert first.enqueued == documents
            clock.now += timedelta(minutes=30)
            await scan("nothing new")
            for _ in range(NEW):
                sandbox.world.add_document(_LETTER, "neu.pdf", added=clock.now)
            clock.now += timedelta(minutes=30)
            assert (await scan(f"{NEW} new documents")).enqueued == NEW
            clock.now += timedelta(hours=13)
            assert (await scan("night, nothing to find")).changed_since is not None
            sandbox.world.delete(min(sandbox.world.documents))
            clock.now += timedelta(days=1)
            assert (await scan("night, whole list")).changed_since is None
        costs.append(_others(sandbox, documents))
    return costs


@asynccontextmanager
async def _opened(folder: Path, sandbox: Sandbox, clock: BenchClock) -> AsyncIterator[Services]:
    config = folder / "config"
    config.mkdir()
    (config / f"{INSTANCE}.toml").write_text(sandbox.settings(SETTINGS), encoding="utf-8")
    (config / "daemon.toml").write_text('time_zone = "UTC"\n', encoding="utf-8")
    options = Options(config, folder / "data", log_at_least="error")
    async with (
        open_context(options, clock=clock) as memory,
        open_services(memory, memory.select_instances(None)) as services,
    ):
        await register_instances(services)
        yield services


def _others(sandbox: Sandbox, documents: int) -> Cost:
    """Read a full listing with all fields, as other tools do at every scan."""
    pages = -(-documents // OTHERS_PAGE)
    read = min(pages, _SAMPLE)
    sandbox.paperless.requests.clear()
    headers = {"Authorization": f"Token {sandbox.token}"}
    with httpx.Client(base_url=sandbox.url, headers=headers, timeout=120) as http:
        for page in range(1, read + 1):
            asked = {"page": page, "page_size": OTHERS_PAGE}
            http.get("/api/documents/", params=asked).raise_for_status()
    cost = _cost(sandbox, "plain full listing")
    return Cost(cost.what, pages, cost.kilobytes * pages / read)


def _cost(sandbox: Sandbox, what: str) -> Cost:
    made = list(sandbox.paperless.requests)
    return Cost(what, len(made), sum(request.sent + request.received for request in made) / 1000)


def _show(release: Release, by_size: dict[int, list[Cost]]) -> None:
    table = Table(title=f"Paperless {release.version}", title_justify="left")
    table.add_column("")
    for size in by_size:
        table.add_column(f"{size:,}: requests", justify="right")
        table.add_column("kB", justify="right")
    for costs in zip(*by_size.values(), strict=True):
        figures = (
            f"{cost.requests:,}" if i else f"{cost.kilobytes:,.1f}"
            for cost in costs
            for i in (1, 0)
        )
        table.add_row(costs[0].what, *figures)
    console().print(table)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)))
    parser.add_argument("--release", choices=["2", "3"], help="one release only")
    options = parser.parse_args()
    sizes = [int(size) for size in options.sizes.split(",")]
    for release in (RELEASES[options.release],) if options.release else (V3, V2):
        by_size = {}
        for size in sizes:
            with tempfile.TemporaryDirectory(prefix="paperclerk-bench-") as folder:
                by_size[size] = asyncio.run(measure(Path(folder), release, size))
        _show(release, by_size)


if __name__ == "__main__":
    main()
