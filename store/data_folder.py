"""The data folder: check that it is writable, lock its queue, notice a replaced database."""

import errno
import fcntl
import os
import sqlite3
import tempfile
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import TracebackType

import structlog

from core.messages import message
from core.private_files import make_private_file, make_private_folder
from store.engine import Engines, checkpoint_wal
from store.errors import (
    CannotOpen,
    DataFolderNotWritable,
    DiskFull,
    DiskReadOnly,
    StoreUnavailable,
    WorkLocked,
)

LOCK_NAME = "paperclerk.lock"

_ROOM = 64 * 1024
"""Bytes; SQLite needs about as much just to open a database."""

log = structlog.get_logger()

Identity = tuple[int, int]
"""Device and inode of a file, which differ from those of another file of the same name."""


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


class WorkLock:
    """Held by the process that works on a SQLite queue; released by the system when it dies.

    Its holder knows that every processing job is an orphan and that no other process needs the old
    schema. PostgreSQL needs no lock: several workers share the queue, and heartbeats show which of
    them are alive. The lock is reentrant, from any thread.
    """

    def __init__(self, data: Path) -> None:
        self._file = data / LOCK_NAME
        self._handle: int | None = None
        self._holders = 0
        self._mutex = threading.Lock()

    def acquire(self) -> None:
        """Acquire the lock, or raise WorkLocked with the process that holds it."""
        with self._mutex:
            if self._handle is None:
                self._handle = self._open_and_lock()
            self._holders += 1

    def release(self) -> None:
        """Release the lock; harmless if it is not held.

        The file is kept: deleting it would allow two holders.
        """
        with self._mutex:
            self._holders = max(0, self._holders - 1)
            if self._handle is not None and not self._holders:
                os.close(self._handle)
                self._handle = None

    def require_free(self) -> None:
        """Raise WorkLocked if another process holds the lock; do not acquire it."""
        with self._mutex:
            if self._handle is None and self._file.exists():
                handle = os.open(self._file, os.O_RDONLY | os.O_CLOEXEC)
                _lock(handle, fcntl.LOCK_SH)
                os.close(handle)

    def __enter__(self) -> "WorkLock":
        self.acquire()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.release()

    def _open_and_lock(self) -> int:
        handle = self._open()
        _lock(handle, fcntl.LOCK_EX)
        # On a full disk the lock is held without the process id.
        with suppress(OSError):
            os.ftruncate(handle, 0)
            os.pwrite(handle, str(os.getpid()).encode(), 0)
        return handle

    def _open(self) -> int:
        try:
            make_private_folder(self._file.parent)
            make_private_file(self._file)
            # Closed on exec: a child process must not keep the lock.
            return os.open(self._file, os.O_RDWR | os.O_CLOEXEC)
        except OSError as error:
            raise build_folder_error(self._file.parent, error) from error


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


def _lock(handle: int, kind: int) -> None:
    """Lock an open file without waiting; if that fails, close it and raise WorkLocked."""
    try:
        fcntl.flock(handle, kind | fcntl.LOCK_NB)
    except BlockingIOError as error:
        pid = _read_pid(handle)
        os.close(handle)
        raise WorkLocked(pid) from error


def _read_pid(handle: int) -> int | None:
    text = os.pread(handle, 32, 0).decode("ascii", "replace")
    return int(text) if text.isdecimal() else None
