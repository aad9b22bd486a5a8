"""`make bench-flood`: hundreds of incomplete requests against a busy daemon.

First the daemon works undisturbed, to measure its memory: its caches grow with the first jobs.
Then come connections that never finish their headers, then logins whose body never ends.
Closed connections are reopened after two seconds. The benchmark starts its own daemon.
"""

import argparse
import asyncio
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from threading import Event, Thread
from time import monotonic
from urllib.parse import urlsplit

import httpx
from rich.table import Table

from benchmarks.followers import RunningDaemon, running_daemon
from benchmarks.measure import console, memory_mb
from benchmarks.sandbox_process import running_sandbox
from daemon.run import raise_descriptor_limit

DESCRIPTORS = 256
SCAN = 'cron = "* * * * *"'
HALF_HEADERS = b"GET /login HTTP/1.1\r\nHost: localhost\r\nX-Never: "
_FORM = (
    b"POST /login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded"
)
_PART = b"password=" + b"x" * 30_000
HALF_LOGIN = _FORM + b"\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n" % len(_PART) + _PART
LONG_LOGIN = _FORM + b"\r\nContent-Length: 1000000\r\n\r\n" + b"x" * 900_000
_NO_KEEP_ALIVE = httpx.Limits(max_keepalive_connections=0)
"""Every request opens a new connection, as a new visitor does."""
_RECONNECT_AFTER = 2.0
_REQUEST_INTERVAL = 0.5
_TIMEOUT = 10.0
_PHASE_TIMEOUT = 180.0
"""Seconds after which a phase ends even if nothing was measured yet."""
_SETTLED = 40.0
"""Seconds after which every deadline has passed."""
_DONE = "SELECT count(*) FROM jobs WHERE status = 'completed'"
_SCANNED = "SELECT count(*) FROM scans WHERE finished_at IS NOT NULL"
_ROUTINE = ("job completed", "scan finished")
"""Events that a busy daemon always logs."""


@dataclass(slots=True)
class Phase:
    """Measurements of one attack."""

    name: str
    opened: int = 0
    """Number of opened connections with an incomplete request."""
    answers: list[float] = field(default_factory=list)
    """Response times of `/health` in seconds."""
    refused: int = 0
    """Number of requests for `/health` without a response."""
    jobs: int = 0
    scans: int = 0
    log_lines: list[str] = field(default_factory=list)
    """Without the events that a busy daemon always logs."""
    peak: float = 0.0
    """MiB."""


@dataclass(slots=True)
class Measured:
    """All measurements."""

    before: float
    phases: list[Phase]
    after: float


def measure(
    folder: Path,
    *,
    headers: int,
    logins: int,
    seconds: float,
    settled: float,
    timeout: float = _TIMEOUT,
) -> Measured:
    """Attack a busy daemon for at least `seconds`, in two halves; then let it settle.

    A phase also lasts until a job has been completed and all connections have been opened. A
    `/health` that takes longer than `timeout` counts as refused.
    """
    raise_descriptor_limit()
    documents = int(6 * seconds) + 400
    with (
        running_sandbox(documents=documents, delay=0.5) as world,
        running_daemon(folder, world, scan=SCAN, descriptors=DESCRIPTORS) as daemon,
    ):
        _wait_for_work(daemon)
        undisturbed = _measure_phase(daemon, "none", [], seconds / 2, timeout)
        before = memory_mb(daemon.process.pid)
        phases = [
            undisturbed,
            _measure_phase(
                daemon, "half-sent headers", [HALF_HEADERS] * headers, seconds / 2, timeout
            ),
            _measure_phase(daemon, "half-sent logins", _logins(logins), seconds / 2, timeout),
        ]
        Event().wait(settled)
        return Measured(before, phases, memory_mb(daemon.process.pid))


def _logins(count: int) -> list[bytes]:
    return [(HALF_LOGIN, LONG_LOGIN)[number % 2] for number in range(count)]


def _wait_for_work(daemon: RunningDaemon) -> None:
    """Start a scan; return when jobs are being processed and the pages have been loaded once."""
    daemon.start_scan()
    for _ in range(1200):
        if daemon.ask(_DONE)[0] >= 20:
            break
        Event().wait(0.1)
    for path in ("/health", "/login"):
        httpx.get(daemon.address + path, timeout=60)
    httpx.post(f"{daemon.address}/login", data={"password": "wrong"}, timeout=60)


def _measure_phase(
    daemon: RunningDaemon, name: str, sent: list[bytes], seconds: float, timeout: float
) -> Phase:
    phase = Phase(name)
    jobs, scans = daemon.ask(_DONE)[0], daemon.ask(_SCANNED)[0]
    lines = len(_noise(daemon))
    with (
        _attack(daemon.address, sent, phase),
        httpx.Client(timeout=timeout, limits=_NO_KEEP_ALIVE) as http,
    ):
        began = monotonic()
        while monotonic() < began + seconds or (
            not (phase.jobs and phase.opened >= len(sent)) and monotonic() < began + _PHASE_TIMEOUT
        ):
            _request_health(http, daemon, phase)
            phase.peak = max(phase.peak, memory_mb(daemon.process.pid))
            phase.jobs = daemon.ask(_DONE)[0] - jobs
            Event().wait(_REQUEST_INTERVAL)
    phase.scans = daemon.ask(_SCANNED)[0] - scans
    phase.log_lines = _noise(daemon)[lines:]
    return phase


def _request_health(http: httpx.Client, daemon: RunningDaemon, phase: Phase) -> None:
    began = monotonic()
    try:
        http.get(f"{daemon.address}/health").raise_for_status()
    except httpx.HTTPError:
        phase.refused += 1
    else:
        phase.answers.append(monotonic() - began)


def _noise(daemon: RunningDaemon) -> list[str]:
    lines = daemon.log.read_text(encoding="utf-8").splitlines()
    return [line for line in lines if not any(word in line for word in _ROUTINE)]


@contextmanager
def _attack(address: str, sent: list[bytes], phase: Phase) -> Iterator[None]:
    """Keep one connection open for each of `sent`, in a separate thread."""
    where, over = urlsplit(address), Event()

    async def keep_open(request: bytes) -> None:
        while True:
            with suppress(OSError):
                reader, writer = await asyncio.open_connection(where.hostname, where.port)
                phase.opened += 1
                writer.write(request)
                try:
                    while await reader.read(65536):
                        pass
                finally:
                    writer.transport.abort()
            await asyncio.sleep(_RECONNECT_AFTER)

    async def attack() -> None:
        tasks = [asyncio.create_task(keep_open(request)) for request in sent]
        await asyncio.to_thread(over.wait)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    thread = Thread(target=lambda: asyncio.run(attack()), name="attack")
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def show(found: Measured) -> None:
    table = Table(title_justify="left")
    for heading in (
        "attack",
        "opened",
        "/health answered",
        "median",
        "slowest",
        "jobs",
        "scans",
        "log lines",
        "peak MiB",
    ):
        table.add_column(heading, justify="left" if heading == "attack" else "right")
    for phase in found.phases:
        asked = len(phase.answers) + phase.refused
        table.add_row(
            phase.name,
            f"{phase.opened:,}",
            f"{len(phase.answers)} of {asked}",
            f"{median(phase.answers or [0]):.2f} s",
            f"{max(phase.answers, default=0):.2f} s",
            str(phase.jobs),
            str(phase.scans),
            str(len(phase.log_lines)),
            f"{phase.peak:.0f}",
        )
    console().print(table)
    change = 100 * (found.after / found.before - 1)
    console().print(
        f"Memory: {found.before:.0f} MiB before, {found.after:.0f} MiB after ({change:+.0f}%)."
    )
    for phase in found.phases:
        console().print(*phase.log_lines, sep="\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--headers", type=int, default=400)
    parser.add_argument("--logins", type=int, default=600)
    parser.add_argument("--seconds", type=float, default=240.0, help="for both attacks together")
    parser.add_argument("--settled", type=float, default=_SETTLED)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="paperclerk-bench-") as folder:
        show(measure(Path(folder), **vars(given)))


if __name__ == "__main__":
    main()
