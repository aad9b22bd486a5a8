"""Which libraries a command loads, seen from outside: the real program, as a process."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.installation import Installation
from tests.waiting import LONG

PROGRAM = Path(sys.executable).with_name("paperclerk")
SLOW = frozenset(
    {
        "alembic", "apprise", "apscheduler", "argon2", "babel", "fastapi", "httpx", "httpx2",
        "jinja2", "json_repair", "openai", "prometheus_client", "rapidfuzz", "sandbox", "starlette",
        "uvicorn",
    }
)  # fmt: skip
"""Packages that most of the time of a start goes to, if they are loaded."""
STORE = frozenset({"pydantic_settings", "sqlalchemy", "sqlmodel", "structlog"})
"""Packages that a command needs as soon as it opens the settings and the store."""


def loaded_by(*words: str) -> frozenset[str]:
    """Return the top-level packages that the program imports for a command."""
    command = [sys.executable, "-X", "importtime", str(PROGRAM), *words]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=LONG, check=False)
    return frozenset(re.findall(r"^import time:.*\| +(\w+)$", ended.stderr, flags=re.MULTILINE))


@pytest.mark.parametrize("words", [("version",), ("--version",), ("--help",), ("review", "--help")])
def test_version_and_help_load_neither_settings_nor_store_nor_any_slow_library(
    words: tuple[str, ...],
) -> None:
    loaded = loaded_by(*words)

    assert "typer" in loaded
    assert not loaded & (SLOW | STORE)


@pytest.mark.parametrize("command", ["status", "healthcheck"])
def test_status_and_healthcheck_load_the_store_but_no_slow_library(
    installation: Installation, command: str
) -> None:
    folders = (
        "--config",
        str(installation.options.config),
        "--data",
        str(installation.options.data),
    )

    loaded = loaded_by(*folders, command)

    assert "sqlmodel" in loaded
    assert not loaded & SLOW
