"""The database goes away and comes back: reported, survived, and nothing written into nowhere."""

import asyncio
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from structlog.testing import capture_logs

from core.documents import DocumentRef
from store import Store, StoreUnavailable, open_store
from store.engine import FILE_NAME, engines_for
from store.migrate import prepare_database
from tests.store.builders import HOME_7, HOME_8, NOON, FakeClock, a_new_job, enqueue_job
from tests.store.conftest import Place
from tests.store.test_migrate import NOBODY
from tests.store.test_upgrade import first_scripts
from tests.waiting import LONG

Ask = Callable[[Store, FakeClock], Awaitable[object]]
ASKS: dict[str, Ask] = {
    "a write": lambda store, clock: store.jobs.enqueue(a_new_job(HOME_8), now=clock()),
    "a claim": lambda store, clock: store.jobs.claim(worker="worker", now=clock()),
    "a read": lambda store, clock: store.jobs.list(),
    "a look": lambda store, clock: store.has_changed(),
}


@pytest.fixture
def file(sqlite_place: Place) -> Path:
    return sqlite_place.data / FILE_NAME


@pytest.fixture
async def store(sqlite_place: Place, clock: FakeClock) -> AsyncIterator[Store]:
    async with open_store(None, sqlite_place.data, clock=clock) as opened:
        await enqueue_job(opened, clock, HOME_7)
        await opened.jobs.list()
        await opened.has_changed()
        yield opened


def copy_of(file: Path) -> Path:
    """Copy a database that is in use, as the doctor would: whole, without its log."""
    copy = file.with_name("copy.db")
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("VACUUM INTO ?", (str(copy),))
    return copy


def replace_by_copy(file: Path, other: Path) -> None:
    new = file.with_name("new.db")
    shutil.copy(other, new)
    new.replace(file)


async def documents(store: Store) -> set[DocumentRef]:
    return {job.document for job in await store.jobs.list()}


@pytest.mark.parametrize("ask", ASKS)
async def test_a_deleted_file_is_reported_and_not_made_anew(
    store: Store, clock: FakeClock, file: Path, ask: str
) -> None:
    file.unlink()

    with pytest.raises(StoreUnavailable, match=f"{FILE_NAME} is missing: restore it"):
        await ASKS[ask](store, clock)

    assert not file.exists()


@pytest.mark.parametrize("ask", ASKS)
async def test_the_store_goes_on_when_the_file_is_back(
    store: Store, clock: FakeClock, file: Path, ask: str
) -> None:
    away = file.rename(file.with_name("away.db"))
    with pytest.raises(StoreUnavailable):
        await ASKS[ask](store, clock)

    away.rename(file)

    await ASKS[ask](store, clock)
    await enqueue_job(store, clock, DocumentRef("home", 9))
    assert {HOME_7, DocumentRef("home", 9)} <= await documents(store)


@pytest.mark.parametrize("ask", ASKS)
async def test_a_copy_put_in_its_place_is_opened(
    store: Store, clock: FakeClock, file: Path, ask: str
) -> None:
    copy = copy_of(file)
    await enqueue_job(store, clock, DocumentRef("home", 9))

    copy.replace(file)

    with capture_logs() as logs:
        await ASKS[ask](store, clock)
    assert [line["event"] for line in logs] == ["database file replaced"]
    assert await documents(store) - {HOME_8} == {HOME_7}
    await enqueue_job(store, clock, DocumentRef("home", 10))
    _require_whole(file)


async def test_another_file_is_a_change(store: Store, file: Path) -> None:
    assert not await store.has_changed()

    copy_of(file).replace(file)

    assert await store.has_changed()
    assert not await store.has_changed()


async def test_a_copy_restored_after_a_deletion_is_opened(
    store: Store, clock: FakeClock, file: Path
) -> None:
    copy = copy_of(file)
    await enqueue_job(store, clock, DocumentRef("home", 9))
    file.unlink()
    with pytest.raises(StoreUnavailable):
        await store.jobs.list()

    shutil.copy(copy, file)

    assert await documents(store) == {HOME_7}
    await enqueue_job(store, clock, HOME_8)
    _require_whole(file)


async def test_a_copy_keeps_the_log_that_came_with_it(
    store: Store, clock: FakeClock, file: Path, tmp_path: Path
) -> None:
    async with open_store(None, tmp_path / "elsewhere") as elsewhere:
        await enqueue_job(elsewhere, clock, HOME_8)
        there = tmp_path / "elsewhere" / FILE_NAME
        for ending in ("-wal", "-shm"):
            file.with_name(FILE_NAME + ending).unlink()
        shutil.copy(there.with_name(FILE_NAME + "-wal"), file.with_name(FILE_NAME + "-wal"))
        replace_by_copy(file, there)

    assert await documents(store) == {HOME_8}


async def test_a_file_that_was_moved_away_keeps_its_newest_rows(
    store: Store, clock: FakeClock, file: Path
) -> None:
    copy = copy_of(file)
    await enqueue_job(store, clock, DocumentRef("home", 9))
    away = file.rename(file.with_name("away.db"))
    copy.replace(file)

    assert await documents(store) == {HOME_7}

    _require_whole(away)
    with closing(sqlite3.connect(away)) as connection:
        assert connection.execute("SELECT max(document_id) FROM jobs").fetchone() == (9,)


async def test_many_callers_notice_a_new_file_together(
    store: Store, clock: FakeClock, file: Path
) -> None:
    copy_of(file).replace(file)

    with capture_logs() as logs:
        asked = [ASKS[ask](store, clock) for ask in ("a read", "a look", "a write") * 5]
        await asyncio.gather(*asked)

    assert [line["event"] for line in logs] == ["database file replaced"]
    assert await documents(store) == {HOME_7, HOME_8}


async def test_an_older_file_put_in_its_place_is_migrated_and_copied(
    store: Store, clock: FakeClock, file: Path, tmp_path: Path
) -> None:
    replace_by_copy(file, file_made_by(first_scripts(tmp_path), tmp_path / "old"))

    assert await store.jobs.list() == ()
    assert await store.scans.find_requested("home") is None
    (backup,) = (file.parent / "backups").iterdir()
    assert backup.name.endswith("-schema-0001.db")


async def test_a_newer_file_put_in_its_place_is_refused_until_it_is_gone(
    store: Store, clock: FakeClock, file: Path
) -> None:
    good, newer = copy_of(file), file.with_name("newer.db")
    shutil.copy(good, newer)
    with closing(sqlite3.connect(newer)) as connection, connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    newer.replace(file)

    for ask in ASKS.values():
        with pytest.raises(StoreUnavailable, match="schema 9999"):
            await ask(store, clock)
    good.replace(file)

    assert await documents(store) == {HOME_7}


async def test_a_file_that_is_no_database_is_refused(
    store: Store, clock: FakeClock, file: Path
) -> None:
    good, letter = copy_of(file), file.with_name("letter.txt")
    letter.write_text("a shopping list " * 100)
    letter.replace(file)

    with pytest.raises(StoreUnavailable, match="not a database"):
        await store.jobs.list()
    good.replace(file)

    assert await documents(store) == {HOME_7}


async def test_a_folder_that_is_not_a_folder_any_more_is_reported(
    store: Store, clock: FakeClock, file: Path
) -> None:
    away = file.parent.rename(file.parent.with_name("away"))
    file.parent.touch()

    with pytest.raises(StoreUnavailable, match="cannot be read"):
        await store.jobs.list()

    file.parent.unlink()
    away.rename(file.parent)
    assert await documents(store) == {HOME_7}


@pytest.fixture
def ours() -> Iterator[Path]:
    """A data folder whose permissions count: root minds none, so we are nobody for a while."""
    with TemporaryDirectory() as folder:
        if os.geteuid() != 0:
            yield Path(folder)
            return
        os.chown(folder, NOBODY, -1)
        os.seteuid(NOBODY)
        yield Path(folder)
        os.seteuid(0)


async def test_a_folder_that_becomes_read_only_is_reported_and_survived(
    ours: Path, clock: FakeClock
) -> None:
    async with open_store(None, ours) as store:
        files = list(ours.iterdir())
        for file in files:
            file.chmod(0o400)
        ours.chmod(0o500)

        with pytest.raises(StoreUnavailable, match="readonly"):
            await enqueue_job(store, clock, HOME_7)
        for file in files:
            file.chmod(0o600)
        ours.chmod(0o700)

        await enqueue_job(store, clock, HOME_7)
        assert await documents(store) == {HOME_7}


FULL = """
import asyncio, resource, signal, sys
from datetime import datetime
from itertools import count
from pathlib import Path
from core.documents import DocumentRef
from core.jobs import NewJob
from store import StoreUnavailable, open_store

def room_for(size):
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))

async def main(data, now):
    async with open_store(None, Path(data)) as store:
        async def enqueue(number):
            await store.jobs.enqueue(NewJob(DocumentRef("home", number)), now=now)

        room_for(400_000)
        try:
            for number in count(1):
                await enqueue(number)
        except StoreUnavailable as error:
            print(error)
        print(number - 1, len(await store.jobs.list(limit=number)))
        room_for(resource.RLIM_INFINITY)
        await enqueue(number)
        print(number, len(await store.jobs.list(limit=number + 1)))

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
asyncio.run(main(sys.argv[1], datetime.fromisoformat(sys.argv[2])))
"""


def test_a_full_disk_is_reported_and_the_store_goes_on_when_there_is_room(
    sqlite_place: Place,
) -> None:
    run = subprocess.run(
        [sys.executable, "-c", FULL, str(sqlite_place.data), NOON.isoformat()],
        capture_output=True,
        text=True,
        timeout=LONG,
        cwd=Path(__file__).parents[2],
        check=False,
    )

    assert run.returncode == 0, run.stderr
    refused, full, after = run.stdout.splitlines()
    assert refused.startswith("the database rejected the operation: ")
    written, read = full.split()
    assert written == read
    assert after == f"{int(read) + 1} {int(read) + 1}"


def file_made_by(scripts: Path, data: Path) -> Path:
    """Make a database as a Paperclerk with these migrations would."""
    engines = engines_for(None, data)
    prepare_database(engines, data, now=NOON, scripts=scripts)
    engines.dispose()
    return data / FILE_NAME


def _require_whole(file: Path) -> None:
    with closing(sqlite3.connect(file)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
