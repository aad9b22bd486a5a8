"""`make bench-queue`: the rate of our queue compared with others, and by the size of its tables."""

import argparse
import asyncio
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

from rich.table import Table

from benchmarks.measure import BenchQueue, Rates, console, measure_in_turns
from benchmarks.other_queues import HueyQueue, procrastinate_queue
from benchmarks.our_queue import measure_worker_memory, our_queue
from benchmarks.plain_sqlite import plain_queue
from tests.postgres import Server, running_postgres

SAMPLE = 50
"""Jobs in one sample: few, so that a round ends before the load of the machine changes."""
SQLITE, POSTGRES = "SQLite", "PostgreSQL"


@dataclass(frozen=True, slots=True)
class Bench:
    """Folder, server and number of rounds of a measurement."""

    folder: Path
    server: Server
    rounds: int

    @property
    def pending(self) -> int:
        """Number of pending jobs that all rounds and the memory measurement need."""
        return (self.rounds + 3) * SAMPLE

    def url(self, engine: str) -> str | None:
        """Create a database and return its URL; None for SQLite."""
        return self.server.url(self.server.create()) if engine == POSTGRES else None

    async def compare(self, finished: int) -> Mapping[str, Rates]:
        """Compare our queue with others."""
        folder, pending = self.folder, self.pending
        async with AsyncExitStack() as stack:
            enter = stack.enter_async_context
            queues: list[BenchQueue] = [
                await enter(
                    our_queue(
                        f"ours, {engine}",
                        folder / f"ours-{engine}",
                        url=self.url(engine),
                        finished=finished,
                        pending=pending,
                    )
                )
                for engine in (SQLITE, POSTGRES)
            ]
            queues += [
                stack.enter_context(
                    plain_queue(folder / "plain", finished=finished, pending=pending)
                ),
                HueyQueue(folder / "huey.db"),
                await enter(procrastinate_queue(self.server.url(self.server.create()))),
            ]
            return await measure_in_turns(queues, rounds=self.rounds, sample=SAMPLE)

    async def grow(self, engine: str, sizes: Sequence[int]) -> None:
        """Compare our queue on tables of these sizes."""
        places = {size: (self.folder / f"{engine}-{size}", self.url(engine)) for size in sizes}
        async with AsyncExitStack() as stack:
            queues = [
                await stack.enter_async_context(
                    our_queue(f"{size:,}", folder, url=url, finished=size, pending=self.pending)
                )
                for size, (folder, url) in places.items()
            ]
            rates = await measure_in_turns(queues, rounds=self.rounds, sample=SAMPLE)
        _show_growing(engine, rates, [measure_worker_memory(*place) for place in places.values()])


def _show_comparison(rates: Mapping[str, Rates]) -> None:
    table = Table(title="Claim and settle, jobs per second", title_justify="left")
    for heading in ("queue", "median", "middle half", "our ratio"):
        table.add_column(heading, justify="left" if heading == "queue" else "right")
    for name, rate in rates.items():
        ours = f"ours, {POSTGRES if POSTGRES in name else SQLITE}"
        lower, upper = rate.middle_half
        ratio = "" if name == ours else f"{rates[ours].ratio_to(rate):.2f}"
        table.add_row(name, f"{rate.median:.0f}", f"{lower:.0f} to {upper:.0f}", ratio)
    console().print(table)


def _show_growing(engine: str, rates: Mapping[str, Rates], memory: Sequence[float]) -> None:
    table = Table(title=f"Ours on {engine}, by finished jobs", title_justify="left")
    for heading in ("finished jobs", "jobs per second", "ratio to the first row", "memory"):
        table.add_column(heading, justify="right")
    smallest = next(iter(rates.values()))
    for (name, rate), used in zip(rates.items(), memory, strict=True):
        table.add_row(
            name, f"{rate.median:.0f}", f"{rate.ratio_to(smallest):.2f}", f"{used:.0f} MiB"
        )
    console().print(table)


async def measure(bench: Bench, sizes: Sequence[int]) -> None:
    _show_comparison(await bench.compare(finished=sizes[0]))
    for engine in (SQLITE, POSTGRES):
        await bench.grow(engine, sizes)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--sizes", default="1000,100000,1000000")
    options = parser.parse_args()
    sizes = [int(size) for size in options.sizes.split(",")]
    with (
        tempfile.TemporaryDirectory(prefix="paperclerk-bench-") as folder,
        running_postgres() as server,
    ):
        asyncio.run(measure(Bench(Path(folder), server, options.rounds), sizes))


if __name__ == "__main__":
    main()
