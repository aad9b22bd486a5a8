"""The work lock: one process drains the queue of a data folder."""

import fcntl
import os
from pathlib import Path
from types import TracebackType

from store.errors import DataFolderNotWritable, WorkLocked

FILE_NAME = "paperclerk.lock"


class WorkLock:
    """Held by the process that drains a SQLite queue; the system frees it when the process dies.

    Who holds it knows that every processing job is an orphan. PostgreSQL needs none: there several
    workers share the queue, and heartbeats tell which of them are alive.
    """

    def __init__(self, data: Path) -> None:
        self._file = data / FILE_NAME
        self._handle: int | None = None

    def acquire(self) -> None:
        """Take the lock, or raise WorkLocked with the process that has it."""
        handle = self._open()
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            pid = _pid_in(handle)
            os.close(handle)
            raise WorkLocked(pid) from error
        os.ftruncate(handle, 0)
        os.pwrite(handle, str(os.getpid()).encode(), 0)
        self._handle = handle

    def release(self) -> None:
        """Let go; harmless if it is not held. The file stays: removing it would let two in."""
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None

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

    def _open(self) -> int:
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            # Closed on exec: a child must not keep the lock when we are gone.
            return os.open(self._file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as error:
            folder = self._file.parent
            raise DataFolderNotWritable(folder, uid=os.geteuid(), gid=os.getegid()) from error


def _pid_in(handle: int) -> int | None:
    text = os.pread(handle, 32, 0).decode("ascii", "replace")
    return int(text) if text.isdecimal() else None
