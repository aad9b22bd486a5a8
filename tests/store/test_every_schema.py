"""Databases of every earlier schema, with rows in every table: each is migrated, none is lost."""

import os
import shutil
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from alembic import command
from alembic.config import Config
from sqlalchemy import Connection, event, inspect, text
from sqlalchemy.engine.interfaces import ReflectedColumn

from core.changes import ChangeState
from store import open_store
from store.backup import backups_folder, list_backups, require_intact
from store.engine import FILE_NAME, Engines, engines_for
from store.migrate import SCRIPTS, prepare_database, read_revision
from tests.forking import start_forked
from tests.store.builders import NOON, FakeClock
from tests.store.conftest import Place
from tests.store.test_migrate import snapshot
from tests.store.test_upgrade import MIDNIGHT, ROWS
from tests.waiting import LONG

REVISIONS = sorted(file.name[:4] for file in (SCRIPTS / "versions").glob("0*.py"))
OLD = REVISIONS[:-1]
_BY_TYPE = {"DATETIME": MIDNIGHT, "TIMESTAMP": MIDNIGHT, "JSON": "{}", "BOOLEAN": False}


def build_config(connection: Connection) -> Config:
    config = Config()
    config.set_main_option("script_location", str(SCRIPTS))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    return config


def build_with_rows(engines: Engines, revision: str) -> None:
    """Migrate one schema further, and add a row to each table that has none."""
    with engines.migrator.begin() as connection:
        command.upgrade(build_config(connection), revision)
        if revision == REVISIONS[0]:
            add_first_rows(connection)
        for table in inspect(connection).get_table_names():
            if is_filled(connection, table):
                continue
            columns = inspect(connection).get_columns(table)
            add_row(connection, table, [c for c in columns if not c["nullable"]])


def add_first_rows(connection: Connection) -> None:
    is_sqlite = connection.dialect.name == "sqlite"
    for statement in filter(str.strip, ROWS.split(";\n")):
        connection.exec_driver_sql(statement if is_sqlite else statement.replace(".000000'", "Z'"))


def is_filled(connection: Connection, table: str) -> bool:
    # The index of titles and the archive are kept by the database itself.
    own = not table.startswith(("alembic", "title_index", "archive"))
    return not own or count(connection, table) > 0


def add_row(connection: Connection, table: str, columns: list[ReflectedColumn]) -> None:
    names = ", ".join(f'"{column["name"]}"' for column in columns)
    values = ", ".join(f":{column['name']}" for column in columns)
    statement = text(f'INSERT INTO "{table}" ({names}) VALUES ({values})')  # noqa: S608
    connection.execute(statement, {column["name"]: any_value(column) for column in columns})


def any_value(column: ReflectedColumn) -> object:
    """Return a value that a column of this type takes."""
    kind = str(column["type"]).partition("(")[0]
    if kind in _BY_TYPE:
        return _BY_TYPE[kind]
    return "home" if kind in {"TEXT", "VARCHAR"} else 1


def count(connection: Connection, table: str) -> int:
    found = connection.scalar(text(f'SELECT count(*) FROM "{table}"'))  # noqa: S608
    return int(found or 0)


def count_rows(engines: Engines) -> dict[str, int]:
    with engines.migrator.begin() as connection:
        names = inspect(connection).get_table_names()
        return {
            name: count(connection, name)
            for name in names
            if not name.startswith(("alembic", "title_index", "archive"))
        }


@contextmanager
def opened(place: Place) -> Iterator[Engines]:
    engines = engines_for(place.url, place.data)
    try:
        yield engines
    finally:
        engines.dispose()


@pytest.fixture(scope="module")
def every_schema(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A SQLite database of each earlier schema, by revision: a folder that a test may copy."""
    root = tmp_path_factory.mktemp("schemas")
    building = Place(None, root / "building")
    building.data.mkdir()
    (building.data / FILE_NAME).touch()
    folders = {}
    for revision in OLD:
        with opened(building) as engines:
            build_with_rows(engines, revision)
        folders[revision] = root / revision
        shutil.copytree(building.data, folders[revision])
    return folders


async def test_a_database_of_every_earlier_schema_is_migrated_and_keeps_its_rows(
    every_schema: dict[str, Path], tmp_path: Path
) -> None:
    with opened(Place(None, tmp_path / "fresh")) as engines:
        prepare_database(engines, tmp_path / "fresh", now=NOON)
        expected = snapshot(engines.migrator)
    wrong = {}
    for revision, folder in every_schema.items():
        data = tmp_path / revision
        shutil.copytree(folder, data)
        with opened(Place(None, data)) as engines:
            before = count_rows(engines)
            prepare_database(engines, data, now=NOON)
            after, migrated = count_rows(engines), snapshot(engines.migrator)
        require_intact(data / FILE_NAME)
        lost = {table: rows for table, rows in before.items() if after.get(table, 0) < rows}
        if lost or migrated != expected:
            wrong[revision] = lost
    assert wrong == {}


def test_postgresql_is_migrated_from_each_schema_to_the_next_with_rows_in_every_table(
    fresh_postgres: str, tmp_path: Path
) -> None:
    lost: dict[tuple[str, str], int] = {}
    with opened(Place(fresh_postgres, tmp_path)) as engines:
        before: dict[str, int] = {}
        for revision in REVISIONS:
            build_with_rows(engines, revision)
            after = count_rows(engines)
            lost |= {(revision, table): n for table, n in before.items() if after.get(table, 0) < n}
            before = after

    assert lost == {}
    assert min(before.values()) >= 1


def die_while_migrating(url: str | None, data: Path, statement: int) -> None:
    """Migrate, and be killed before a statement."""
    engines = engines_for(url, data)
    executed = 0

    @event.listens_for(engines.migrator, "before_cursor_execute")
    def count_statement(*_: object) -> None:
        nonlocal executed
        executed += 1
        if executed == statement:
            os.kill(os.getpid(), signal.SIGKILL)

    prepare_database(engines, data, now=NOON)


def count_statements(data: Path) -> int:
    executed = 0
    with opened(Place(None, data)) as engines:

        @event.listens_for(engines.migrator, "before_cursor_execute")
        def count_statement(*_: object) -> None:
            nonlocal executed
            executed += 1

        prepare_database(engines, data, now=NOON)
    return executed


@pytest.mark.parametrize("share", [0.05, 0.35, 0.65, 0.95])
async def test_a_kill_in_the_middle_of_a_migration_changes_nothing_and_the_next_start_migrates(
    every_schema: dict[str, Path], tmp_path: Path, clock: FakeClock, share: float
) -> None:
    shutil.copytree(every_schema["0001"], tmp_path / "counted")
    data = tmp_path / "data"
    shutil.copytree(every_schema["0001"], data)

    statement = round(share * count_statements(tmp_path / "counted"))
    killed = start_forked(die_while_migrating, None, data, statement)
    killed.join(LONG)

    assert killed.exitcode == -signal.SIGKILL
    with opened(Place(None, data)) as engines:
        assert read_revision(engines) == "0001"
    clock.advance(minutes=1)
    async with open_store(None, data, clock=clock) as store:
        change = await store.changes.get(1)
    assert change.state is ChangeState.APPLIED
    assert [file.name[-7:-3] for file in list_backups(backups_folder(data))] == ["0001", "0001"]


async def test_postgresql_rolls_back_a_migration_that_was_killed(
    fresh_postgres: str, tmp_path: Path, clock: FakeClock
) -> None:
    place = Place(fresh_postgres, tmp_path)
    with opened(place) as engines:
        build_with_rows(engines, "0001")

    killed = start_forked(die_while_migrating, fresh_postgres, tmp_path, 200)
    killed.join(LONG)

    assert killed.exitcode == -signal.SIGKILL
    with opened(place) as engines:
        assert read_revision(engines) == "0001"
    async with open_store(fresh_postgres, tmp_path, clock=clock) as store:
        assert (await store.changes.get(1)).state is ChangeState.APPLIED
