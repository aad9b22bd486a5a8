"""Restoring a backup: checked first, and nothing of the present database is lost."""

import shutil
import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, closing
from datetime import timedelta
from pathlib import Path

import pytest

from core.access import NewToken, Permission
from store import SchemaTooNew, Store, open_store
from store.backup import add_backup, backups_folder, database_file
from store.engine import FILE_NAME, engines_for
from store.migrate import prepare_database
from store.restore import BackupUnusable, read_backup, restore_backup
from tests.store.builders import HOME_7, HOME_8, NOON, FakeClock, enqueue_job
from tests.store.conftest import Place
from tests.store.test_backup import damage_pages
from tests.store.test_upgrade_begun import old_scripts

LATER = NOON + timedelta(days=1)


@asynccontextmanager
async def opened(place: Place, clock: FakeClock) -> AsyncIterator[Store]:
    async with open_store(None, place.data, clock=clock) as store:
        yield store


@pytest.fixture
async def backup(sqlite_place: Place, clock: FakeClock) -> Path:
    """A backup with document 7, a session and two tokens; the present database also has 8."""
    async with opened(sqlite_place, clock) as store:
        await enqueue_job(store, clock, HOME_7)
        await store.access.set_password("hash", now=clock())
        until = clock() + timedelta(days=9)
        await store.access.sessions.begin("s", "admin", user_agent="", now=clock(), until=until)
        await store.access.issue_link("l", expires_at=until)
        for name in ("phone", "script"):
            await store.access.tokens.create(NewToken(name, Permission.READ), name, now=clock())
        await store.access.tokens.revoke("phone", now=clock())
        backup = add_backup(
            database_file(sqlite_place.data), backups_folder(sqlite_place.data), now=NOON
        )
        await enqueue_job(store, clock, HOME_8)
    return backup


async def test_the_database_is_the_backup_and_the_former_one_is_kept(
    sqlite_place: Place, backup: Path, clock: FakeClock
) -> None:
    restored = restore_backup(backup, sqlite_place.data, keep_tokens=False, now=LATER)

    async with opened(sqlite_place, clock) as store:
        assert [job.document for job in await store.jobs.list()] == [HOME_7]
    assert restored.former == backup.parent / "replaced-20260302T120000000000Z.db"
    assert restored.former.stat().st_mode & 0o777 == 0o600
    restore_backup(restored.former, sqlite_place.data, keep_tokens=False, now=LATER)
    async with opened(sqlite_place, clock) as store:
        assert {job.document for job in await store.jobs.list()} == {HOME_7, HOME_8}
    assert backup.exists()
    assert not (sqlite_place.data / "restoring").exists()


@pytest.mark.parametrize(("keep_tokens", "valid"), [(False, []), (True, ["script"])])
async def test_every_session_ends_and_every_token_is_revoked(
    sqlite_place: Place, backup: Path, clock: FakeClock, *, keep_tokens: bool, valid: list[str]
) -> None:
    restored = restore_backup(backup, sqlite_place.data, keep_tokens=keep_tokens, now=LATER)

    async with opened(sqlite_place, clock) as store:
        tokens = await store.access.tokens.list()
        assert await store.access.sessions.get("s", now=clock()) is None
        assert not await store.access.is_link_valid("l", now=clock())
        assert await store.access.get_password_hash() == "hash"
    assert [token.name for token in tokens if token.revoked_at is None] == valid
    assert (restored.sessions, restored.tokens) == (1, 1 - len(valid))


async def test_what_was_only_in_the_log_of_the_former_database_is_kept(
    sqlite_place: Place, backup: Path, clock: FakeClock
) -> None:
    present = sqlite_place.data / FILE_NAME
    with closing(sqlite3.connect(present)) as killed:
        # The copy of file and log is what a process leaves that is killed.
        killed.execute("PRAGMA journal_mode=WAL")
        killed.execute("UPDATE jobs SET priority = 99")
        killed.commit()
        crashed = sqlite_place.data.parent / "crashed"
        shutil.copytree(sqlite_place.data, crashed)
    assert (crashed / f"{FILE_NAME}-wal").stat().st_size

    former = restore_backup(backup, crashed, keep_tokens=False, now=LATER).former

    assert former is not None
    with closing(sqlite3.connect(former)) as connection:
        found = connection.execute("SELECT DISTINCT priority FROM jobs").fetchall()
    assert found == [(99,)]
    async with open_store(None, crashed, clock=clock) as store:
        assert [job.document for job in await store.jobs.list()] == [HOME_7]


def not_a_database(file: Path) -> None:
    file.write_text("a shopping list " * 400)


def empty(file: Path) -> None:
    file.write_bytes(b"")


def cut_off(file: Path) -> None:
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


def of_another_program(file: Path) -> None:
    file.unlink()
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("CREATE TABLE documents (id)")


@pytest.mark.parametrize(
    "damage", [not_a_database, empty, cut_off, damage_pages, of_another_program, Path.unlink]
)
def test_a_file_that_is_damaged_or_no_backup_is_refused_and_nothing_changes(
    sqlite_place: Place, backup: Path, damage: Callable[[Path], None]
) -> None:
    damage(backup)
    before = (sqlite_place.data / FILE_NAME).read_bytes()

    for attempt in (
        lambda: read_backup(backup, sqlite_place.data),
        lambda: restore_backup(backup, sqlite_place.data, keep_tokens=False, now=LATER),
    ):
        with pytest.raises(BackupUnusable, match="cannot be restored"):
            attempt()

    assert (sqlite_place.data / FILE_NAME).read_bytes() == before
    assert not (sqlite_place.data / "restoring").exists()


def test_a_backup_of_a_later_version_is_refused_with_what_to_do(
    sqlite_place: Place, backup: Path
) -> None:
    with closing(sqlite3.connect(backup)) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
        connection.commit()

    with pytest.raises(SchemaTooNew, match="schema 9999") as refused:
        restore_backup(backup, sqlite_place.data, keep_tokens=False, now=LATER)

    assert refused.value.hint == "Nothing was changed. Update Paperclerk, then restore it."


def test_the_present_database_is_no_backup_of_itself(sqlite_place: Place) -> None:
    with pytest.raises(BackupUnusable, match="it is the present database"):
        read_backup(sqlite_place.data / FILE_NAME, sqlite_place.data)


async def test_the_first_schema_can_be_restored_and_is_migrated_by_the_next_start(
    sqlite_place: Place, tmp_path: Path, clock: FakeClock
) -> None:
    old = tmp_path / "old-data"
    old.mkdir()
    engines = engines_for(None, old)
    prepare_database(engines, old, now=NOON, scripts=old_scripts(tmp_path, "0001"))
    engines.dispose()

    content = read_backup(old / FILE_NAME, sqlite_place.data)
    restore_backup(old / FILE_NAME, sqlite_place.data, keep_tokens=False, now=LATER)

    assert content.schema == "0001"
    async with opened(sqlite_place, clock) as store:
        assert await store.jobs.list() == ()


def test_without_a_present_database_there_is_nothing_to_compare(
    sqlite_place: Place, backup: Path, tmp_path: Path
) -> None:
    content = read_backup(backup, tmp_path / "fresh")
    restored = restore_backup(backup, tmp_path / "fresh", keep_tokens=False, now=LATER)

    assert content.present is None
    assert set(content.documents) == {HOME_7}
    assert restored.former is None


def test_a_damaged_present_database_is_replaced_and_kept(sqlite_place: Place, backup: Path) -> None:
    damage_pages(sqlite_place.data / FILE_NAME)
    damaged = (sqlite_place.data / FILE_NAME).read_bytes()

    content = read_backup(backup, sqlite_place.data)
    restored = restore_backup(backup, sqlite_place.data, keep_tokens=False, now=LATER)

    assert content.present is None
    assert restored.former is not None
    assert restored.former.read_bytes() == damaged


def test_a_backup_on_a_read_only_disk_can_be_restored(sqlite_place: Place, backup: Path) -> None:
    backup.chmod(0o400)
    backup.parent.chmod(0o500)
    try:
        content = read_backup(backup, sqlite_place.data)
    finally:
        backup.parent.chmod(0o700)

    assert set(content.documents) == {HOME_7}
