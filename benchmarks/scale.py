"""`make bench-scale`: the capacity of one PostgreSQL, simulated from measured costs.

All processes share one writer lock. The time for which each kind of transaction holds it is
measured; in the simulation, workers call a model and wait for that lock between the calls.
"""

import argparse
import asyncio
import heapq
import tempfile
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random
from statistics import quantiles
from time import perf_counter

from rich.table import Table

from benchmarks.fill import INSTANCE, create_queue
from benchmarks.measure import console
from core.calendar import utc_now
from core.jobs import Scope, Stage
from store import Store, open_store
from tests.postgres import running_postgres

WORKERS = (10, 30, 100, 300, 1000)
A_DAY = 86_400
WANTED = 1_000_000
"""Documents per day."""
INSTANCES = 1_000
SCAN_INTERVAL = 1_800
"""Seconds between two scans of an instance."""
SCAN_WRITES = 4
"""Transactions of a scan that finds little: start, one page, finish, the next time."""
WRITES = 11
"""Writing transactions of a document, as `make bench-loop` counts them, without heartbeats."""
MODEL_SECONDS = 20.0
PAGES = 20
"""Live pages; each reads the new events twice a second at most."""
_SAMPLES = 200
_DOCUMENTS_PER_WORKER = 20


@dataclass(frozen=True, slots=True)
class Costs:
    """Seconds of each transaction, from BEGIN to COMMIT."""

    settle_and_claim: float
    write: float
    """A write with an event, such as progress."""
    heartbeat: float
    read_events: float
    """A read of a live page; readers do not take the lock."""


@dataclass(frozen=True, slots=True)
class Load:
    """The simulated load of a number of workers."""

    workers: int
    documents_a_day: float
    lock_busy: float
    """Share of the time in which the lock is held."""
    waited: float
    """Seconds that one document waits for the lock."""


async def measure(store: Store) -> Costs:
    """Measure the costs on a queue with pending jobs."""
    scope = Scope(instances=(INSTANCE,))
    job = await store.jobs.claim(worker="bench", now=utc_now(), scope=scope)
    assert job is not None
    held = job

    async def settle_and_claim() -> None:
        nonlocal held
        _, following = await store.jobs.succeed_and_claim(held, now=utc_now(), scope=scope)
        assert following is not None
        held = following

    async def heartbeat() -> None:
        await store.jobs.heartbeat(held, now=utc_now())

    percent = 0

    async def write() -> None:
        nonlocal percent
        percent = (percent + 1) % 100
        if not percent:
            await settle_and_claim()
        await store.jobs.record_progress(held, Stage.ANALYZE, percent, now=utc_now())

    async def read_events() -> None:
        last = await store.jobs.get_last_event_id()
        await store.jobs.list_events_with_jobs(last - 20, limit=500)

    return Costs(
        settle_and_claim=await _time(settle_and_claim),
        write=await _time(write),
        heartbeat=await _time(heartbeat),
        read_events=await _time(read_events),
    )


async def _time(transaction: Callable[[], Awaitable[None]]) -> float:
    """Return the lower quartile of the seconds: other load on the machine only adds to them."""
    taken: list[float] = []
    for _ in range(_SAMPLES):
        began = perf_counter()
        await transaction()
        taken.append(perf_counter() - began)
    return quantiles(taken, n=4)[0]


def simulate(workers: int, costs: Costs, *, seed: int = 2026) -> Load:
    """Simulate workers that file documents in parallel; all their writes wait for one lock.

    Half of a document's writes come before the model call and half after it. Heartbeats of the
    call and the scans of all instances load the lock evenly.
    """
    random = Random(seed)  # noqa: S311 - chance, not secrecy
    scans = INSTANCES / SCAN_INTERVAL * SCAN_WRITES * costs.write
    background = min(0.99, scans + workers * costs.heartbeat)
    free_at, waited, busy, ended = 0.0, 0.0, 0.0, 0.0
    # When each worker next needs the lock, and how many writes it has made for its document.
    due = [(random.uniform(0, MODEL_SECONDS), number, 0) for number in range(workers)]
    heapq.heapify(due)
    left = workers * _DOCUMENTS_PER_WORKER
    while left:
        now, number, made = heapq.heappop(due)
        # The background load makes every hold of the lock longer.
        held = (costs.settle_and_claim if made == WRITES - 1 else costs.write) / (1 - background)
        begins = max(now, free_at)
        waited += begins - now
        free_at = begins + held
        busy += held
        made += 1
        if made == WRITES:
            left, ended, made = left - 1, free_at, 0
        calls_model = made == WRITES // 2
        pause = random.expovariate(1 / MODEL_SECONDS) if calls_model else 0.0
        heapq.heappush(due, (free_at + pause, number, made))
    documents = workers * _DOCUMENTS_PER_WORKER
    return Load(
        workers,
        documents_a_day=documents / ended * A_DAY,
        lock_busy=min(1.0, busy / ended * (1 - background) + background),
        waited=waited / documents,
    )


def _show_costs(costs: Costs) -> None:
    table = Table(title="Measured, milliseconds", title_justify="left")
    table.add_column("transaction")
    table.add_column("ms", justify="right")
    for name, seconds in (
        ("settle a job and claim the next", costs.settle_and_claim),
        ("a write with an event", costs.write),
        ("a heartbeat", costs.heartbeat),
        ("the new events, for a live page", costs.read_events),
    ):
        table.add_row(name, f"{seconds * 1000:.2f}")
    console().print(table)


def _show_loads(costs: Costs) -> None:
    table = Table(
        title=f"Simulated: {INSTANCES:,} instances, a model call of {MODEL_SECONDS:.0f} s",
        title_justify="left",
    )
    for heading in ("workers", "documents per day", "lock in use", "wait per document"):
        table.add_column(heading, justify="right")
    for load in (simulate(number, costs) for number in WORKERS):
        table.add_row(
            f"{load.workers:,}",
            f"{load.documents_a_day:,.0f}",
            f"{load.lock_busy:.0%}",
            f"{load.waited * 1000:,.0f} ms",
        )
    console().print(table)
    needed = WANTED / A_DAY * MODEL_SECONDS
    pages = PAGES * 2 * costs.read_events
    console().print(
        f"{WANTED:,} documents per day need at least {needed:.0f} workers. "
        f"{PAGES} live pages keep {pages:.1%} of one core of the server busy."
    )


async def _run(url: str, folder: Path) -> None:
    create_queue(url, folder, finished=1000, pending=_SAMPLES * 2)
    async with open_store(url, folder) as store:
        costs = await measure(store)
    _show_costs(costs)
    _show_loads(costs)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--costs",
        metavar="MS,MS,MS,MS",
        help="simulate with these milliseconds, in the order of the table, and measure nothing",
    )
    options = parser.parse_args()
    if options.costs:
        _show_loads(Costs(*(float(cost) / 1000 for cost in options.costs.split(","))))
        return
    with (
        tempfile.TemporaryDirectory(prefix="paperclerk-bench-") as folder,
        running_postgres() as server,
    ):
        asyncio.run(_run(server.url(server.create()), Path(folder)))


if __name__ == "__main__":
    main()
