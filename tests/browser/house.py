"""A real daemon, started as a program, with the sandbox around it and a browser that comes in."""

import re
import signal
import socket
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from playwright.sync_api import Browser, Page, StorageState, expect

from core.clock import utc_now
from sandbox import Sandbox
from sandbox.paperless import load_world
from tests.daemon.programs import start_program
from tests.office import Office
from tests.store.builders import FakeClock

PASSWORD = "correct horse battery"
LETTER = """\
Stadtwerke Musterstadt GmbH
Am Gaswerk 12, 12345 Musterstadt

Rechnungsdatum: 12.03.2024

Stromrechnung Februar 2024

Für die Stromlieferung vom 01.02.2024 bis 29.02.2024 berechnen wir Ihnen 84,20 EUR.
"""
_LONGEST = 40.0
_TABLES = """
[scan]
cron = "@yearly"
min_age = "0s"

[retry]
max_attempts = 1
"""
_INVITATION = r"Choose a password for the dashboard: (\S+)"


class Output:
    """What a process says, read while it runs so that it never waits for a reader."""

    def __init__(self, stream: IO[str]) -> None:
        self._text = ""
        self._more = threading.Condition()
        self._reader = threading.Thread(target=self._read, args=(stream,), daemon=True)
        self._reader.start()

    def wait_for(self, pattern: str) -> "re.Match[str]":
        with self._more:
            found = self._more.wait_for(lambda: re.search(pattern, self._text), _LONGEST)
            assert found, f"not said: {pattern}\n{self._text}"
            return found

    def all(self) -> str:
        """Return all of it, when the process has ended."""
        self._reader.join(_LONGEST)
        return self._text

    def _read(self, stream: IO[str]) -> None:
        with stream:
            for line in stream:
                with self._more:
                    self._text += line
                    self._more.notify_all()


@dataclass
class House:
    """A daemon that can be stopped and started again, always at the same address."""

    office: Office
    port: int
    state: StorageState | None = None
    """What a browser keeps that is logged in."""
    log: Output = field(init=False)
    _process: "subprocess.Popen[str] | None" = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def sandbox(self) -> Sandbox:
        return self.office.sandbox

    def start(self) -> Output:
        """Start the daemon, and return what it prints."""
        port = {"PAPERCLERK_WEB__PORT": str(self.port)}
        self._process = process = start_program(self.office, "run", **port)
        assert process.stdout is not None
        assert process.stderr is not None
        self.log = Output(process.stderr)
        printed = Output(process.stdout)
        self.log.wait_for("event=started")
        return printed

    def stop(self) -> tuple[int, str]:
        """Ask the daemon to stop; return how it ended and its log."""
        assert self._process is not None
        self._process.send_signal(signal.SIGTERM)
        return self._process.wait(_LONGEST), self.log.all()

    def kill(self) -> None:
        if self._process is not None and self._process.poll() is None:
            self._process.kill()
            self._process.wait(_LONGEST)

    def page(self, browser: Browser, path: str = "/") -> Page:
        """Open a page as who is logged in."""
        context = browser.new_context(storage_state=self.state, locale="en")
        page = context.new_page()
        page.goto(self.url + path)
        return page


@contextmanager
def running_house(
    folder: Path, browser: Browser, *, scripted: bool = True, daemon: str = ""
) -> Iterator[House]:
    """Start a daemon for the first time, and come in by the link that it prints.

    `daemon` is what stands in its daemon.toml.
    """
    world = load_world()
    world.documents.clear()
    with Sandbox(world) as sandbox:
        office = Office(sandbox, folder, FakeClock(utc_now()))
        office.configure(_TABLES)
        (office.config / "daemon.toml").write_text(daemon, encoding="utf-8")
        house = House(office, _free_port())
        try:
            link = house.start().wait_for(_INVITATION)[1]
            house.state = _first_visit(browser, link, scripted=scripted)
            yield house
        finally:
            house.kill()


def _first_visit(browser: Browser, link: str, *, scripted: bool) -> StorageState:
    page = browser.new_context(locale="en", java_script_enabled=scripted).new_page()
    page.goto(link)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_label("The same password again").fill(PASSWORD)
    page.get_by_role("button", name="Set the password and log in").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Overview")
    page.get_by_role("button", name="Log out").click()
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Overview")
    state = page.context.storage_state()
    page.context.close()
    return state


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port: int = taken.getsockname()[1]
        return port
