"""The store on both engines: every test that asks for `store` runs on SQLite and PostgreSQL."""

import shutil
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from store import Store, open_store
from store.engine import FILE_NAME, engines_for
from store.migrate import make_ready
from tests.postgres import Server, running_postgres
from tests.store.builders import NOON, FakeClock


@dataclass(frozen=True, slots=True)
class Place:
    """Where a store can be opened: what `open_store` wants to know."""

    url: str | None
    data: Path


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    with running_postgres() as server:
        yield server


@pytest.fixture(scope="session")
def postgres_template(postgres: Server) -> Iterator[str]:
    name = postgres.create()
    _migrate(postgres.url(name), Path("unused"))
    yield name
    postgres.drop(name)


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    data = tmp_path_factory.mktemp("template")
    _migrate(None, data)
    return data / FILE_NAME


@pytest.fixture(params=["sqlite", "postgres"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    """A migrated, empty database."""
    data = tmp_path / "data"
    data.mkdir()
    if request.param == "sqlite":
        shutil.copy(request.getfixturevalue("sqlite_template"), data / FILE_NAME)
        yield Place(None, data)
        return
    server: Server = request.getfixturevalue("postgres")
    name = server.create(request.getfixturevalue("postgres_template"))
    yield Place(server.url(name), data)
    server.drop(name)


@pytest.fixture(params=["sqlite", "postgres"])
def empty_place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    """A database in which nothing was ever made."""
    if request.param == "sqlite":
        yield Place(None, tmp_path)
        return
    server: Server = request.getfixturevalue("postgres")
    name = server.create()
    yield Place(server.url(name), tmp_path)
    server.drop(name)


@pytest.fixture
async def store(place: Place, clock: FakeClock) -> AsyncIterator[Store]:
    async with open_store(place.url, place.data, clock=clock) as opened:
        yield opened


def _migrate(url: str | None, data: Path) -> None:
    engines = engines_for(url, data)
    make_ready(engines, data, now=NOON)
    engines.dispose()
