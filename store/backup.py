"""Back up a SQLite database while it is in use: a checked copy without raw responses."""

import os
import re
import shlex
import shutil
import sqlite3
from contextlib import closing, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

from sqlalchemy import URL, make_url

from core.messages import Message, message
from core.private_files import make_private_file, make_private_folder
from store.data_folder import build_folder_error
from store.engine import FILE_NAME
from store.errors import CannotOpen, DatabaseMissing

BACKUPS_KEPT = 7
ROOM_FACTOR = 2
"""A backup needs this many times the size of the database while it is written."""
_FOLDER_NAME = "backups"
_TIME = "%Y%m%dT%H%M%S%f"
_NAME = re.compile(r"paperclerk-(?P<time>\d{8}T\d{12})Z-schema-\w+\.db")
_UNFINISHED = ".part"
_ABANDONED_AFTER = timedelta(days=1)
"""An unfinished file of this age belongs to a process that was killed."""
_RAW_RESPONSES = "answers"
_MEGABYTE = 1_000_000


class BackupFailed(CannotOpen):
    """No backup could be written: the database is damaged, or its disk."""

    code = "backup_failed"
    user_message = "The backup could not be written."
    hint = "If the database is damaged: stop the daemon, then `paperclerk restore` a backup."

    def __init__(self, why: Message | str) -> None:
        super().__init__(message("no backup was written: {why}", why=why))


class NoRoomForBackup(CannotOpen):
    """The disk has too little room for a backup."""

    code = "no_room_for_backup"
    user_message = "There is too little space on the disk for a backup."
    hint = "Free up space on that disk, or delete old files in the backups folder."

    def __init__(self, folder: Path, *, needed: int, free: int) -> None:
        super().__init__(
            message(
                "no backup was written: it needs {needed} MB in {folder}, and {free} MB are free",
                needed=-(-needed // _MEGABYTE),
                folder=str(folder),
                free=free // _MEGABYTE,
            )
        )


def database_file(data: Path) -> Path:
    """Return the database file of a data folder; raise DatabaseMissing."""
    file = data / FILE_NAME
    if not file.exists():
        raise DatabaseMissing(message("in {folder}", folder=str(data)))
    return file


def backups_folder(data: Path) -> Path:
    """Return the folder for the backups of a data folder."""
    return data / _FOLDER_NAME


def list_backups(folder: Path) -> list[Path]:
    """List the backups in a folder, oldest first; also those made before a migration."""
    return sorted(file for file in folder.glob("*.db") if _NAME.fullmatch(file.name))


def newest_backup_time(folder: Path) -> datetime | None:
    """Return when the newest backup was made; None if there is none."""
    found = list_backups(folder)
    match = _NAME.fullmatch(found[-1].name) if found else None
    return datetime.strptime(match["time"], _TIME).replace(tzinfo=UTC) if match else None


def add_backup(database: Path, folder: Path, *, now: datetime) -> Path:
    """Write a backup to the folder and delete the oldest ones; return its file.

    Raise NoRoomForBackup or BackupFailed.
    """
    make_private_folder(folder)
    _remove_unfinished(folder, now)
    revision = _read_revision(database)
    file = folder / f"paperclerk-{now.astimezone(UTC):{_TIME}}Z-schema-{revision}.db"
    write_backup(database, file)
    for old in list_backups(folder)[:-BACKUPS_KEPT]:
        old.unlink()
    return file


def write_backup(database: Path, target: Path) -> None:
    """Write a backup to a file, which appears only when it is complete and checked.

    Raise NoRoomForBackup or BackupFailed.
    """
    require_room(database, target.parent)
    whole = target.with_name(f"{target.name}.whole{_UNFINISHED}")
    final = target.with_name(f"{target.name}{_UNFINISHED}")
    try:
        _copy(database, whole)
        _delete_raw_responses(whole)
        # A second copy: deleted rows stay in the first one.
        _copy(whole, final)
        require_intact(final)
        sync(final)
        final.replace(target)
        sync(target.parent)
    except sqlite3.Error as error:
        raise BackupFailed(str(error)) from error
    except OSError as error:
        raise build_folder_error(target.parent, error) from error
    finally:
        for file in (whole, final):
            file.unlink(missing_ok=True)


def require_room(database: Path, folder: Path) -> None:
    """Raise NoRoomForBackup if the disk of the folder has too little room."""
    log = database.with_name(f"{database.name}-wal")
    size = sum(file.stat().st_size for file in (database, log) if file.exists())
    free = shutil.disk_usage(folder).free
    if free < ROOM_FACTOR * size:
        raise NoRoomForBackup(folder, needed=ROOM_FACTOR * size, free=free)


def open_file(file: Path) -> sqlite3.Connection:
    """Open a file that must exist; each statement is a transaction of its own."""
    connection = sqlite3.connect(
        f"{file.absolute().as_uri()}?mode=rw", uri=True, isolation_level=None, timeout=10
    )
    connection.execute("PRAGMA synchronous=FULL")
    return connection


def require_intact(database: Path) -> None:
    """Check a database that no process uses; raise sqlite3.DatabaseError if it is damaged."""
    with closing(open_file(database)) as connection:
        (found,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
    if found != "ok":
        raise sqlite3.DatabaseError(found)


def sync(path: Path) -> None:
    """Wait until a file or a folder is on the disk."""
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        # Some network shares cannot do that for a folder.
        with suppress(OSError):
            os.fsync(handle)
    finally:
        os.close(handle)


def describe_dump(url: str) -> str:
    """Return the command that backs up a PostgreSQL database, without the password."""
    excluded = "--exclude-table-data='archive_*' --exclude-table-data=answers"
    return f"pg_dump --format=custom --file=paperclerk.dump {excluded} {_without_password(url)}"


def describe_dump_restore(url: str) -> str:
    """Return the command that restores a backup of a PostgreSQL database."""
    return f"pg_restore --clean --if-exists --dbname={_without_password(url)} paperclerk.dump"


def _without_password(url: str) -> str:
    parsed = make_url(url)
    shown = URL.create(
        "postgresql",
        username=parsed.username,
        host=parsed.host,
        port=parsed.port,
        database=parsed.database,
    )
    return shlex.quote(shown.render_as_string())


def _copy(source: Path, target: Path) -> None:
    """Write a consistent copy; copying the file alone would lose its write-ahead log."""
    target.unlink(missing_ok=True)
    make_private_file(target)
    with closing(open_file(source)) as connection:
        connection.execute("VACUUM INTO ?", (str(target),))


def _delete_raw_responses(database: Path) -> None:
    with closing(open_file(database)) as connection:
        # The first schemas had no such table.
        if _has_table(connection, _RAW_RESPONSES):
            connection.execute(f"DELETE FROM {_RAW_RESPONSES}")  # noqa: S608 - a constant


def _read_revision(database: Path) -> str:
    try:
        with closing(open_file(database)) as connection:
            return str(connection.execute("SELECT version_num FROM alembic_version").fetchone()[0])
    except sqlite3.Error as error:
        raise BackupFailed(str(error)) from error


def _has_table(connection: sqlite3.Connection, name: str) -> bool:
    listed = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?"
    return connection.execute(listed, (name,)).fetchone() is not None


def _remove_unfinished(folder: Path, now: datetime) -> None:
    for file in folder.glob(f"*{_UNFINISHED}"):
        if file.stat().st_mtime < (now - _ABANDONED_AFTER).timestamp():
            file.unlink()
