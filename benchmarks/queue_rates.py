"""`make bench-queue`: the rate of our queue beside others, and on tables that grow."""

import argparse
import asyncio
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

from rich.table import Table

from benchmarks.measure import Contestant, Rates, console, take_turns
from benchmarks.other_queues import HueyQueue, procrastinate_queue
from benchmarks.our_queue import memory_of_worker, our_queue
from benchmarks.plain_sqlite import plain_queue
from tests.postgres import Server, running_postgres

SAMPLE = 50
"""Jobs in one sample: short, so that a round is over before the load of the machine changes."""
SQLITE, POSTGRES = "SQLite", "PostgreSQL"


@dataclass(frozen=True, slots=True)
class Bench:
    """Where and how long is measured."""

    folder: Path
    server: Server
    rounds: int

    @property
    def pending(self) -> int:
        """Count the jobs that must wait at the beginning, some for the look at the memory."""
        return (self.rounds + 3) * SAMPLE

    def url(self, engine: str) -> str | None:
        """Make a fresh database; SQLite has none but its file."""
        return self.server.url(self.server.create()) if engine == POSTGRES else None

    async def compare(self, finished: int) -> Mapping[str, Rates]:
        """Measure our queue beside others."""
        folder, pending = self.folder, self.pending
        async with AsyncExitStack() as stack:
            enter = stack.enter_async_context
            contestants: list[Contestant] = [
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
            contestants += [
                stack.enter_context(
                    plain_queue(folder / "plain", finished=finished, pending=pending)
                ),
                HueyQueue(folder / "huey.db"),
                await enter(procrastinate_queue(self.server.url(self.server.create()))),
            ]
            return await take_turns(contestants, rounds=self.rounds, sample=SAMPLE)

    async def grow(self, engine: str, sizes: Sequence[int]) -> None:
        """Measure our queue on tables of these sizes, beside each other."""
        places = {size: (self.folder / f"{engine}-{size}", self.url(engine)) for size in sizes}
        async with AsyncExitStack() as stack:
            queues = [
                await stack.enter_async_context(
                    our_queue(f"{size:,}", folder, url=url, finished=size, pending=self.pending)
                )
                for size, (folder, url) in places.items()
            ]
            rates = await take_turns(queues, rounds=self.rounds, sample=SAMPLE)
        _show_growing(engine, rates, [memory_of_worker(*place) for place in places.values()])


def _show_comparison(rates: Mapping[str, Rates]) -> None:
    table = Table(title="Claim and settle, jobs a second", title_justify="left")
    for heading in ("queue", "median", "middle half", "ours is"):
        table.add_column(heading, justify="left" if heading == "queue" else "right")
    for name, rate in rates.items():
        ours = f"ours, {POSTGRES if POSTGRES in name else SQLITE}"
        lower, upper = rate.middle_half
        beside = "" if name == ours else f"{rates[ours].beside(rate):.2f} of it"
        table.add_row(name, f"{rate.median:.0f}", f"{lower:.0f} to {upper:.0f}", beside)
    console().print(table)


def _show_growing(engine: str, rates: Mapping[str, Rates], memory: Sequence[float]) -> None:
    table = Table(title=f"Ours on {engine}, by finished jobs", title_justify="left")
    for heading in ("finished jobs", "jobs a second", "of the smallest's", "memory"):
        table.add_column(heading, justify="right")
    smallest = next(iter(rates.values()))
    for (name, rate), used in zip(rates.items(), memory, strict=True):
        table.add_row(name, f"{rate.median:.0f}", f"{rate.beside(smallest):.2f}", f"{used:.0f} MiB")
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
    with tempfile.TemporaryDirectory(prefix="clerk-bench-") as folder, running_postgres() as server:
        asyncio.run(measure(Bench(Path(folder), server, options.rounds), sizes))


if __name__ == "__main__":
    main()
