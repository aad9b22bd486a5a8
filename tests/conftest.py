"""Fixtures for all tests: a small sandbox on real ports, a fake clock, an open installation."""

import gc
import ipaddress
import os
import sys
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
import structlog
from coverage import Coverage
from hypothesis import HealthCheck, settings
from structlog.dev import ConsoleRenderer, plain_traceback

from daemon.services import Services
from sandbox import Sandbox
from sandbox.paperless import V3, Release, World, load_world
from store import Store, open_store
from store.engine import FILE_NAME
from tests.installation import Installation
from tests.postgres import Server, running_postgres
from tests.shared_statements import share_statements
from tests.store.builders import FakeClock

settings.register_profile(
    "any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("any machine")
share_statements()

LATE = datetime(2026, 12, 1, 12, tzinfo=UTC)
"""When every sample document has arrived."""
LETTERS = (1, 2, 3)
"""The sample documents of the small world: electricity (nested tags), telephone, payslip."""


MEASURED = frozenset({"core", "i18n", "paperless_client", "processor", "scanner", "store"})
"""The folders whose tests measure coverage."""
UNMEASURED = frozenset(
    {
        "i18n/test_catalogue.py",
        "i18n/test_message_templates.py",
        "processor/test_attempt.py",
        "processor/test_bookings.py",
        "processor/test_examples.py",
        "processor/test_examples_from_index.py",
        "processor/test_known_senders.py",
        "processor/test_learnt_date_order.py",
        "processor/test_limits.py",
        "processor/test_long_documents.py",
        "processor/test_model_answers.py",
        "processor/test_model_probe.py",
        "processor/test_process_attempts.py",
        "processor/test_process_conflicts.py",
        "processor/test_process_custom_fields.py",
        "processor/test_process_one_patch.py",
        "processor/test_process_review.py",
        "processor/test_process_trust.py",
        "processor/test_process_undo.py",
        "processor/test_quirks.py",
        "processor/test_similar.py",
        "processor/test_streamed_answers.py",
        "processor/test_unfinished_writes.py",
        "processor/test_write_faults.py",
        "scanner/test_backfill.py",
        "scanner/test_full_scans.py",
        "scanner/test_requests.py",
        "scanner/test_sweep.py",
        "scanner/test_watermark.py",
        "store/changes/test_moves.py",
        "store/queue/test_held_jobs.py",
        "store/queue/test_processes.py",
        "store/queue/test_state_machine.py",
        "store/test_daemon_query_plans.py",
        "store/test_every_schema.py",
        "store/test_migrate.py",
        "store/test_title_index.py",
        "store/test_upgrade_begun.py",
    }
)
"""Slow files in those folders that cover almost nothing that other tests do not cover.

Measuring coverage doubles their CPU time, so they run without it. The reported coverage can only be
too low.
"""
QUICK = MEASURED | {"actions"}
"""The folders whose tests are quick, except those that need a server."""


def pytest_configure(config: pytest.Config) -> None:
    # By default, this takes up to a tenth of the tests' time.
    gc.set_threshold(100_000, 50, 100)
    # This process only hands out tests to its workers: measuring that takes ten seconds.
    is_controller = config.getoption("numprocesses", None) and not hasattr(config, "workerinput")
    if is_controller and (coverage := Coverage.current()):
        coverage.stop()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that start no server, and those that `make test` measures coverage by.

    A test that runs on both databases measures coverage on SQLite: the code is the same.
    """
    for item in items:
        file = item.path.relative_to(Path(__file__).parent)
        folder = file.parts[0]
        postgres = "postgres" in getattr(item, "fixturenames", ()) or "postgres" in item.name
        if folder in MEASURED and file.as_posix() not in UNMEASURED and not postgres:
            item.add_marker("measured")
        if folder in QUICK and not postgres and "sandbox" not in getattr(item, "fixturenames", ()):
            item.add_marker("quick")


def pytest_collection_finish() -> None:
    """Exempt the collected tests from garbage collection: they stay, and each pass costs 0.4 s."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def any_port() -> None:
    """Use a free port for the dashboard of each daemon: tests run in parallel."""
    os.environ.setdefault("PAPERCLERK_WEB__PORT", "0")  # noqa: TID251 - their own processes, too


@pytest.fixture(scope="session", autouse=True)
def loopback_only() -> None:
    """Refuse connections to other machines; an audit hook cannot be removed."""
    sys.addaudithook(refuse_remote_hosts)


def refuse_remote_hosts(event: str, args: tuple[object, ...]) -> None:
    """Raise if a socket connects to another machine; Unix sockets are always local."""
    if event not in {"socket.connect", "socket.sendto"}:
        return
    match args[-1]:
        case (str(host), int(), *_) if not is_local(host):
            raise AssertionError(f"a test connects to {host}")


def is_local(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


@pytest.fixture(autouse=True)
def own_logs() -> Iterator[None]:
    """Log with the defaults and plain tracebacks, and reset the logging after the test.

    With Rich installed, structlog renders the local variables of every frame of an exception; for
    a request that goes through FastAPI that takes more than 20 s of CPU time.
    """
    structlog.reset_defaults()
    *before, _ = structlog.get_config()["processors"]
    renderer = ConsoleRenderer(exception_formatter=plain_traceback)
    structlog.configure(processors=[*before, renderer])
    yield
    structlog.reset_defaults()


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """A PostgreSQL that all tests share; it takes seconds to start."""
    with running_postgres() as server:
        yield server


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock(LATE)


@pytest.fixture
def release() -> Release:
    return V3


@pytest.fixture
def world(release: Release) -> World:
    """Three unfiled letters, and all names of the sample archive."""
    world = load_world(release=release)
    world.documents = {id_: world.documents[id_] for id_ in LETTERS}
    return world


@pytest.fixture
def sandbox(world: World) -> Iterator[Sandbox]:
    with Sandbox(world) as running:
        yield running


@pytest.fixture(scope="session")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty database; copying it is faster than migrating."""
    return Installation.migrated(tmp_path_factory.mktemp("migrated"))


@pytest.fixture
def installation(
    sandbox: Sandbox, tmp_path: Path, migrated: Path, clock: FakeClock
) -> Installation:
    """An installation with default settings for the sandbox."""
    opened = Installation(sandbox, tmp_path, clock)
    opened.copy_database(migrated)
    opened.configure()
    return opened


@pytest.fixture
async def services(installation: Installation) -> AsyncIterator[Services]:
    """Services that replace every field whose suggestion passes the checks."""
    installation.configure(all_fields="replace")
    async with installation.open() as services:
        yield services


@pytest.fixture
async def store(tmp_path: Path, migrated: Path, clock: FakeClock) -> AsyncIterator[Store]:
    data = tmp_path / "data"
    data.mkdir()
    (data / FILE_NAME).write_bytes(migrated.read_bytes())
    async with open_store(None, data, clock=clock) as opened:
        yield opened
