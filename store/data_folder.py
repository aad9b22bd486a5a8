"""The data folder: check that it is writable, and lock its queue."""

import errno
import fcntl
import os
import tempfile
import threading
from contextlib import suppress
from pathlib import Path
from types import TracebackType

from core.private_files import make_private_file, make_private_folder
from store.errors import (
    CannotOpen,
    DataFolderNotWritable,
    DiskFull,
    DiskReadOnly,
    WorkLocked,
)

LOCK_NAME = "paperclerk.lock"

_ROOM = 64 * 1024
"""Bytes; SQLite needs about as much just to open a database."""


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
