"""The store on both engines: every test that asks for `store` runs on SQLite and PostgreSQL."""

import shutil
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import psycopg
import pytest
from psycopg import sql

from store import Store, open_store
from store.engine import FILE_NAME, engines_for
from store.index.tables import index_metadata
from store.migrate import prepare_database
from store.tables import metadata
from tests.postgres import Server
from tests.store.builders import NOON, FakeClock


@dataclass(frozen=True, slots=True)
class Place:
    """Arguments of `open_store`."""

    url: str | None
    data: Path


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture(scope="session")
def postgres_url(postgres: Server) -> Iterator[str]:
    """One migrated database for all tests, emptied after each: creating one takes far longer."""
    name = postgres.create()
    url = postgres.url(name)
    _migrate(url, Path("unused"))
    yield url
    _connect(url).close()
    postgres.drop(name)


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    data = tmp_path_factory.mktemp("template")
    _migrate(None, data)
    return data / FILE_NAME


@pytest.fixture
def sqlite_place(sqlite_template: Path, tmp_path: Path) -> Place:
    data = tmp_path / "data"
    data.mkdir()
    shutil.copy(sqlite_template, data / FILE_NAME)
    return Place(None, data)


@pytest.fixture(params=["sqlite", "postgres"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    """A migrated, empty database."""
    if request.param == "sqlite":
        yield request.getfixturevalue("sqlite_place")
        return
    url: str = request.getfixturevalue("postgres_url")
    yield Place(url, tmp_path)
    empty(url)


@pytest.fixture
def fresh_postgres(postgres: Server) -> Iterator[str]:
    """The URL of a new database without tables."""
    name = postgres.create()
    yield postgres.url(name)
    postgres.drop(name)


@pytest.fixture(params=["sqlite", "postgres"])
def empty_place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    """A new database without tables."""
    if request.param == "sqlite":
        yield Place(None, tmp_path)
        return
    yield Place(request.getfixturevalue("fresh_postgres"), tmp_path)


@pytest.fixture
async def store(place: Place, clock: FakeClock) -> AsyncIterator[Store]:
    async with open_store(place.url, place.data, clock=clock) as opened:
        yield opened


def _migrate(url: str | None, data: Path) -> None:
    engines = engines_for(url, data)
    prepare_database(engines, data, now=NOON)
    engines.dispose()


def empty(url: str) -> None:
    """Delete all rows and count from 1 again; TRUNCATE would take far longer."""
    tables = reversed([*metadata.sorted_tables, *index_metadata.sorted_tables])
    deletions = [sql.SQL("DELETE FROM {}").format(sql.Identifier(table.name)) for table in tables]
    restart = sql.SQL("SELECT setval(oid::regclass, 1, false) FROM pg_class WHERE relkind = 'S'")
    command = sql.SQL("; ").join([*deletions, restart])
    try:
        _connect(url).execute(command)
    except psycopg.OperationalError:
        # A test has restarted the server.
        _connect.cache_clear()
        _connect(url).execute(command)


@cache
def _connect(url: str) -> psycopg.Connection:
    """Keep one connection open: a later one takes longer than the deletions."""
    return psycopg.connect(url, autocommit=True)
