"""A browser: the system's Chromium; where there is none, it is fetched."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, sync_playwright

_QUIET = (
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)


@contextmanager
def running_chromium() -> Iterator[Browser]:
    """Start one browser for all tests."""
    # As root, as in a container, Chromium refuses its own sandbox.
    flags = (*_QUIET, "--no-sandbox") if os.geteuid() == 0 else _QUIET
    executable = find_chromium()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=list(flags))
        yield browser
        browser.close()


def find_chromium() -> str | None:
    """Return where a Chromium is, and fetch one if need be; None means playwright's own."""
    return installed() or _install()


def installed() -> str | None:
    names = ("chromium", "chromium-browser", "google-chrome")
    return next((path for name in names if (path := shutil.which(name))), None)


def _install() -> str | None:
    """Install the system's as root; else let playwright fetch its own."""
    if os.geteuid() == 0 and shutil.which("apt-get"):
        install = ("apt-get", "install", "-y", "--no-install-recommends", "chromium")
        for command in (("apt-get", "update"), install):
            subprocess.run(command, check=False, stdout=sys.stderr)
        if found := installed():
            return found
    command = (sys.executable, "-m", "playwright", "install", "chromium")
    subprocess.run(command, check=True, stdout=sys.stderr)
    return None


if __name__ == "__main__":
    find_chromium()
