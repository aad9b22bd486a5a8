"""Start a browser: the system's Chromium, or else a downloaded one."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, Playwright, expect, sync_playwright

from tests.waiting import LONG_MS

_SHELL = "chromium-headless-shell"
"""Debian's name for headless Chromium, which takes less than half of the CPU time."""
_FULL = ("chromium", "chromium-browser", "google-chrome")
_QUIET = (
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)


@contextmanager
def running_chromium(*, shows_pdfs: bool = False) -> Iterator[Browser]:
    """Start a browser; only the full one has a PDF viewer."""
    with (
        sync_playwright() as playwright,
        launched_chromium(playwright, shows_pdfs=shows_pdfs) as browser,
    ):
        yield browser


@contextmanager
def launched_chromium(playwright: Playwright, *, shows_pdfs: bool = False) -> Iterator[Browser]:
    """Start a browser with a running playwright: a thread can have only one."""
    install()
    expect.set_options(timeout=LONG_MS)
    # As root, as in a container, Chromium refuses to start with its sandbox.
    flags = (*_QUIET, "--no-sandbox") if os.geteuid() == 0 else _QUIET
    executable = None if shows_pdfs else _find(_SHELL)
    executable = executable or _find(*_FULL)
    # Playwright's "chromium" is the full browser; without a channel it is the headless shell.
    channel = "chromium" if shows_pdfs and executable is None else None
    browser = playwright.chromium.launch(
        executable_path=executable, channel=channel, args=list(flags)
    )
    yield browser
    browser.close()


def install() -> None:
    """Install a browser: as root from the system packages, else by playwright."""
    if _find(_SHELL) and _find(*_FULL):
        return
    if os.geteuid() == 0 and shutil.which("apt-get"):
        packages = ("apt-get", "install", "-y", "--no-install-recommends", "chromium", _SHELL)
        for command in (("apt-get", "update"), packages):
            subprocess.run(command, check=False, stdout=sys.stderr)
    if not _find(*_FULL):
        fetch = (sys.executable, "-m", "playwright", "install", "chromium")
        subprocess.run(fetch, check=True, stdout=sys.stderr)


def _find(*names: str) -> str | None:
    return next((path for name in names if (path := shutil.which(name))), None)


if __name__ == "__main__":
    install()
