"""`make soak`, second part: four workers and 2,000 documents, and how soon another daemon scans."""

import os
import signal
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from datetime import timedelta
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from random import Random
from threading import Event as Pause
from time import monotonic

import psycopg

from core.workers import WORKER_TIMEOUT
from daemon.cli.terminal import console
from tests.forking import start_forked
from tests.kill.fleet import Disturbances, FleetReport, run_fleet
from tests.kill.killed_daemon import DaemonArguments, run_daemon
from tests.kill.killer import HOME
from tests.kill.recording_sandbox import RecordingSandbox, small_world
from tests.kill.scenarios import FILING_SCENARIO
from tests.postgres import Server, running_postgres
from tests.waiting import LONG

DOCUMENTS = 2_000
_FROZEN_FOR = timedelta(seconds=150)
_FAILOVERS = 3
_POLL = 0.05


def disturb_workers(folder: Path, server: Server, *, documents: int, seed: int) -> FleetReport:
    """Run the workers with the real lease: a kill every 2% of the documents, three long freezes."""
    share = documents / 100
    disturbances = Disturbances(
        lease=WORKER_TIMEOUT,
        frozen_for=_FROZEN_FOR,
        kills=frozenset(round(share * part) for part in range(2, 98, 2)),
        freezes=frozenset(round(share * part) for part in (5, 35, 65)),
        restarts=frozenset(round(share * part) for part in (25, 55)),
    )
    return run_fleet(folder, server, disturbances, documents=documents, seed=seed)


def measure_failovers(folder: Path, server: Server, number: int) -> list[float]:
    """Return the seconds until another daemon scanned, after each such signal."""
    taken: list[float] = []
    name = server.create()
    url = server.url(name)
    with RecordingSandbox(small_world()) as sandbox, _daemons(folder, url, sandbox) as daemons:
        for _ in range(_FAILOVERS):
            leader = _wait_for_another_leader(url, daemons, None)
            began = monotonic()
            os.kill(leader, number)
            _wait_for_another_leader(url, daemons, leader)
            taken.append(monotonic() - began)
            daemons[leader].kill()
            daemons[leader].join(LONG)
    server.drop(name)
    return taken


@contextmanager
def _daemons(
    folder: Path, url: str, sandbox: RecordingSandbox
) -> Iterator[dict[int, ForkServerProcess]]:
    """Start one daemon more than will be killed; yield them by process id."""
    config, data = folder / "config", folder / "data"
    config.mkdir(parents=True)
    data.mkdir()
    (config / "daemon.toml").write_text(f'[web]\nport = 0\n[database]\nurl = "{url}"\n', "utf-8")
    (config / f"{HOME}.toml").write_text(sandbox.settings(FILING_SCENARIO.tables), "utf-8")
    arguments = DaemonArguments(config, data, folder / "log")
    started = [start_forked(run_daemon, arguments) for _ in range(_FAILOVERS + 1)]
    try:
        yield {daemon.pid or 0: daemon for daemon in started}
    finally:
        for daemon in started:
            daemon.kill()
            daemon.join(LONG)


def _wait_for_another_leader(
    url: str, daemons: dict[int, ForkServerProcess], former: int | None
) -> int:
    """Wait until one of the daemons holds a valid lease and another one did before."""
    holder = "SELECT holder FROM leases WHERE expires_at > clock_timestamp()"
    while True:
        with suppress(psycopg.errors.UndefinedTable), psycopg.connect(url) as connection:
            row = connection.execute(holder).fetchone()
            pid = int(row[0].rpartition(":")[2]) if row else None
            if pid is not None and pid != former and pid in daemons:
                return pid
        Pause().wait(_POLL)


def main() -> int:
    """Disturb workers and daemons; `python -m tests.kill.workers_soak DOCUMENTS SEED`."""
    documents, seed = (*map(int, sys.argv[1:]), *(DOCUMENTS, 0)[len(sys.argv) - 1 :])
    seed = seed or Random().randrange(1, 10**6)  # noqa: S311 - printed, so that it can be repeated
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    with tempfile.TemporaryDirectory(prefix="clerk-soak-") as name, running_postgres() as server:
        folder = Path(name)
        for what, number in (("killed", signal.SIGKILL), ("frozen", signal.SIGSTOP)):
            taken = measure_failovers(folder / what, server, number)
            console().print(
                f"scanner {what}: another daemon scans after {min(taken):.0f} to {max(taken):.0f} s"
            )
        report = disturb_workers(folder / "fleet", server, documents=documents, seed=seed)
    for figure, value in (asdict(report) | {"seed": seed}).items():
        console().print(f"{figure.replace('_', ' ')}: {value}")
    return 1 if report.violations else 0


if __name__ == "__main__":
    sys.exit(main())
