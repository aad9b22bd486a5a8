"""`make bench-loop`: our loop compared with a plain script that makes the same calls."""

import argparse
import asyncio
import re
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from importlib import import_module
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
class Usage:
    """Time and requests of one side."""

    seconds: float = 0.0
    requests: Counter[str] = field(default_factory=Counter)


async def measure(folder: Path, *, documents: int, delay: float) -> None:
    """File the documents of both sides in halves: ours, script, script, ours."""
    # The script has loaded the SDK; our program would load it with the first document.
    import_module("processor.analysis.openai_client")
    ours, script, half = Usage(), Usage(), documents // 2
    with (
        running_sandbox(documents=documents * 2, delay=delay) as address,
        counted_transactions() as transactions,
    ):
        async with running_services(folder, address) as services:
            await _run_ours(services, half, ours, address)
            _run_script(address, 1, half, script)
            _run_script(address, 2, half, script)
            await _run_ours(services, half, ours, address)
            connections = open_connections(folder)
    _show(ours, script, documents=documents, delay=delay)
    rates = ", ".join(f"{count / documents:.1f} {who}" for who, count in transactions.items())
    console().print(f"Transactions per document: {rates}. Database connections: {connections}.")
    console().print(f"Memory of our process, including the script: {memory_mb():.0f} MiB.")


@asynccontextmanager
async def running_services(
    folder: Path, address: Address, tables: str = TABLES
) -> AsyncIterator[Services]:
    """Open the services for the sandbox at `address`, as the daemon does."""
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


async def _run_ours(services: Services, count: int, usage: Usage, address: Address) -> None:
    began = perf_counter()
    await services.scanners[INSTANCE].scan(ScanOrder(limit=count))
    finished = [ended async for ended in services.processor().drain()]
    usage.seconds += perf_counter() - began
    assert [ended.job.status for ended in finished] == [JobStatus.COMPLETED] * count
    usage.requests += fetch_request_counts(address)


def _run_script(address: Address, page: int, count: int, usage: Usage) -> None:
    headers = {"Authorization": f"Token {address.token}"}
    began = perf_counter()
    with httpx.Client(base_url=address.paperless, headers=headers, timeout=60) as http:
        Script(address, http).run(page=page, count=count)
    usage.seconds += perf_counter() - began
    usage.requests += fetch_request_counts(address)


def fetch_request_counts(address: Address) -> Counter[str]:
    """Count the requests to Paperless since the last call, by kind."""
    log = f"{address.paperless}/sandbox/requests"
    made = httpx.get(log, timeout=60).json()
    httpx.delete(log, timeout=60)
    return Counter(_kind(request["method"], request["path"]) for request in made)


def _kind(method: str, path: str) -> str:
    path = re.sub(r"^/api/documents/\d+/", "document/", path).removeprefix("/api/")
    return f"{method} {path}"


@contextmanager
def counted_transactions() -> Iterator[Counter[str]]:
    """Count the commits of the store's writer and of its readers."""
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
    """Return the number of database connections of this process: open descriptors of the file."""
    file = (folder / "data" / FILE_NAME).resolve()
    return sum(link.resolve() == file for link in Path("/proc/self/fd").iterdir())


def _show(ours: Usage, script: Usage, *, documents: int, delay: float) -> None:
    title = f"{documents} documents, a model that takes {delay} s"
    table = Table(title=title, title_justify="left")
    for heading in ("", "seconds", "ratio", "per document without the model", "requests"):
        table.add_column(heading, justify="right" if heading else "left")
    for name, usage in (("our loop", ours), ("plain script", script)):
        own = (usage.seconds / documents - delay) * 1000
        table.add_row(
            name,
            f"{usage.seconds:.1f}",
            f"{usage.seconds / script.seconds:.3f}",
            f"{own:.1f} ms",
            f"{usage.requests.total() / documents:.2f}",
        )
    console().print(table)
    for name, usage in (("Our loop", ours), ("Plain script", script)):
        made = ", ".join(f"{kind} {n / documents:.2f}" for kind, n in usage.requests.most_common())
        console().print(f"{name}, a document: {made}.")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=200)
    parser.add_argument("--delay", type=float, default=0.5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="paperclerk-bench-") as folder:
        asyncio.run(measure(Path(folder), documents=options.documents, delay=options.delay))


if __name__ == "__main__":
    main()
