"""A stop ends in time whoever listens and whatever hangs, and an end waits for nothing."""

import re
import signal
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from datetime import timedelta

from daemon.worker import _EXIT_TIMEOUT, _GRACE, _STOP_TIMEOUT
from store.engine import FILE_NAME
from tests.daemon.conftest import Program
from tests.daemon.processes import GIVEN_UP, RunningDaemon, a_daemon
from tests.daemon.test_worker import running
from tests.installation import Installation
from tests.waiting import LONG

FOLLOWERS = 20
DOCKER_KILLS = timedelta(seconds=10)
"""After a stop, by default."""
_END = """
import atexit, gc, sys
from daemon.cli import main
atexit.register(lambda: print("frozen:", gc.get_freeze_count() > 0))
sys.argv = ["paperclerk", "version"]
main()
"""


@contextmanager
def asking(daemon: RunningDaemon, *paths: str) -> Iterator[list[socket.socket]]:
    """Ask for each path by a connection of its own, and leave it open when the answer begins."""
    found = re.search(r"web=(?:\S+):(\d+)", daemon.log)
    assert found, daemon.log
    with ExitStack() as stack:
        opened = []
        for path in paths:
            connection = socket.create_connection(("127.0.0.1", int(found[1])), timeout=LONG)
            stack.enter_context(connection)
            connection.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
            assert connection.recv(12) == b"HTTP/1.1 200"
            opened.append(connection)
        yield opened


def said_until_the_end(connection: socket.socket) -> bytes:
    said = b""
    while more := connection.recv(65536):
        said += more
    return said


def test_twenty_who_follow_do_not_keep_it_from_stopping(installation: Installation) -> None:
    (installation.config / "daemon.toml").write_text("[web]\nlogin = false\n")

    with a_daemon(installation) as daemon:
        daemon.wait_for("event=started")
        paths = ["/events?topics=jobs,beat"] * FOLLOWERS + ["/health"] * FOLLOWERS
        with asking(daemon, *paths) as connections:
            daemon.signal(signal.SIGTERM)
            code = daemon.end()
            ends = [said_until_the_end(connection)[-5:] for connection in connections[:FOLLOWERS]]

    assert code == 0, daemon.log
    assert GIVEN_UP not in daemon.log
    # Each stream came to its proper end, and was not cut off.
    assert ends == [b"0\r\n\r\n"] * FOLLOWERS


def test_a_database_that_is_locked_does_not_keep_it_from_stopping(
    installation: Installation,
) -> None:
    with a_daemon(installation) as daemon:
        daemon.wait_for("event=started")
        with closing(sqlite3.connect(installation.data / FILE_NAME, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            daemon.signal(signal.SIGTERM)
            code = daemon.end()

    assert code == 0, daemon.log
    assert "exited with running work" in daemon.log


def test_a_log_that_nobody_reads_any_more_does_not_keep_it_from_stopping(
    installation: Installation, program: Program
) -> None:
    daemon = program("run")
    assert daemon.stdout
    assert daemon.stderr
    assert any("event=started" in line for line in daemon.stderr)
    daemon.stdout.close()
    daemon.stderr.close()

    daemon.send_signal(signal.SIGTERM)

    assert daemon.wait(LONG) == 0
    assert running(installation) == []


def test_a_stop_has_ended_before_docker_kills_whatever_hangs() -> None:
    assert _GRACE < _STOP_TIMEOUT < _EXIT_TIMEOUT < DOCKER_KILLS


def test_at_its_end_the_program_does_not_look_through_its_memory() -> None:
    said = subprocess.run(
        [sys.executable, "-c", _END], capture_output=True, text=True, timeout=LONG, check=True
    )

    assert said.stdout.splitlines()[1:] == ["frozen: True"]
