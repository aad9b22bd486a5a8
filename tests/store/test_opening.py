"""Opening: who only looks changes nothing, and who works waits until nobody else is at work."""

import shutil
import subprocess
import sys
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from alembic.script import ScriptDirectory
from sqlalchemy import delete, insert, text

from core.calendar import utc_now
from core.workers import WORKER_TIMEOUT
from store import (
    DatabaseGone,
    DatabaseMissing,
    OpenMode,
    SchemaChanged,
    SchemaTooOld,
    Store,
    StoreUnavailable,
    WorkLock,
    open_store,
)
from store.engine import FILE_NAME
from store.migrate import SCRIPTS, latest_revision, prepare_database, read_revision
from store.tables import workers
from tests.store.builders import HOME_7, NOON, FakeClock, enqueue_job
from tests.store.conftest import Place
from tests.store.test_database_outages import ASKS, documents, file_made_by, replace_by_copy
from tests.store.test_migrate import engines
from tests.waiting import LONG

OPEN = """
import asyncio, sys
from datetime import timedelta
from pathlib import Path
from store import open_store

async def open_once(data, seconds):
    async with open_store(None, Path(data), max_preparation=timedelta(seconds=seconds)) as store:
        print(len(await store.jobs.list()))

asyncio.run(open_once(sys.argv[1], float(sys.argv[2])))
"""
NEWEST = ScriptDirectory(str(SCRIPTS)).get_revision(latest_revision())
BEFORE = NEWEST.down_revision
"""The schema before the newest."""


def older_scripts(folder: Path) -> Path:
    """Give the migrations of a Paperclerk that is one schema behind ours."""
    scripts = folder / "older"
    shutil.copytree(SCRIPTS, scripts)
    (scripts / "versions" / Path(NEWEST.path).name).unlink()
    return scripts


def revision(place: Place) -> str | None:
    with engines(place) as made:
        return read_revision(made)


@pytest.fixture
def older(empty_place: Place, tmp_path: Path) -> Place:
    """A database that the Paperclerk before this one has made."""
    with engines(empty_place) as made:
        prepare_database(made, empty_place.data, now=NOON, scripts=older_scripts(tmp_path))
    return empty_place


@pytest.fixture
def older_file(tmp_path: Path) -> Path:
    return file_made_by(older_scripts(tmp_path), tmp_path / "old")


@pytest.fixture
def at_work(tmp_path: Path) -> Iterator[Path]:
    """A data folder that another process is at work on: a lock of ours is not shared."""
    with WorkLock(tmp_path / "data"):
        yield tmp_path / "data"


async def test_who_only_looks_makes_no_database(empty_place: Place) -> None:
    data = empty_place.data / "data"

    with pytest.raises(DatabaseMissing, match="Paperclerk has not been started yet"):
        async with open_store(empty_place.url, data, opening=OpenMode.LOOK):
            pass

    assert not data.exists()
    assert revision(empty_place) is None


async def test_who_only_looks_migrates_nothing(older: Place) -> None:
    with pytest.raises(
        SchemaTooOld, match=f"schema {BEFORE}, this Paperclerk needs {latest_revision()}$"
    ):
        async with open_store(older.url, older.data, opening=OpenMode.LOOK):
            pass

    assert revision(older) == BEFORE


async def test_who_only_looks_sees_what_is_there(
    place: Place, store: Store, clock: FakeClock
) -> None:
    await enqueue_job(store, clock)

    async with open_store(place.url, place.data, opening=OpenMode.LOOK) as looking:
        assert await documents(looking) == {HOME_7}


async def test_who_works_migrates(older: Place) -> None:
    async with open_store(older.url, older.data):
        pass

    assert revision(older) == latest_revision()


@pytest.mark.parametrize("opening", OpenMode)
async def test_a_file_that_is_gone_is_not_made_anew_beside_who_works(
    at_work: Path, opening: OpenMode
) -> None:
    with pytest.raises(
        DatabaseGone, match=r"is missing, and process \d+ is using this data folder"
    ) as caught:
        async with open_store(None, at_work, opening=opening, max_preparation=timedelta()):
            pass

    assert "the daemon waits for it" in caught.value.hint
    assert not (at_work / FILE_NAME).exists()


@pytest.mark.parametrize("opening", OpenMode)
async def test_nothing_is_migrated_beside_who_works(
    at_work: Path, older_file: Path, opening: OpenMode
) -> None:
    shutil.copy(older_file, at_work / FILE_NAME)

    with pytest.raises(SchemaTooOld, match=r"and process \d+ is using this data folder") as caught:
        async with open_store(None, at_work, opening=opening, max_preparation=timedelta()):
            pass

    assert caught.value.hint.startswith("Restart the daemon")
    assert revision(Place(None, at_work)) == BEFORE


async def test_a_server_is_not_migrated_while_a_process_is_heard_of(
    fresh_postgres: str, tmp_path: Path
) -> None:
    place = Place(fresh_postgres, tmp_path)
    with engines(place) as made:
        prepare_database(made, tmp_path, now=NOON, scripts=older_scripts(tmp_path))
    _be_heard_of(place, utc_now())

    for opening in OpenMode:
        with pytest.raises(SchemaTooOld, match="and vm:1 is using it"):
            async with open_store(fresh_postgres, tmp_path, opening=opening):
                pass
    assert revision(place) == BEFORE
    _be_heard_of(place, utc_now() - WORKER_TIMEOUT - timedelta(seconds=1))
    async with open_store(fresh_postgres, tmp_path):
        assert revision(place) == latest_revision()


def _be_heard_of(place: Place, at: datetime) -> None:
    with engines(place) as made, made.writer.begin() as connection:
        # As an older version does it, which has no other columns.
        connection.execute(delete(workers))
        worker = {"name": "vm:1", "pid": 1, "host": "vm", "role": "daemon"}
        connection.execute(insert(workers).values(**worker, started_at=at, beat_at=at))


async def test_who_works_migrates_an_older_file_that_is_put_in_its_place(
    sqlite_place: Place, older_file: Path
) -> None:
    async with open_store(None, sqlite_place.data) as store:
        assert store.lock is not None
        with store.lock:
            replace_by_copy(sqlite_place.data / FILE_NAME, older_file)

            assert await store.jobs.list() == ()

    assert revision(sqlite_place) == latest_revision()


async def test_an_empty_file_is_not_taken_for_the_one_that_is_gone(
    sqlite_place: Place, clock: FakeClock
) -> None:
    async with open_store(None, sqlite_place.data) as store:
        await enqueue_job(store, clock)
        file = sqlite_place.data / FILE_NAME
        away = file.rename(file.with_name("away.db"))
        file.touch()

        with pytest.raises(StoreUnavailable, match="is not a Paperclerk database"):
            await store.jobs.list()
        away.replace(file)

        assert await documents(store) == {HOME_7}


def set_revision(place: Place, schema: str) -> None:
    with engines(place) as made, made.writer.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = :it"), {"it": schema})


async def test_a_schema_that_moves_beneath_a_store_stops_all_until_it_is_back(
    place: Place, store: Store, clock: FakeClock
) -> None:
    await enqueue_job(store, clock)
    await store.check_schema()
    set_revision(place, "9999")
    try:
        for ask in (lambda _, __: store.check_schema(), *ASKS.values()):
            with pytest.raises(
                SchemaChanged, match=f"now has schema 9999, this .* needs {latest_revision()}"
            ):
                await ask(store, clock)
    finally:
        set_revision(place, latest_revision())

    await store.check_schema()

    assert await documents(store) == {HOME_7}


def test_several_that_begin_at_once_in_an_empty_folder_wait_for_the_first(tmp_path: Path) -> None:
    begun = [
        subprocess.Popen(
            [sys.executable, "-c", OPEN, str(tmp_path / "data"), str(LONG)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=Path(__file__).parents[2],
        )
        for _ in range(3)
    ]

    said = [process.communicate(timeout=LONG) for process in begun]

    assert said == [("0\n", "")] * 3
