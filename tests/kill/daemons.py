"""Start daemons in separate processes, and kill them."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Protocol

from tests.forking import start_forked
from tests.kill.killed_daemon import DaemonArguments, run_daemon
from tests.waiting import LONG

ROOT = Path(__file__).parents[2]


class Daemon(Protocol):
    """A daemon in a separate process."""

    @property
    def pid(self) -> int: ...

    @property
    def exit_code(self) -> int | None:
        """None while it runs; the negative number of the signal that ended it."""

    def kill(self) -> None:
        """Kill it with SIGKILL, and wait until it has ended."""

    def stop(self) -> None:
        """Stop it, and wait until it has ended."""

    def wait(self, seconds: float) -> None:
        """Wait for its exit, for at most this time."""


class Forked:
    """A daemon forked from a process with all imports done."""

    def __init__(self, arguments: DaemonArguments) -> None:
        self._process = start_forked(run_daemon, arguments)

    @property
    def pid(self) -> int:
        assert self._process.pid is not None
        return self._process.pid

    @property
    def exit_code(self) -> int | None:
        return self._process.exitcode

    def kill(self) -> None:
        self._process.kill()
        self.wait(LONG)

    def stop(self) -> None:
        self._process.terminate()
        self.wait(LONG)

    def wait(self, seconds: float) -> None:
        self._process.join(seconds)


class Program:
    """The installed program, started as a person would: `paperclerk run`."""

    def __init__(self, arguments: DaemonArguments) -> None:
        with arguments.log.open("ab") as log:
            self._process = subprocess.Popen(
                [
                    Path(sys.executable).with_name("paperclerk"),
                    *("--config", arguments.config, "--data", arguments.data, "run"),
                ],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=ROOT,
                env=os.environ | {"PYTHONPATH": str(ROOT)},  # noqa: TID251 - a child needs one
            )

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def exit_code(self) -> int | None:
        return self._process.poll()

    def kill(self) -> None:
        self._process.kill()
        self._process.wait(LONG)

    def stop(self) -> None:
        self._process.terminate()
        self._process.wait(LONG)

    def wait(self, seconds: float) -> None:
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return
