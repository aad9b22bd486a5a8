"""`make bench-memory`: memory of an idle daemon after a scan, a filed document and a page view."""

import argparse
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event

import httpx
from rich.table import Table

from benchmarks.measure import console
from benchmarks.sandbox_process import running_sandbox

_PAPERCLERK = str(Path(sys.executable).with_name("paperclerk"))
_TIMEOUT = 120.0
_PASSWORD = "correct horse battery"  # noqa: S105 - of a daemon that only runs here
_SETTINGS = """
[scan]
min_age = "0s"

[limits]
documents_per_day = 1

[index]
enabled = true
"""
PARTS = {
    "Python": "sys",
    "asyncio, ssl": "asyncio, ssl, logging, sqlite3",
    "Pydantic": "pydantic",
    "settings": "core.settings",
    "structlog": "structlog",
    "SQLAlchemy, SQLModel": "sqlmodel",
    "store": "store",
    "httpx, client": "paperless_client.client",
    "scanner": "scanner.scheduler",
    "processor": "processor.processor, processor.pipeline",
    "FastAPI": "fastapi",
    "dashboard": "dashboard.app, dashboard.server",
    "daemon": "daemon.run, daemon.cli",
    "openai": "processor.analysis.openai_client",
    "Apprise": "apprise",
}
"""Modules to import, in this order; each part counts what the previous ones have not loaded."""
_IMPORT = """
import sys
def resident():
    with open("/proc/self/status", encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))
for names in sys.argv[1:]:
    for name in names.split(", "):
        __import__(name)
    print(resident())
"""


def memory_of(pid: int) -> dict[str, float]:
    """Return the resident memory in MiB: the total, and the part that is not mapped from files."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    found = re.findall(r"^(VmRSS|RssAnon):\s+(\d+)", status, flags=re.M)
    return {name: int(kilobytes) / 1024 for name, kilobytes in found}


def import_costs(python: str) -> dict[str, float]:
    """Return the growth of memory in MiB with each part that is imported."""
    command = (python, "-c", _IMPORT, *PARTS.values())
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    sizes = [int(line) / 1024 for line in done.stdout.split()]
    return {
        part: after - before
        for part, before, after in zip(PARTS, [0.0, *sizes], sizes, strict=False)
    }


@contextmanager
def running_daemon(program: str, folder: Path, settings: str) -> Iterator["subprocess.Popen[str]"]:
    config = folder / "config"
    config.mkdir(mode=0o700)
    (config / "home.toml").write_text(settings + _SETTINGS, encoding="utf-8")
    (config / "daemon.toml").write_text("[web]\nport = 0\n", encoding="utf-8")
    command = (program, "--config", str(config), "--data", str(folder / "data"), "run")
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as daemon:
        try:
            yield daemon
        finally:
            daemon.terminate()


def read_until(daemon: "subprocess.Popen[str]", pattern: str) -> str:
    """Return the first group of the first line of the log that matches."""
    assert daemon.stdout
    for line in daemon.stdout:
        if found := re.search(pattern, line):
            return found[1]
    raise RuntimeError(f"the daemon ended with {daemon.wait()} before it logged {pattern!r}")


def view_page(link: httpx.URL) -> None:
    """Choose a password with the link, and open the overview."""
    with httpx.Client(base_url=link.copy_with(path="/", query=None), timeout=_TIMEOUT) as client:
        client.get(link).raise_for_status()
        form = {"link": link.params["link"], "password": _PASSWORD, "again": _PASSWORD}
        assert client.post("/welcome", data=form).status_code == 303
        assert "<html" in client.get("/").raise_for_status().text


def measure_idle(program: str, seconds: float) -> dict[str, dict[str, float]]:
    """Return the daemon's memory after each step, and after `seconds` without work."""
    measured: dict[str, dict[str, float]] = {}
    with (
        tempfile.TemporaryDirectory(prefix="paperclerk-bench-") as folder,
        running_sandbox(documents=40) as address,
        running_daemon(program, Path(folder), address.settings) as daemon,
    ):
        link = httpx.URL(read_until(daemon, r"Choose a password for the dashboard: (\S+)"))
        measured["started"] = memory_of(daemon.pid)
        read_until(daemon, r"event=\"(job completed)\"")
        measured["after a scan and a filed document"] = memory_of(daemon.pid)
        view_page(link)
        measured["after a page view"] = memory_of(daemon.pid)
        Event().wait(seconds)
        measured[f"after {seconds:.0f} seconds without work"] = memory_of(daemon.pid)
    return measured


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--program", default=_PAPERCLERK, help="another installation to measure")
    options = parser.parse_args()
    table = Table("imported", "MiB", "sum", title="Memory by part")
    total = 0.0
    for part, size in import_costs(str(Path(options.program).with_name("python"))).items():
        total += size
        table.add_row(part, f"{size:.1f}", f"{total:.1f}")
    console().print(table)
    table = Table("daemon", "MiB", "not from files", title="Memory of a daemon")
    for step, sizes in measure_idle(options.program, options.seconds).items():
        table.add_row(step, f"{sizes['VmRSS']:.0f}", f"{sizes['RssAnon']:.0f}")
    console().print(table)


if __name__ == "__main__":
    main()
