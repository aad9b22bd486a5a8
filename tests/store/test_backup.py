"""Backups of a SQLite database: complete, checked, private, and few."""

import os
import sqlite3
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

from store import DatabaseMissing, open_store
from store.backup import (
    BACKUPS_KEPT,
    BackupFailed,
    NoRoomForBackup,
    add_backup,
    backups_folder,
    database_file,
    describe_dump,
    list_backups,
    newest_backup_time,
    write_backup,
)
from store.migrate import latest_revision
from tests.store.builders import HOME_7, HOME_8, NOON, FakeClock, enqueue_and_claim, enqueue_job
from tests.store.conftest import Place
from tests.store.test_calls import a_call, reserve

RAW = "a raw response with a planted sentence"
ENORMOUS = 1 << 42
"""Bytes of a sparse file, more than twice of which no disk of a developer has free."""


def add(place: Place, **later: float) -> Path:
    database, folder = database_file(place.data), backups_folder(place.data)
    return add_backup(database, folder, now=NOON + timedelta(**later))


async def test_a_backup_has_everything_that_is_committed_while_others_write(
    sqlite_place: Place, clock: FakeClock
) -> None:
    async with open_store(None, sqlite_place.data, clock=clock) as store:
        await enqueue_job(store, clock, HOME_7)

        backup = add(sqlite_place)
        await enqueue_job(store, clock, HOME_8)

    sqlite_place.data.joinpath("restored").mkdir()
    backup.rename(sqlite_place.data / "restored" / "paperclerk.db")
    async with open_store(None, sqlite_place.data / "restored", clock=clock) as store:
        assert [job.document for job in await store.jobs.list()] == [HOME_7]


async def test_a_backup_contains_no_raw_response(sqlite_place: Place, clock: FakeClock) -> None:
    async with open_store(None, sqlite_place.data, clock=clock) as store:
        job = await enqueue_and_claim(store, clock)
        await store.calls.finish(await reserve(store, job.id), a_call(), RAW)

        backup = add(sqlite_place)

        [kept] = await store.calls.list_raw_responses(job.id)
    with closing(sqlite3.connect(backup)) as connection:
        calls = connection.execute("SELECT count(*) FROM model_calls").fetchone()
    assert kept.text == RAW
    assert calls == (1,)
    assert RAW.encode() not in backup.read_bytes()


def test_a_backup_is_private_whatever_the_umask(sqlite_place: Place) -> None:
    before = os.umask(0)
    try:
        backup = add(sqlite_place)
    finally:
        os.umask(before)

    assert backup.stat().st_mode & 0o777 == 0o600
    assert backup.parent.stat().st_mode & 0o777 == 0o700


def test_the_newest_seven_are_kept_and_no_file_of_others_is_deleted(sqlite_place: Place) -> None:
    folder = backups_folder(sqlite_place.data)
    folder.mkdir()
    for name in ("mine.db", "replaced-20260101T000000000000Z.db"):
        (folder / name).touch()

    made = [add(sqlite_place, days=day) for day in range(BACKUPS_KEPT + 2)]

    assert list_backups(folder) == made[2:]
    assert newest_backup_time(folder) == NOON + timedelta(days=BACKUPS_KEPT + 1)
    assert {"mine.db", "replaced-20260101T000000000000Z.db"} <= {f.name for f in folder.iterdir()}


def test_a_backup_names_its_time_and_schema(sqlite_place: Place) -> None:
    expected = f"paperclerk-20260301T120000000000Z-schema-{latest_revision()}.db"

    assert add(sqlite_place).name == expected


def test_no_backup_is_no_time(tmp_path: Path) -> None:
    assert newest_backup_time(tmp_path) is None


def test_without_room_for_twice_its_size_nothing_is_written(sqlite_place: Place) -> None:
    # The file is sparse: SQLite knows its size by the header, the disk is not filled.
    os.truncate(database_file(sqlite_place.data), ENORMOUS)

    with pytest.raises(NoRoomForBackup, match=r"it needs \d+ MB in .*, and \d+ MB are free"):
        add(sqlite_place)

    assert list(backups_folder(sqlite_place.data).iterdir()) == []


@pytest.mark.parametrize("damage", ["a shopping list " * 400, ""])
def test_a_damaged_database_makes_no_backup(sqlite_place: Place, damage: str) -> None:
    database = database_file(sqlite_place.data)
    database.write_text(damage)

    with pytest.raises(BackupFailed, match="no backup was written"):
        add(sqlite_place)

    assert list(backups_folder(sqlite_place.data).iterdir()) == []


async def test_a_database_with_a_damaged_page_makes_no_backup(
    sqlite_place: Place, clock: FakeClock
) -> None:
    async with open_store(None, sqlite_place.data, clock=clock) as store:
        await enqueue_job(store, clock)
    damage_pages(database_file(sqlite_place.data))

    with pytest.raises(BackupFailed, match="no backup was written"):
        add(sqlite_place)

    assert list_backups(backups_folder(sqlite_place.data)) == []


def test_what_a_killed_process_left_is_deleted_after_a_day(sqlite_place: Place) -> None:
    folder = backups_folder(sqlite_place.data)
    folder.mkdir()
    old, recent = folder / "old.db.part", folder / "recent.db.part"
    for file, hours in ((old, 25), (recent, 23)):
        file.touch()
        written = (NOON - timedelta(hours=hours)).timestamp()
        os.utime(file, (written, written))

    add(sqlite_place)

    assert not old.exists()
    assert recent.exists()


def test_a_backup_can_be_written_anywhere(sqlite_place: Place, tmp_path: Path) -> None:
    write_backup(database_file(sqlite_place.data), tmp_path / "elsewhere.db")

    with closing(sqlite3.connect(tmp_path / "elsewhere.db")) as connection:
        assert connection.execute("SELECT count(*) FROM jobs").fetchone() == (0,)
    assert not backups_folder(sqlite_place.data).exists()


def test_without_a_database_there_is_nothing_to_back_up(tmp_path: Path) -> None:
    with pytest.raises(DatabaseMissing):
        database_file(tmp_path)


def test_the_command_for_postgresql_does_not_show_the_password() -> None:
    command = describe_dump("postgresql://paperclerk:secret-word@db.lan/clerk")

    assert command.startswith("pg_dump ")
    assert command.endswith(" postgresql://paperclerk@db.lan/clerk")
    assert "secret-word" not in command


def damage_pages(database: Path) -> None:
    """Overwrite the pages after the first, as a failing disk might."""
    size = database.stat().st_size
    with database.open("r+b") as file:
        file.seek(4096)
        file.write(b"\xff" * (size - 4096))
