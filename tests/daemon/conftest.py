"""The command line, called in this process or started as a separate program."""

import json
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache

import pytest
import typer.testing
from typer.testing import CliRunner

from daemon.cli import app
from tests.daemon.programs import ForkedProgram, folders_of, start_program
from tests.installation import Installation
from tests.postgres import Server


@dataclass(frozen=True, slots=True)
class CommandResult:
    """Exit code and output of a command."""

    code: int
    out: str
    err: str

    def json(self) -> object:
        return json.loads(self.out)


# Typer builds all commands again for each call, which takes longer than most commands.
typer.testing._get_command = cache(typer.testing._get_command)  # type: ignore[attr-defined]

Paperclerk = Callable[..., CommandResult]
Program = Callable[..., "subprocess.Popen[str]"]
StartForked = Callable[..., ForkedProgram]


@pytest.fixture
def paperclerk(installation: Installation) -> Paperclerk:
    """Call a command in this process, which saves the second that a new process takes."""
    runner = CliRunner()

    def call(*words: str) -> CommandResult:
        result = runner.invoke(app, [*folders_of(installation), *words])
        if result.exception and not isinstance(result.exception, SystemExit):
            raise result.exception
        return CommandResult(result.exit_code, result.stdout, result.stderr)

    return call


@pytest.fixture
def on_postgres(installation: Installation, postgres: Server) -> Iterator[None]:
    """Configure a PostgreSQL as the database."""
    name = postgres.create()
    settings = f'[database]\nurl = "{postgres.url(name)}"\n'
    (installation.config / "daemon.toml").write_text(settings, encoding="utf-8")
    yield
    postgres.drop(name)


@pytest.fixture
def program(installation: Installation) -> Iterator[Program]:
    """Start the installed program; processes still running at the end are killed."""
    with ExitStack() as stack:

        def start(*words: str) -> "subprocess.Popen[str]":
            process = start_program(installation, *words)
            stack.callback(_end, process)
            return process

        yield start


@pytest.fixture
def forked_program(installation: Installation) -> Iterator[StartForked]:
    """Run the program in a forked process; it is killed if it is still running at the end."""
    with ExitStack() as stack:

        def start(*words: str) -> ForkedProgram:
            process = ForkedProgram(installation, *words)
            stack.callback(process.kill)
            return process

        yield start


def _end(process: "subprocess.Popen[str]") -> None:
    process.kill()
    process.communicate()
