"""A real daemon with the sandbox, and a logged-in browser."""

import shutil
import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx
from playwright.sync_api import Browser, Page, StorageState, StorageStateCookie

from core.calendar import utc_now
from sandbox import Sandbox
from sandbox.paperless import load_world
from tests.daemon.first_login import PASSWORD as CHOSEN
from tests.daemon.first_login import link_of, open_first_session
from tests.daemon.processes import RunningDaemon
from tests.daemon.programs import start_program
from tests.installation import Installation
from tests.store.builders import FakeClock

PASSWORD = CHOSEN["password"]
LETTER = """\
Stadtwerke Musterstadt GmbH
Am Gaswerk 12, 12345 Musterstadt

Rechnungsdatum: 12.03.2024

Stromrechnung Februar 2024

Für die Stromlieferung vom 01.02.2024 bis 29.02.2024 berechnen wir Ihnen 84,20 EUR.
"""
_TABLES = """
[scan]
enabled = false
min_age = "0s"

[retry]
max_attempts = 1
"""


@dataclass(frozen=True)
class Seed:
    """The data of a daemon with a password, and the cookies of a logged-in browser."""

    data: Path
    state: StorageState


@dataclass
class LoggedInDaemon:
    """A daemon that can be stopped and started again, always at the same address."""

    installation: Installation
    port: int
    state: StorageState | None = None
    """Cookies of a logged-in browser."""
    log: RunningDaemon = field(init=False)
    _starts: int = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def sandbox(self) -> Sandbox:
        return self.installation.sandbox

    def start(self) -> None:
        """Start the daemon and wait until it is ready."""
        self._starts += 1
        pipe = self.installation.data.parent / f"log{self._starts}"
        self.log = RunningDaemon(
            self.installation.options, pipe, PAPERCLERK_WEB__PORT=str(self.port)
        )
        self.log.wait_for("event=started")

    def stop(self) -> tuple[int | None, str]:
        """Stop the daemon; return its exit code and its log."""
        self.log.signal(signal.SIGTERM)
        return self.log.end(), self.log.log

    def page(self, browser: Browser, path: str = "/", *, script: str = "") -> Page:
        """Open a page as a logged-in user; `script` runs in it before all others."""
        context = browser.new_context(storage_state=self.state, locale="en")
        context.add_init_script(script)
        page = context.new_page()
        page.goto(self.url + path)
        return page


@contextmanager
def running_daemon(
    folder: Path, seed: Seed, *, daemon: str = "", stream: bool = False
) -> Iterator[LoggedInDaemon]:
    """Start a daemon on a copy of the seed; `daemon` is the content of its daemon.toml."""
    with _an_installation(folder, daemon, stream=stream) as installation:
        shutil.copytree(seed.data, installation.data, dirs_exist_ok=True)
        logged_in_daemon = LoggedInDaemon(installation, _free_port(), seed.state)
        try:
            logged_in_daemon.start()
            yield logged_in_daemon
        finally:
            logged_in_daemon.log.kill()


def create_seed(folder: Path) -> Seed:
    """Choose a password at a first start, and keep the resulting data."""
    with first_start(folder) as (installation, link), open_first_session(link) as client:
        kept = client.cookies.items()
    cookies: list[StorageStateCookie] = [
        {"name": name, "value": value, "domain": "127.0.0.1", "path": "/"} for name, value in kept
    ]
    return Seed(installation.data, {"cookies": cookies, "origins": []})


@contextmanager
def first_start(folder: Path) -> Iterator[tuple[Installation, httpx.URL]]:
    """Start the program for the first time; yield the link that it prints."""
    with _an_installation(folder, "") as installation:
        process = start_program(installation, "run")
        try:
            yield installation, link_of(process)
        finally:
            process.terminate()
            process.communicate()


@contextmanager
def _an_installation(folder: Path, daemon: str, *, stream: bool = False) -> Iterator[Installation]:
    world = load_world()
    world.documents.clear()
    with Sandbox(world) as sandbox:
        installation = Installation(sandbox, folder, FakeClock(utc_now()))
        installation.configure(_TABLES, stream=stream)
        (installation.config / "daemon.toml").write_text(daemon, encoding="utf-8")
        yield installation


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port: int = taken.getsockname()[1]
        return port
