"""Run a daemon in a child process, which may kill itself at a given point.

No code of ours is replaced: the kill point listens to SQLAlchemy's events for statements, commits
and connections, and the daemon is the one that `paperclerk run` starts.
"""

import asyncio
import multiprocessing
import os
import signal
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from typing import Any

from sqlalchemy import Connection, Engine, event
from sqlalchemy.pool import ConnectionPoolEntry, Pool

from daemon.cli.arguments import Options
from daemon.cli.run import run_daemon as run
from tests.kill.points import AtMove, Side


@dataclass(frozen=True, slots=True)
class DaemonArguments:
    """Arguments of a daemon."""

    config: Path
    data: Path
    log: Path
    kill_point: AtMove | None = None


def run_daemon(arguments: DaemonArguments) -> None:
    """Run a daemon until a signal or the kill point."""
    log_into(arguments.log)
    exit_with_parent()
    if arguments.kill_point is not None:
        _KillPoint(arguments.kill_point).listen()
    sys.exit(asyncio.run(run(Options(arguments.config, arguments.data))))


def log_into(file: Path) -> None:
    """Append the output of this process to a file."""
    log = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    for stream in (1, 2):
        os.dup2(log, stream)


def exit_with_parent() -> None:
    """End this process when the one that started it is killed."""
    Thread(target=_wait_for_parent, daemon=True).start()


def _wait_for_parent() -> None:
    test = multiprocessing.parent_process()
    assert test is not None
    test.join()
    os._exit(1)


class _KillPoint:
    """Kills the process when the daemon records an event for the nth time, on the given side."""

    def __init__(self, point: AtMove) -> None:
        self._point = point
        self._left = point.nth

    def listen(self) -> None:
        if self._point.side is Side.BEFORE_EVENT:
            event.listen(Engine, "before_cursor_execute", self._on_statement)
        else:
            event.listen(Engine, "after_cursor_execute", self._on_executed)
            event.listen(Engine, "commit", self._on_commit)
            event.listen(Pool, "checkin", self._on_checkin)

    def _on_statement(
        self, _: Connection, _cursor: object, statement: str, parameters: object, *_more: object
    ) -> None:
        if self._records(statement, parameters):
            self._left -= 1
            if self._left <= 0:
                self._die_on(Side.BEFORE_EVENT)

    def _on_executed(
        self, connection: Connection, cursor: Any, statement: str, parameters: object, *_: object
    ) -> None:
        # A claim that finds no job has the parameters of its event, but records none.
        if self._records(statement, parameters) and cursor.rowcount != 0:
            self._left -= 1
            connection.info["dies at commit"] = self._left <= 0

    def _records(self, statement: str, parameters: object) -> bool:
        return "INSERT INTO events" in statement and self._point.event.value in _texts(parameters)

    def _on_commit(self, connection: Connection) -> None:
        if connection.info.get("dies at commit"):
            self._die_on(Side.BEFORE_COMMIT)

    def _on_checkin(self, _: object, entry: ConnectionPoolEntry) -> None:
        if entry.info.get("dies at commit"):
            self._die_on(Side.AFTER_COMMIT)

    def _die_on(self, side: Side) -> None:
        if side is self._point.side:
            os.kill(os.getpid(), signal.SIGKILL)


def _texts(parameters: object) -> Iterator[str]:
    """Yield every text among the parameters of a statement, in any parameter style."""
    if isinstance(parameters, str):
        yield parameters
    elif isinstance(parameters, dict):
        yield from _texts(tuple(parameters.values()))
    elif isinstance(parameters, list | tuple):
        for parameter in parameters:
            yield from _texts(parameter)
