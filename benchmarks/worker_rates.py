"""`make bench-workers`: jobs a second of several worker processes, beside procrastinate.

Every process claims and settles jobs that do nothing, as fast as it can: real workers spend seconds
in a model call between two claims. Measured beside the rate is the share of their time in which
the processes begin a transaction, most of which is the wait for the writer lock.
"""

import argparse
import asyncio
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import perf_counter

from rich.table import Table

from benchmarks.fill import INSTANCE, make_queue
from benchmarks.measure import Rates, console
from benchmarks.other_queues import procrastinate_queue
from core.calendar import utc_now
from core.jobs import Scope
from store.database import Database
from store.engine import engines_for
from store.store import Jobs
from tests.postgres import Server, running_postgres

WORKERS = (1, 4, 8)
SAMPLE = 100
"""Jobs of one process in one round."""
OURS, PROCRASTINATE = "ours", "procrastinate"


@dataclass(frozen=True, slots=True)
class Sample:
    """What one process did in one round, by the clock that all processes share."""

    began: float
    ended: float
    waited: float
    """Seconds in which it began transactions."""


@dataclass(frozen=True, slots=True)
class Round:
    """What all processes did together in one round."""

    samples: tuple[Sample, ...]

    @property
    def rate(self) -> float:
        busy = [sample for sample in self.samples if sample.ended > sample.began]
        seconds = max(sample.ended for sample in busy) - min(sample.began for sample in busy)
        return SAMPLE * len(self.samples) / seconds

    @property
    def waiting(self) -> float:
        """Return the share of the processes' time in which they began transactions."""
        worked = sum(sample.ended - sample.began for sample in self.samples)
        return sum(sample.waited for sample in self.samples) / worked


class Fleet:
    """Worker processes on one database, which work one sample off at a time."""

    def __init__(self, processes: Sequence["subprocess.Popen[str]"]) -> None:
        self._processes = processes

    def work_off(self) -> Round:
        for process in self._processes:
            assert process.stdin
            process.stdin.write("go\n")
            process.stdin.flush()
        return Round(tuple(Sample(**self._read(process)) for process in self._processes))

    @staticmethod
    def _read(process: "subprocess.Popen[str]") -> dict[str, float]:
        assert process.stdout
        found: dict[str, float] = json.loads(process.stdout.readline())
        return found


@contextmanager
def running_fleet(kind: str, url: str, number: int) -> Iterator[Fleet]:
    """Start so many workers of a kind; they end with the context."""
    command = [sys.executable, "-m", "benchmarks.worker_rates", "--work", kind, url]
    with ExitStack() as stack:
        processes = [
            stack.enter_context(
                subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            )
            for _ in range(number)
        ]
        for process in processes:
            assert process.stdin
            # They end when there is nothing more to read.
            stack.callback(process.stdin.close)
        yield Fleet(processes)


def measure(server: Server, folder: Path, number: int, rounds: int) -> dict[str, list[Round]]:
    """Let both kinds take turns; the first round warms up."""
    urls = {kind: server.url(server.create()) for kind in (OURS, PROCRASTINATE)}
    make_queue(urls[OURS], folder, finished=1000, pending=(rounds + 2) * number * SAMPLE)
    asyncio.run(_defer(urls[PROCRASTINATE], 0))
    found: dict[str, list[Round]] = {kind: [] for kind in urls}
    with ExitStack() as stack:
        fleets = {
            kind: stack.enter_context(running_fleet(kind, url, number))
            for kind, url in urls.items()
        }
        for turn in range(rounds + 1):
            for kind in (OURS, PROCRASTINATE) if turn % 2 else (PROCRASTINATE, OURS):
                if kind == PROCRASTINATE:
                    asyncio.run(_defer(urls[kind], number * SAMPLE))
                done = fleets[kind].work_off()
                if turn:
                    found[kind].append(done)
    return found


async def _defer(url: str, count: int) -> None:
    async with procrastinate_queue(url, create=not count) as queue:
        if count:
            await queue.prepare(count)


async def _work_ours(url: str) -> None:
    engines = engines_for(url, Path())
    database, waited = Database(engines), 0.0
    begin = engines.writer.dialect.do_begin

    def timed_begin(connection: object) -> None:
        nonlocal waited
        began = perf_counter()
        begin(connection)  # type: ignore[arg-type]  # as SQLAlchemy passes it
        waited += perf_counter() - began

    engines.writer.dialect.do_begin = timed_begin  # type: ignore[method-assign,assignment]
    jobs, scope = Jobs(database), Scope(instances=(INSTANCE,))
    worker = f"bench:{id(engines)}"
    for _ in sys.stdin:
        waited, began = 0.0, perf_counter()
        job = await jobs.claim(worker=worker, now=utc_now(), scope=scope)
        for _ in range(SAMPLE - 1):
            assert job is not None
            _, job = await jobs.succeed_and_claim(job, now=utc_now(), scope=scope)
        assert job is not None
        await jobs.succeed(job, now=utc_now())
        _report(Sample(began, perf_counter(), waited))
    await database.close()


async def _work_procrastinate(url: str) -> None:
    async with procrastinate_queue(url, create=False) as queue:
        for _ in sys.stdin:
            # A worker that comes too late finds nothing left.
            began, ended = await queue.drain() or (perf_counter(),) * 2
            _report(Sample(began, ended, 0.0))


def _report(sample: Sample) -> None:
    sys.stdout.write(
        json.dumps({"began": sample.began, "ended": sample.ended, "waited": sample.waited}) + "\n"
    )
    sys.stdout.flush()


def _show(by_number: dict[int, dict[str, list[Round]]]) -> None:
    table = Table(title="Claim and settle, jobs a second of all workers", title_justify="left")
    for heading in ("workers", "ours", "procrastinate", "ours is", "beginning transactions"):
        table.add_column(heading, justify="right")
    for number, found in by_number.items():
        rates = {kind: Rates(tuple(run.rate for run in done)) for kind, done in found.items()}
        table.add_row(
            str(number),
            f"{rates[OURS].median:.0f}",
            f"{rates[PROCRASTINATE].median:.0f}",
            f"{rates[OURS].beside(rates[PROCRASTINATE]):.2f} of it",
            f"{median(run.waiting for run in found[OURS]):.0%}",
        )
    console().print(table)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--work", nargs=2, metavar=("KIND", "URL"))
    options = parser.parse_args()
    if options.work:
        kind, url = options.work
        asyncio.run(_work_ours(url) if kind == OURS else _work_procrastinate(url))
        return
    with tempfile.TemporaryDirectory(prefix="clerk-bench-") as folder, running_postgres() as server:
        _show({n: measure(server, Path(folder), n, options.rounds) for n in WORKERS})


if __name__ == "__main__":
    main()
