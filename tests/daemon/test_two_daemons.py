"""Several daemons on one PostgreSQL: one of them scans, and another takes over when it is gone."""

import asyncio
import signal
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
import pytest

from core.scans import INTERRUPTED, Scan
from daemon.context import open_context
from sandbox import Sandbox
from tests.daemon.processes import RunningDaemon, a_daemon
from tests.daemon.test_worker import request_scan
from tests.installation import ONLY_BY_HAND, Installation, blocked
from tests.postgres import Server
from tests.waiting import LONG

LEADS = "this daemon scans"
LISTING = blocked("/api/documents/", method="GET")


@pytest.fixture
def database(installation: Installation, postgres: Server) -> Iterator[str]:
    name = postgres.create()
    url = postgres.url(name)
    (installation.config / "daemon.toml").write_text(f'[database]\nurl = "{url}"\n', "utf-8")
    installation.configure(ONLY_BY_HAND)
    yield url
    postgres.drop(name)


def let_lease_expire(url: str) -> None:
    """Let as much time pass since the last renewal as another daemon must wait."""
    with psycopg.connect(url) as connection:
        connection.execute("UPDATE leases SET expires_at = clock_timestamp()")


def scans_in(installation: Installation) -> list[Scan]:
    async def read() -> list[Scan]:
        async with open_context(installation.options) as context:
            return list(await context.store.scans.list())

    return asyncio.run(read())


def start_scan(installation: Installation, sandbox: Sandbox, daemon: RunningDaemon) -> None:
    """Request a scan, and wait until it is held up at its first page."""
    sandbox.paperless.faults.add(LISTING)
    request_scan(installation)
    assert sandbox.paperless.faults.wait_for_strikes(1, LONG), daemon.log


@contextmanager
def two_daemons(installation: Installation) -> Iterator[tuple[RunningDaemon, RunningDaemon]]:
    """Start two daemons; the first one scans."""
    with a_daemon(installation) as first:
        first.wait_for(LEADS)
        with a_daemon(installation, name="second") as second:
            second.wait_for("event=started")
            yield first, second


def test_the_second_daemon_leaves_the_scans_to_the_first(
    database: str, installation: Installation
) -> None:
    with two_daemons(installation) as (first, second):
        request_scan(installation)
        first.wait_for("scan finished")

        assert LEADS not in second.log
        assert "scan finished" not in second.log


def test_a_daemon_that_stops_releases_the_scans_at_once(
    database: str, installation: Installation
) -> None:
    with two_daemons(installation) as (first, second):
        first.signal(signal.SIGTERM)
        assert first.end() == 0, first.log
        second.wait_for(LEADS)
        request_scan(installation)
        second.wait_for("scan finished")


def test_the_scan_of_a_killed_daemon_is_interrupted_and_another_daemon_scans(
    database: str, installation: Installation, sandbox: Sandbox
) -> None:
    with two_daemons(installation) as (first, second):
        start_scan(installation, sandbox, first)
        first.kill()
        sandbox.paperless.faults.clear()
        let_lease_expire(database)
        second.wait_for(LEADS)
        request_scan(installation)
        second.wait_for("scan finished")

    assert [scan.problem for scan in scans_in(installation)] == [None, INTERRUPTED]


def test_a_frozen_daemon_that_comes_back_writes_nothing(
    database: str, installation: Installation, sandbox: Sandbox
) -> None:
    with two_daemons(installation) as (first, second):
        start_scan(installation, sandbox, first)
        first.signal(signal.SIGSTOP)
        let_lease_expire(database)
        second.wait_for(LEADS)
        request_scan(installation)
        second.wait_for("scan finished")
        before = scans_in(installation)
        sandbox.paperless.faults.release()
        first.signal(signal.SIGCONT)
        first.wait_for("another daemon scans now")

        assert scans_in(installation) == before

    assert [scan.problem for scan in before] == [None, INTERRUPTED]
    assert "Traceback" not in first.log
    assert "scan finished" not in first.log
