"""The data folder: whether it is writable, and whether the SQLite file was replaced."""

import errno
import os
import sqlite3
import tempfile
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import structlog

from core.messages import message
from core.private_files import make_private_folder
from store.engine import Engines, checkpoint_wal
from store.errors import CannotOpen, DataFolderNotWritable, DiskFull, DiskReadOnly, StoreUnavailable

_ROOM = 64 * 1024
"""Bytes; SQLite needs about as much just to open a database."""

log = structlog.get_logger()

Identity = tuple[int, int]
"""Device and inode of a file, which differ from those of another file of the same name."""


def require_writable(data: Path) -> None:
    """Create the data folder if needed, and check that a file can be written in it."""
    try:
        make_private_folder(data)
        # Permissions alone are not enough: the disk may be full, or its file system read-only.
        with tempfile.TemporaryFile(dir=data, buffering=0) as tried:
            tried.write(bytes(_ROOM))
    except OSError as error:
        raise build_folder_error(data, error) from error


def build_folder_error(data: Path, error: OSError) -> CannotOpen:
    """Build the error for a failed write, by its cause."""
    match error.errno:
        case errno.ENOSPC | errno.EDQUOT:
            return DiskFull(data)
        case errno.EROFS:
            return DiskReadOnly(data)
        case _:
            return DataFolderNotWritable(data, uid=os.geteuid(), gid=os.getegid())


class FileMonitor:
    """Knows which file our connections have open, and whether its path still leads to it.

    Our connections keep that file open, so its inode is not reused.
    """

    def __init__(self, file: Path, engines: Engines, make_ready: Callable[[], None]) -> None:
        self._file = file
        self._wal = file.with_name(file.name + "-wal")
        self._engines = engines
        self._make_ready = make_ready
        self._mutex = threading.Lock()
        self._opened: Identity | None = None
        self._opened_wal: Identity | None = None
        self._ready = False

    def open(self) -> None:
        """Prepare the database for the first time. Raise CannotOpen."""
        self._make_ready()
        self._opened = _identity(self._file)
        self._ready = True

    def require_current(self) -> None:
        """Open the file again if it was replaced, or raise StoreUnavailable.

        Called before each transaction.
        """
        if self._is_open():
            return
        with self._mutex:
            if not self._is_open():
                self._open_current()

    def _is_open(self) -> bool:
        found = _identity(self._file)
        if found is None:
            raise StoreUnavailable(
                message("the database file {file} is missing: restore it", file=str(self._file))
            )
        if found != self._opened or not self._ready:
            return False
        self._opened_wal = _identity(self._wal)
        return True

    def _open_current(self) -> None:
        found = _identity(self._file)
        if found != self._opened:
            self._close_former()
        self._opened = found
        try:
            self._make_ready()
        except CannotOpen as error:
            raise StoreUnavailable(
                message("the database file was replaced: {why}", why=error.message)
            ) from error
        finally:
            self._opened_wal = _identity(self._wal)
        self._ready = True
        log.warning("database file replaced", file=str(self._file))

    def _close_former(self) -> None:
        """Close the former file, and delete its write-ahead log if it is still in place.

        SQLite would use it for the new file, and copy pages of one into the other. The former
        file may only have been moved, so its log is written back first.
        """
        self._ready = False
        with suppress(sqlite3.Error):
            checkpoint_wal(self._engines.migrator)
        if self._opened_wal is not None and _identity(self._wal) == self._opened_wal:
            for ending in ("-wal", "-shm"):
                self._file.with_name(self._file.name + ending).unlink(missing_ok=True)
        self._engines.dispose()


def _identity(file: Path) -> Identity | None:
    """Return the identity of a file; None if there is none."""
    try:
        found = file.stat()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise StoreUnavailable(
            message(
                "the database file {file} cannot be read: {why}",
                file=str(file),
                why=str(error),
            )
        ) from error
    return (found.st_dev, found.st_ino)
