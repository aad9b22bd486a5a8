"""Cost of start-up, of a scan without new documents, and of an idle daemon."""

import argparse
import asyncio
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from time import perf_counter

from benchmarks.loop_time import INSTANCE, fetch_request_counts, running_services
from benchmarks.measure import console, memory_mb
from benchmarks.sandbox_process import Address, running_sandbox
from scanner.scan import Scanner, ScanOrder

_PAPERCLERK = str(Path(sys.executable).with_name("paperclerk"))
_SETTLED = 5.0
"""Seconds after which a daemon without work is idle."""


def measure_start_up(folder: Path, rounds: int) -> None:
    """Time two commands, and a Python that does nothing for comparison."""
    config = ("--config", str(folder / "config"), "--data", str(folder / "data"))
    commands: dict[str, Sequence[str]] = {
        "python -c pass": (sys.executable, "-c", "pass"),
        "paperclerk version": (_PAPERCLERK, "version"),
        "paperclerk jobs": (_PAPERCLERK, *config, "jobs"),
    }
    took: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            began = perf_counter()
            subprocess.run(command, capture_output=True, timeout=60, check=True)
            took[name].append(perf_counter() - began)
    line = [f"{name} {median(times):.2f} s" for name, times in took.items()]
    console().print(f"Start-up, medians: {', '.join(line)}.")


async def measure_scans(folder: Path, address: Address) -> None:
    """Time two scans of documents that are already queued: a full one, and one for changes."""
    async with running_services(folder, address, tables="") as services:
        scanner = services.scanners[INSTANCE]
        await scanner.scan(ScanOrder())
        before = memory_mb()
        # A scan with a limit reads the whole list, because it cannot store how far it came.
        await time_scan("the whole list", scanner, ScanOrder(limit=1), address)
        await time_scan("what changed", scanner, ScanOrder(), address)
    console().print(f"Memory before the scans: {before:.0f} MiB, after: {memory_mb():.0f} MiB.")


async def time_scan(of_what: str, scanner: Scanner, order: ScanOrder, address: Address) -> None:
    fetch_request_counts(address)
    began = perf_counter()
    scan = await scanner.scan(order)
    seconds = perf_counter() - began
    assert scan.enqueued == 0
    made = ", ".join(f"{count} x {kind}" for kind, count in fetch_request_counts(address).items())
    line = f"A scan of {of_what}, {scan.seen:,} documents seen: {seconds:.3f} s; requests: {made}."
    console().print(line)


def measure_idle_daemon(folder: Path, address: Address) -> None:
    """Start a daemon with an empty queue, and measure its memory when it is idle."""
    config = folder / "config"
    config.mkdir()
    settings = f"{address.settings}\n[scan]\nenabled = false\n"
    (config / f"{INSTANCE}.toml").write_text(settings, encoding="utf-8")
    command = (_PAPERCLERK, "--config", str(config), "--data", str(folder / "data"), "run")
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as daemon:
        try:
            # The daemon must keep running: an exit within this time is a failure.
            daemon.wait(_SETTLED)
            raise RuntimeError(f"the daemon ended with {daemon.returncode}")
        except subprocess.TimeoutExpired:
            console().print(f"Memory of an idle daemon: {memory_mb(daemon.pid):.0f} MiB.")
        finally:
            daemon.terminate()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=9)
    options = parser.parse_args()
    with (
        tempfile.TemporaryDirectory(prefix="paperclerk-bench-") as folder,
        running_sandbox(documents=options.documents) as address,
    ):
        idle, busy = Path(folder) / "idle", Path(folder) / "busy"
        idle.mkdir()
        busy.mkdir()
        measure_idle_daemon(idle, address)
        measure_start_up(idle, options.rounds)
        asyncio.run(measure_scans(busy, address))


if __name__ == "__main__":
    main()
