"""Daemons in separate processes, whose log a test reads line by line."""

import os
import re
import resource
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

from daemon.cli.arguments import Options
from daemon.cli.exits import Exit
from daemon.cli.exits import run as run_command
from daemon.cli.run import run_daemon, run_worker
from tests.forking import start_forked
from tests.installation import Installation
from tests.waiting import LONG, SOON

GIVEN_UP = "graceful shutdown exceeded"
"""Log message of the web server when it aborts a request at shutdown."""


RunProcess = Callable[[Options], Coroutine[Any, Any, Exit]]


def run_process(run: RunProcess, options: Options, log: Path, environment: dict[str, str]) -> None:
    """Run what `paperclerk run` or `paperclerk worker` starts, and log into a pipe."""
    os.dup2(os.open(log, os.O_WRONLY), 2)
    os.environ |= environment  # noqa: TID251 - of this process alone
    run_command(lambda: run(options))


class RunningDaemon:
    """A daemon or a worker in a separate process."""

    def __init__(
        self, options: Options, pipe: Path, run: RunProcess = run_daemon, **environment: str
    ) -> None:
        os.mkfifo(pipe)
        self._lines: list[str] = []
        self._more = threading.Condition()
        self._lives = threading.Event()
        self._reader = threading.Thread(target=self._read, args=(pipe,), daemon=True)
        self._reader.start()
        self._process = start_forked(run_process, run, options, pipe, environment)
        assert self._lives.wait(LONG), "the process did not start"

    @property
    def pid(self) -> int:
        assert self._process.pid is not None
        return self._process.pid

    @property
    def log(self) -> str:
        with self._more:
            return "".join(self._lines)

    @property
    def web_address(self) -> tuple[str, int]:
        """Host and port of its dashboard, as it logged them when it had started."""
        [started] = [line for line in self.log.splitlines() if "event=started" in line]
        host, _, port = started.partition("web=")[2].split()[0].rpartition(":")
        return host, int(port)

    def wait_for(self, words: str, *, times: int = 1) -> None:
        """Wait until the log contains the words `times` times."""
        with self._more:
            was_logged = self._more.wait_for(
                lambda: "".join(self._lines).count(words) >= times, SOON
            )
        assert was_logged, f"not logged: {words}\n{self.log}"

    def wait_for_match(self, pattern: str) -> None:
        """Wait until the log has a line that matches."""
        with self._more:
            match = self._more.wait_for(lambda: re.search(pattern, "".join(self._lines)), SOON)
        assert match, f"not logged: {pattern}\n{self.log}"

    def wait_a_moment(self) -> None:
        """Wait briefly for the next line of the log."""
        with self._more:
            self._more.wait(0.2)

    def signal(self, number: int) -> None:
        os.kill(self.pid, number)

    def end(self) -> int | None:
        """Wait for the exit; return the exit code, or None at the timeout."""
        self._process.join(LONG)
        self._reader.join(LONG)
        return self._process.exitcode

    def fill_disk(self) -> None:
        """Set the maximum file size to 0: writes to files fail, those to the log pipe do not."""
        self._limit(0)

    def clear_disk(self) -> None:
        self._limit(resource.RLIM_INFINITY)

    def kill(self) -> None:
        if self._process.is_alive():
            self._process.kill()
        self.end()

    def _limit(self, size: int) -> None:
        limits = (size, resource.RLIM_INFINITY)
        resource.prlimit(self.pid, resource.RLIMIT_FSIZE, limits)

    def _read(self, pipe: Path) -> None:
        with pipe.open(encoding="utf-8") as lines:
            self._lives.set()
            for line in lines:
                with self._more:
                    self._lines.append(line)
                    self._more.notify_all()


@contextmanager
def a_daemon(
    installation: Installation, *, name: str = "log", run: RunProcess = run_daemon
) -> Iterator[RunningDaemon]:
    """Start a daemon for an installation; it is killed if it is still running at the end."""
    daemon = RunningDaemon(installation.options, installation.data.parent / name, run)
    try:
        yield daemon
    finally:
        daemon.kill()


def a_worker(
    installation: Installation, *, name: str = "worker"
) -> AbstractContextManager[RunningDaemon]:
    """Start a worker for an installation; it is killed if it is still running at the end."""
    return a_daemon(installation, name=name, run=run_worker)
