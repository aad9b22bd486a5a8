"""`make bench-stream`: how much twenty followers of the dashboard slow the queue down."""

import argparse
import asyncio
import re
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from threading import Event
from time import monotonic

import httpx
from rich.table import Table

from benchmarks.follower_process import FollowerCounts, running_followers
from benchmarks.loop_time import INSTANCE, TABLES
from benchmarks.measure import console, cpu_seconds, memory_mb
from benchmarks.sandbox_process import Address, running_sandbox
from core.access import NewToken, Permission
from daemon.cli.arguments import Options
from daemon.context import open_context
from dashboard.auth.account import create_token
from store.engine import FILE_NAME

MAX_RATIO = 1.05
"""Maximum ratio of the times with and without followers."""
MAX_STOP_SECONDS = 5.0
_PAPERCLERK = str(Path(sys.executable).with_name("paperclerk"))
_TIMEOUT = 600.0
_PART = 50
"""Documents per part. Parts alternate, so that noise affects both sides."""
_DELIVERY_TIME = 1.2
"""Seconds after which every event has been delivered."""
_SETTLED = 3.0
"""Seconds after which a closed connection has been cleaned up."""
_LOCAL, _STATE, _INODE = 1, 3, 9
"""Columns of /proc/net/tcp."""
_LISTENING = "0A"
_TOOK = """
SELECT (julianday(max(finished_at)) - julianday(min(claimed))) * 86400, count(*) FROM (
    SELECT finished_at, (SELECT min(at) FROM events WHERE job_id = jobs.id AND name = 'claimed')
    AS claimed FROM jobs WHERE id > ? AND status = 'completed')
"""


@dataclass(frozen=True, slots=True)
class ProcessUsage:
    """Resources of a process."""

    clients: int
    """Open connections to the dashboard."""
    files: int
    threads: int
    memory: float

    @classmethod
    def of(cls, daemon: "RunningDaemon") -> "ProcessUsage":
        process = Path(f"/proc/{daemon.process.pid}")
        return cls(
            clients=_count_connections(process, int(daemon.address.rpartition(":")[2])),
            files=len(_list_folder(process / "fd")),
            threads=len(_list_folder(process / "task")),
            memory=memory_mb(daemon.process.pid),
        )


@dataclass(frozen=True, slots=True)
class PartCost:
    """Time to process one part of the documents."""

    seconds: float
    cpu: float
    """CPU seconds of the daemon."""


@dataclass(slots=True)
class Measured:
    """All measurements."""

    alone: list[PartCost] = field(default_factory=list)
    followed: list[PartCost] = field(default_factory=list)
    counts: list[FollowerCounts] = field(default_factory=list)
    complete: bool = True
    """Whether each follower received every event, in order."""
    before: ProcessUsage | None = None
    after: ProcessUsage | None = None
    stop: float = 0.0

    def ratio(self, what: Callable[[PartCost], float]) -> float:
        """Return the median ratio of consecutive parts, with followers to without."""
        pairs = zip(self.followed, self.alone, strict=True)
        return median(what(followed) / what(alone) for followed, alone in pairs)


class RunningDaemon:
    """A daemon in a separate process."""

    def __init__(self, process: "subprocess.Popen[bytes]", options: Options, token: str) -> None:
        self.process = process
        self.token = token
        self.log = options.data / "log"
        self._database = options.data / FILE_NAME
        self.address = f"http://{self._wait_for_log(r'web=(127.0.0.1:[0-9]+)')}"

    def file_documents(self, count: int) -> PartCost:
        """Scan for `count` documents, and wait until all are completed."""
        before = cpu_seconds(self.process.pid)
        last = self.ask("SELECT coalesce(max(id), 0) FROM jobs")[0]
        self.start_scan(limit=count)
        for _ in range(int(_TIMEOUT / 0.5)):
            # The times come from the events, so polling does not affect them.
            Event().wait(0.5)
            seconds, done = self.ask(_TOOK, last)
            if done == count:
                return PartCost(float(seconds), cpu_seconds(self.process.pid) - before)
        raise RuntimeError(f"{done} of {count} documents were completed in {_TIMEOUT:.0f} s")

    def start_scan(self, **wanted: int) -> None:
        """Start a scan now, with further keys of the request such as `limit`."""
        headers = {"authorization": f"Bearer {self.token}"}
        body = {"instance": INSTANCE, **wanted}
        scans = f"{self.address}/api/v1/scans"
        httpx.post(scans, json=body, headers=headers, timeout=60).raise_for_status()

    def ask(self, question: str, *values: int) -> tuple[int, ...]:
        with closing(sqlite3.connect(f"file:{self._database}?mode=ro", uri=True)) as connection:
            row: tuple[int, ...] = connection.execute(question, values).fetchone()
            return row

    def _wait_for_log(self, pattern: str) -> str:
        for _ in range(1800):  # a busy machine takes minutes to start a process
            if found := re.search(pattern, self.log.read_text(encoding="utf-8")):
                return found[1]
            Event().wait(0.1)
        raise RuntimeError(f"the daemon did not start: {self.log.read_text(encoding='utf-8')}")


@contextmanager
def running_daemon(
    folder: Path, address: Address, *, scan: str = "enabled = false", descriptors: int | None = None
) -> Iterator[RunningDaemon]:
    """Start a daemon for the sandbox at `address`; kill it at the end if it is still running.

    `descriptors` limits its open file descriptors; None means no limit beyond the system's.
    """
    options = Options(folder / "config", folder / "data", log_at_least="error")
    options.config.mkdir(parents=True)
    tables = TABLES.replace("[scan]", f"[scan]\n{scan}")
    (options.config / f"{INSTANCE}.toml").write_text(address.settings + tables, encoding="utf-8")
    web = '[web]\nhost = "127.0.0.1"\nport = 0\n'
    (options.config / "daemon.toml").write_text(web, encoding="utf-8")
    token = asyncio.run(_create_token(options))
    folders = ("--config", str(options.config), "--data", str(options.data))
    command: tuple[str, ...] = (_PAPERCLERK, *folders, "run")
    if descriptors is not None:
        command = ("sh", "-c", f'ulimit -n {descriptors} && exec "$@"', "sh", *command)
    with (
        (options.data / "log").open("wb") as log,
        subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=log) as process,
    ):
        try:
            yield RunningDaemon(process, options, token)
        finally:
            if process.poll() is None:
                process.kill()


def measure(folder: Path, *, documents: int, followers: int, delay: float) -> Measured:
    """File documents without and with followers, in alternating parts."""
    found, part = Measured(), min(_PART, documents)
    with (
        running_sandbox(documents=4 * (documents + part), delay=delay) as world,
        running_daemon(folder, world) as daemon,
    ):
        # Warm up the caches, such as the lists of names, without and with followers.
        daemon.file_documents(2)
        _file_with_followers(daemon, Measured(), 2, followers)
        found.before = ProcessUsage.of(daemon)
        for number in range(documents // part):
            if number % 2:
                found.followed.append(_file_with_followers(daemon, found, part, followers))
            found.alone.append(daemon.file_documents(part))
            if not number % 2:
                found.followed.append(_file_with_followers(daemon, found, part, followers))
        Event().wait(_SETTLED)
        found.after = ProcessUsage.of(daemon)
        found.stop = _stop(daemon, followers)
    return found


def _file_with_followers(
    daemon: RunningDaemon, found: Measured, count: int, followers: int
) -> PartCost:
    followed_by = running_followers(daemon.address, daemon.token, count=followers, with_pages=True)
    with followed_by as process:
        [last] = daemon.ask("SELECT max(id) FROM events")
        took = daemon.file_documents(count)
        Event().wait(_DELIVERY_TIME)
        counts = process.stop()
    [newest] = daemon.ask("SELECT max(id) FROM events")
    found.counts += counts
    found.complete &= all(
        (count.first, count.last, count.gaps) == (last + 1, newest, 0) for count in counts
    )
    return took


def _stop(daemon: RunningDaemon, followers: int) -> float:
    """Stop the daemon while all followers are connected; return the seconds until it has ended."""
    with running_followers(daemon.address, daemon.token, count=followers, with_pages=True):
        began = monotonic()
        daemon.process.terminate()
        daemon.process.wait(60)
        return monotonic() - began


async def _create_token(options: Options) -> str:
    async with open_context(options) as memory:
        new = NewToken("bench", Permission.ADMIN)
        token, _ = await create_token(memory.store, new, now=memory.clock())
        return token


def _list_folder(folder: Path) -> list[Path]:
    return list(folder.iterdir())


def _count_connections(process: Path, port: int) -> int:
    """Return how many connections to a port a process has open.

    Other sockets, such as those to Paperless, are not counted: their number depends on the work.
    """
    _, *rows = (line.split() for line in (process / "net/tcp").read_text().splitlines())
    accepted = {
        f"socket:[{row[_INODE]}]"
        for row in rows
        if row[_LOCAL].endswith(f":{port:04X}") and row[_STATE] != _LISTENING
    }
    return sum(str(link.readlink()) in accepted for link in _list_folder(process / "fd"))


def show(found: Measured, *, documents: int, followers: int, delay: float) -> None:
    title = f"{documents} documents and {documents} more, a model that takes {delay} s"
    table = Table(title=title, title_justify="left")
    for heading in ("", "seconds", "CPU seconds", "ratio", "CPU ratio"):
        table.add_column(heading, justify="right" if heading else "left")
    ratios = found.ratio(_seconds), found.ratio(_cpu)
    for name, took, (time, cpu) in (
        ("without followers", found.alone, (1.0, 1.0)),
        (f"with {followers} followers", found.followed, ratios),
    ):
        sums = (f"{sum(map(_seconds, took)):.1f}", f"{sum(map(_cpu, took)):.1f}")
        table.add_row(name, *sums, f"{time:.3f}", f"{cpu:.3f}")
    console().print(table)
    pages, events = (
        sum(getattr(counts, what) for counts in found.counts) for what in ("pages", "events")
    )
    console().print(f"Ratio of at most {MAX_RATIO}: {_verdict(ratios[0] <= MAX_RATIO)}.")
    console().print(f"The followers received {events:,} events and {pages:,} pages.")
    console().print(f"Each received every event, in order: {'yes' if found.complete else 'NO'}.")
    console().print(f"Daemon before the followers connected: {found.before}")
    console().print(f"Daemon {_SETTLED:.0f} s after they disconnected: {found.after}")
    stopped = _verdict(found.stop < MAX_STOP_SECONDS)
    console().print(f"Stop with {followers} followers: {found.stop:.1f} s; under 5 s: {stopped}.")


def _seconds(took: PartCost) -> float:
    return took.seconds


def _cpu(took: PartCost) -> float:
    return took.cpu


def _verdict(is_met: bool) -> str:  # noqa: FBT001 - the goal is met or not
    return "met" if is_met else "missed"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=500)
    parser.add_argument("--followers", type=int, default=20)
    parser.add_argument("--delay", type=float, default=0.1)
    given = vars(parser.parse_args())
    with tempfile.TemporaryDirectory(prefix="paperclerk-bench-") as folder:
        show(measure(Path(folder), **given), **given)


if __name__ == "__main__":
    main()
