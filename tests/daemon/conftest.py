"""The command line, called in this process or started as a program of its own."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest
from typer.testing import CliRunner

from daemon.cli import app
from tests.office import Office

ROOT = Path(__file__).parent.parent.parent


@dataclass(frozen=True, slots=True)
class Said:
    """How a command ended, and what it said."""

    code: int
    out: str
    err: str

    def json(self) -> object:
        return json.loads(self.out)


Paperclerk = Callable[..., Said]
Program = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def paperclerk(office: Office) -> Paperclerk:
    """Call a command as if it had been typed, without the second that a new process takes."""
    runner = CliRunner()

    def call(*words: str) -> Said:
        result = runner.invoke(app, [*_folders(office), *words])
        if result.exception and not isinstance(result.exception, SystemExit):
            raise result.exception
        return Said(result.exit_code, result.stdout, result.stderr)

    return call


@pytest.fixture
def program(office: Office) -> Iterator[Program]:
    """Start the installed program; whatever still runs at the end is killed."""
    with ExitStack() as stack:

        def start(*words: str) -> "subprocess.Popen[str]":
            process = subprocess.Popen(
                [Path(sys.executable).with_name("paperclerk"), *_folders(office), *words],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                encoding="utf-8",
                cwd=ROOT,
                env=os.environ | {"PYTHONPATH": str(ROOT)},  # noqa: TID251 - a child needs one
            )
            stack.callback(_end, process)
            return process

        yield start


def _folders(office: Office) -> list[str]:
    return ["--config", str(office.config), "--data", str(office.data)]


def _end(process: "subprocess.Popen[str]") -> None:
    process.kill()
    process.communicate()
