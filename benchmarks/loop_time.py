"""`make bench-loop`: our loop beside a plain script that makes the same calls."""

import argparse
import asyncio
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import current_thread
from time import perf_counter

import httpx
from rich.table import Table
from sqlalchemy import Connection, Engine, event

from benchmarks.measure import console, memory_mb
from benchmarks.sandbox_process import OURS, Address, running_sandbox
from benchmarks.script import Script
from core.jobs import JobStatus
from daemon.cli.arguments import Options
from daemon.context import open_context
from daemon.lifecycle import register_instances
from daemon.services import Services, open_services
from scanner.scan import ScanOrder
from store.engine import FILE_NAME

INSTANCE = "home"
TABLES = f"""
[scan]
include_tags = ["{OURS}"]

[fields]
title = "replace"
correspondent = "replace"
document_type = "replace"
tags = "replace"
date = "replace"

[names]
tags = "never"
correspondents = "never"

[limits]
documents_per_day = 0
"""


@dataclass(slots=True)
class Taken:
    """What one contestant took."""

    seconds: float = 0.0
    requests: Counter[str] = field(default_factory=Counter)


async def measure(folder: Path, *, documents: int, delay: float) -> None:
    """Let both work off their documents in halves: ours, script, script, ours."""
    ours, script, half = Taken(), Taken(), documents // 2
    with (
        running_sandbox(documents=documents * 2, delay=delay) as address,
        counted_transactions() as transactions,
    ):
        async with running_services(folder, address) as services:
            await _ours(services, half, ours, address)
            _script(address, 1, half, script)
            _script(address, 2, half, script)
            await _ours(services, half, ours, address)
            connections = open_connections(folder)
    _show(ours, script, documents=documents, delay=delay)
    rates = ", ".join(f"{count / documents:.1f} {who}" for who, count in transactions.items())
    console().print(f"Transactions a document: {rates}. Database connections: {connections}.")
    console().print(f"Memory of our process, script and all: {memory_mb():.0f} MiB.")


@asynccontextmanager
async def running_services(
    folder: Path, address: Address, tables: str = TABLES
) -> AsyncIterator[Services]:
    """Open a clerk for the world at `address`, as the daemon does."""
    config = folder / "config"
    config.mkdir()
    (config / f"{INSTANCE}.toml").write_text(address.settings + tables, encoding="utf-8")
    options = Options(config, folder / "data", log_at_least="error")
    async with (
        open_context(options) as memory,
        open_services(memory, memory.select_instances(None)) as services,
    ):
        await register_instances(services)
        yield services


async def _ours(services: Services, count: int, taken: Taken, address: Address) -> None:
    began = perf_counter()
    await services.scanners[INSTANCE].scan(ScanOrder(limit=count))
    finished = [ended async for ended in services.processor().drain()]
    taken.seconds += perf_counter() - began
    assert [ended.job.status for ended in finished] == [JobStatus.COMPLETED] * count
    taken.requests += requests_made(address)


def _script(address: Address, page: int, count: int, taken: Taken) -> None:
    headers = {"Authorization": f"Token {address.token}"}
    began = perf_counter()
    with httpx.Client(base_url=address.paperless, headers=headers, timeout=60) as http:
        Script(address, http).run(page=page, count=count)
    taken.seconds += perf_counter() - began
    taken.requests += requests_made(address)


def requests_made(address: Address) -> Counter[str]:
    """Count the requests to Paperless since the last time, by what they are."""
    log = f"{address.paperless}/sandbox/requests"
    made = httpx.get(log, timeout=60).json()
    httpx.delete(log, timeout=60)
    return Counter(_kind(request["method"], request["path"]) for request in made)


def _kind(method: str, path: str) -> str:
    of_one = path.removeprefix("/api/documents/").strip("/").isdecimal()
    return f"{method} {'document' if of_one else path.removeprefix('/api/')}"


@contextmanager
def counted_transactions() -> Iterator[Counter[str]]:
    """Count commits by who makes them: the store's writer, or one of its readers."""
    counted: Counter[str] = Counter()

    def on_commit(_: Connection) -> None:
        writes = current_thread().name.startswith("store-writer")
        counted["writing" if writes else "reading"] += 1

    event.listen(Engine, "commit", on_commit)
    try:
        yield counted
    finally:
        event.remove(Engine, "commit", on_commit)


def open_connections(folder: Path) -> int:
    """Count how often this process has the database open: once for each connection."""
    file = (folder / "data" / FILE_NAME).resolve()
    return sum(link.resolve() == file for link in Path("/proc/self/fd").iterdir())


def _show(ours: Taken, script: Taken, *, documents: int, delay: float) -> None:
    title = f"{documents} documents, a model that takes {delay} s"
    table = Table(title=title, title_justify="left")
    for heading in ("", "seconds", "of the script's", "beside the model, a document", "requests"):
        table.add_column(heading, justify="right" if heading else "left")
    for name, taken in (("our loop", ours), ("plain script", script)):
        own = (taken.seconds / documents - delay) * 1000
        table.add_row(
            name,
            f"{taken.seconds:.1f}",
            f"{taken.seconds / script.seconds:.3f}",
            f"{own:.1f} ms",
            f"{taken.requests.total() / documents:.2f}",
        )
    console().print(table)
    for name, taken in (("Our loop", ours), ("Plain script", script)):
        made = ", ".join(f"{kind} {n / documents:.2f}" for kind, n in taken.requests.most_common())
        console().print(f"{name}, a document: {made}.")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=200)
    parser.add_argument("--delay", type=float, default=0.5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="clerk-bench-") as folder:
        asyncio.run(measure(Path(folder), documents=options.documents, delay=options.delay))


if __name__ == "__main__":
    main()
