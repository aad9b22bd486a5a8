"""Migrations: the schema, the copy that is kept, and what is refused."""

import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Engine, create_engine, inspect, text

from store import CannotOpen, DataFolderNotWritable, OpenMode, SchemaTooNew, open_store
from store.backup import BACKUPS_KEPT
from store.engine import FILE_NAME, Engines, engines_for
from store.migrate import SCRIPTS, latest_revision, prepare_database
from store.tables import metadata
from tests.postgres import Server
from tests.store.builders import HOME_7, NOON, FakeClock, enqueue_job
from tests.store.conftest import Place

NOBODY = 65534
NEXT = f'''"""A later schema."""
import sqlalchemy as sa
from alembic import op
revision = "9999"
down_revision = "{latest_revision()}"
def upgrade() -> None:
    op.add_column("holds", sa.Column("note", sa.Text()))
'''
_NOT_OURS = ("alembic_version", "title_index", "archive_")
"""What no rows are written to by us: an index is kept by the database itself."""
BROKEN = NEXT + '    op.drop_table("nowhere")\n'


def later_scripts(tmp_path: Path, script: str) -> Path:
    """Give the migrations of a Paperclerk that is one schema ahead of ours."""
    scripts = tmp_path / "scripts"
    shutil.copytree(SCRIPTS, scripts)
    (scripts / "versions" / "9999_later.py").write_text(script)
    return scripts


@contextmanager
def engines(place: Place) -> Iterator[Engines]:
    made = engines_for(place.url, place.data)
    try:
        yield made
    finally:
        made.dispose()


def columns_of_holds(engine: Engine) -> set[str]:
    return {column["name"] for column in inspect(engine).get_columns("holds")}


def snapshot(engine: Engine) -> dict[str, object]:
    """Give all that a database says of its tables and indexes."""
    inspector = inspect(engine)

    def of(table: str) -> object:
        return (
            [(c["name"], str(c["type"]), c["nullable"]) for c in inspector.get_columns(table)],
            inspector.get_pk_constraint(table)["constrained_columns"],
            sorted(map(str, inspector.get_unique_constraints(table))),
            sorted(map(str, inspector.get_foreign_keys(table))),
        )

    tables = [name for name in inspector.get_table_names() if not name.startswith(_NOT_OURS)]
    return {name: of(name) for name in tables} | {"indexes": indexes(engine)}


def indexes(engine: Engine) -> list[str]:
    """Give the indexes as the database spells them, with order and condition."""
    query = "SELECT sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL ORDER BY 1"
    if engine.dialect.name != "sqlite":
        query = (
            "SELECT indexdef FROM pg_indexes WHERE schemaname = 'public'"
            " AND tablename NOT IN ('alembic_version', 'title_index')"
            " AND tablename NOT LIKE 'archive%' ORDER BY 1"
        )
    with engine.connect() as connection:
        return list(connection.scalars(text(query)))


def made_from_tables(place: Place, postgres: Server, tmp_path: Path) -> dict[str, object]:
    """Give the schema as the tables describe it; the only `create_all` there is."""
    name = None if place.url is None else postgres.create()
    url = f"sqlite:///{tmp_path / 'tables.db'}"
    if name is not None:
        url = postgres.url(name).replace("postgresql:", "postgresql+psycopg:")
    engine = create_engine(url)
    metadata.create_all(engine)
    found = snapshot(engine)
    engine.dispose()
    if name is not None:
        postgres.drop(name)
    return found


def test_the_migrated_schema_is_what_the_tables_say(
    empty_place: Place, postgres: Server, tmp_path: Path
) -> None:
    with engines(empty_place) as made:
        prepare_database(made, empty_place.data, now=NOON)

        migrated = snapshot(made.writer)

    assert migrated == made_from_tables(empty_place, postgres, tmp_path)


async def test_a_store_opens_where_nothing_was(empty_place: Place, clock: FakeClock) -> None:
    async with open_store(empty_place.url, empty_place.data) as store:
        await enqueue_job(store, clock)

    async with open_store(empty_place.url, empty_place.data) as store:
        assert [job.document for job in await store.jobs.list()] == [HOME_7]


async def test_the_data_folder_is_made_if_need_be(tmp_path: Path) -> None:
    async with open_store(None, tmp_path / "new" / "data") as store:
        assert not store.shared

    assert (tmp_path / "new" / "data" / FILE_NAME).is_file()
    assert not (tmp_path / "new" / "data" / "backups").exists()


async def test_a_server_is_shared(fresh_postgres: str, tmp_path: Path) -> None:
    async with open_store(fresh_postgres, tmp_path) as store:
        assert store.shared

    assert list(tmp_path.iterdir()) == []


def test_a_due_migration_is_run(empty_place: Place, tmp_path: Path) -> None:
    scripts = later_scripts(tmp_path, NEXT)
    with engines(empty_place) as made:
        prepare_database(made, empty_place.data, now=NOON)

        prepare_database(made, empty_place.data, now=NOON, scripts=scripts)

        assert "note" in columns_of_holds(made.writer)


def test_a_failed_migration_leaves_everything_as_it_was(empty_place: Place, tmp_path: Path) -> None:
    scripts = later_scripts(tmp_path, BROKEN)
    with engines(empty_place) as made:
        prepare_database(made, empty_place.data, now=NOON)

        with pytest.raises(Exception, match="nowhere"):
            prepare_database(made, empty_place.data, now=NOON, scripts=scripts)

        assert "note" not in columns_of_holds(made.writer)
        with made.writer.connect() as connection:
            assert (
                MigrationContext.configure(connection).get_current_revision() == latest_revision()
            )


async def test_the_database_is_copied_before_a_migration(tmp_path: Path, clock: FakeClock) -> None:
    data = tmp_path / "data"
    async with open_store(None, data) as store:
        await enqueue_job(store, clock)

    with engines(Place(None, data)) as made:
        prepare_database(made, data, now=NOON, scripts=later_scripts(tmp_path, NEXT))

    (copy,) = (data / "backups").iterdir()
    assert copy.name == f"paperclerk-20260301T120000000000Z-schema-{latest_revision()}.db"
    with sqlite3.connect(copy) as connection:
        assert connection.execute("SELECT count(*) FROM jobs").fetchone() == (1,)
    connection.close()


def test_a_copy_can_be_read_by_its_user_alone(tmp_path: Path) -> None:
    data = tmp_path / "data"
    before = os.umask(0)
    try:
        with engines(Place(None, data)) as made:
            prepare_database(made, data, now=NOON)
            prepare_database(made, data, now=NOON, scripts=later_scripts(tmp_path, NEXT))
    finally:
        os.umask(before)

    (copy,) = (data / "backups").iterdir()
    assert copy.stat().st_mode & 0o777 == 0o600
    assert copy.parent.stat().st_mode & 0o777 == 0o700


async def test_files_that_a_former_version_made_readable_are_shut(tmp_path: Path) -> None:
    async with open_store(None, tmp_path, opening=OpenMode.WORK):
        pass
    old = tmp_path / "backups" / "paperclerk-20260101T120000000000Z-schema-0001.db"
    old.parent.mkdir()
    for file in (tmp_path / FILE_NAME, old):
        file.touch()
        file.chmod(0o644)

    async with open_store(None, tmp_path, opening=OpenMode.WORK):
        modes = {file.stat().st_mode & 0o777 for file in (*tmp_path.glob(f"{FILE_NAME}*"), old)}

    assert modes == {0o600}


def test_only_the_newest_copies_are_kept(tmp_path: Path) -> None:
    data = tmp_path / "data"
    backups = data / "backups"
    backups.mkdir(parents=True)
    for day in range(1, 10):
        (backups / f"paperclerk-202601{day:02}T120000000000Z-schema-0001.db").touch()
    (backups / "mine.db").touch()

    with engines(Place(None, data)) as made:
        prepare_database(made, data, now=NOON)
        later = later_scripts(tmp_path, NEXT)
        prepare_database(made, data, now=NOON + timedelta(days=1), scripts=later)

    names = sorted(file.name for file in backups.iterdir())
    assert len(names) == BACKUPS_KEPT + 1
    assert names[0] == "mine.db"
    assert names[1].startswith("paperclerk-20260104")
    assert names[-1].startswith("paperclerk-20260302")


async def test_a_schema_from_the_future_is_refused(empty_place: Place, tmp_path: Path) -> None:
    with engines(empty_place) as made:
        prepare_database(made, empty_place.data, now=NOON, scripts=later_scripts(tmp_path, NEXT))

    with pytest.raises(
        SchemaTooNew, match=f"schema 9999, this Paperclerk supports at most {latest_revision()}"
    ):
        async with open_store(empty_place.url, empty_place.data):
            pass


@pytest.fixture
def forbidden_folder(tmp_path: Path) -> Iterator[Path]:
    """A folder that we may not write to, for root too."""
    folder = tmp_path / "data"
    folder.mkdir(mode=0o500)
    if os.geteuid() != 0:
        yield folder
        return
    os.seteuid(NOBODY)
    yield folder
    os.seteuid(0)


async def test_a_folder_that_is_not_writable_is_reported_with_its_remedy(
    forbidden_folder: Path,
) -> None:
    with pytest.raises(DataFolderNotWritable) as caught:
        async with open_store(None, forbidden_folder):
            pass

    assert caught.value.hint == f"chown -R {os.geteuid()}:{os.getegid()} {forbidden_folder}"


async def test_a_file_that_is_no_database_is_reported(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_text("a shopping list " * 100)

    with pytest.raises(CannotOpen, match="not a database"):
        async with open_store(None, tmp_path):
            pass


def test_each_migration_is_in_a_file_that_begins_with_its_revision() -> None:
    scripts = ScriptDirectory(str(SCRIPTS))

    named = {script.revision: Path(script.path).name for script in scripts.walk_revisions()}

    assert [file for revision, file in named.items() if not file.startswith(f"{revision}_")] == []
    assert latest_revision() == scripts.get_current_head()
