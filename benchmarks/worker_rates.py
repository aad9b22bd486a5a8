"""`make bench-workers`: jobs per second of several worker processes, compared with procrastinate.

Every process claims and settles jobs that do nothing, as fast as it can; real workers spend seconds
in a model call between two claims. The share of time to begin transactions is measured as well:
most of it is the wait for the writer lock.
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

from benchmarks.fill import INSTANCE, create_queue
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
"""Jobs per process and round."""
OURS, PROCRASTINATE = "ours", "procrastinate"


@dataclass(frozen=True, slots=True)
class Sample:
    """One round of one process; all processes share the clock."""

    began: float
    ended: float
    waited: float
    """Seconds spent beginning transactions."""


@dataclass(frozen=True, slots=True)
class Round:
    """One round of all processes."""

    samples: tuple[Sample, ...]

    @property
    def rate(self) -> float:
        busy = [sample for sample in self.samples if sample.ended > sample.began]
        seconds = max(sample.ended for sample in busy) - min(sample.began for sample in busy)
        return SAMPLE * len(self.samples) / seconds

    @property
    def waiting(self) -> float:
        """Share of the processes' time spent beginning transactions."""
        worked = sum(sample.ended - sample.began for sample in self.samples)
        return sum(sample.waited for sample in self.samples) / worked


class WorkerGroup:
    """Worker processes on one database, which process one sample at a time."""

    def __init__(self, processes: Sequence["subprocess.Popen[str]"]) -> None:
        self._processes = processes

    def run_round(self) -> Round:
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
def running_workers(kind: str, url: str, number: int) -> Iterator[WorkerGroup]:
    """Start worker processes of one kind; they end with the context."""
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
            # A worker ends at the end of its input.
            stack.callback(process.stdin.close)
        yield WorkerGroup(processes)


def measure(server: Server, folder: Path, number: int, rounds: int) -> dict[str, list[Round]]:
    """Measure both kinds in turns; the first round warms up."""
    urls = {kind: server.url(server.create()) for kind in (OURS, PROCRASTINATE)}
    create_queue(urls[OURS], folder, finished=1000, pending=(rounds + 2) * number * SAMPLE)
    asyncio.run(_defer(urls[PROCRASTINATE], 0))
    found: dict[str, list[Round]] = {kind: [] for kind in urls}
    with ExitStack() as stack:
        groups = {
            kind: stack.enter_context(running_workers(kind, url, number))
            for kind, url in urls.items()
        }
        for turn in range(rounds + 1):
            for kind in (OURS, PROCRASTINATE) if turn % 2 else (PROCRASTINATE, OURS):
                if kind == PROCRASTINATE:
                    asyncio.run(_defer(urls[kind], number * SAMPLE))
                done = groups[kind].run_round()
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
            # A late worker may find an empty queue.
            began, ended = await queue.drain() or (perf_counter(),) * 2
            _report(Sample(began, ended, 0.0))


def _report(sample: Sample) -> None:
    sys.stdout.write(
        json.dumps({"began": sample.began, "ended": sample.ended, "waited": sample.waited}) + "\n"
    )
    sys.stdout.flush()


def _show(by_number: dict[int, dict[str, list[Round]]]) -> None:
    table = Table(title="Claim and settle, jobs per second of all workers", title_justify="left")
    for heading in ("workers", "ours", "procrastinate", "ratio", "time to begin transactions"):
        table.add_column(heading, justify="right")
    for number, found in by_number.items():
        rates = {kind: Rates(tuple(run.rate for run in done)) for kind, done in found.items()}
        table.add_row(
            str(number),
            f"{rates[OURS].median:.0f}",
            f"{rates[PROCRASTINATE].median:.0f}",
            f"{rates[OURS].ratio_to(rates[PROCRASTINATE]):.2f}",
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
    with (
        tempfile.TemporaryDirectory(prefix="paperclerk-bench-") as folder,
        running_postgres() as server,
    ):
        _show({n: measure(server, Path(folder), n, options.rounds) for n in WORKERS})


if __name__ == "__main__":
    main()
