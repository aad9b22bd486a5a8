"""Watch over the SQLite file: what is written to a deleted one goes nowhere, without an error."""

import threading
from collections.abc import Callable
from pathlib import Path

import structlog

from store.engine import Engines
from store.errors import CannotOpen, StoreUnavailable

log = structlog.get_logger()

Identity = tuple[int, int]
"""Device and number of a file: they tell it from another of the same name."""


class FileGuard:
    """Knows which file our connections have open, and whether its path still leads to it."""

    def __init__(self, file: Path, engines: Engines, *, make_ready: Callable[[], None]) -> None:
        self._file = file
        self._log_file = file.with_name(file.name + "-wal")
        self._engines = engines
        self._make_ready = make_ready
        self._one_at_a_time = threading.Lock()
        self._opened: Identity | None = None
        self._opened_log: Identity | None = None

    def open(self) -> None:
        """Make the database ready. Raise CannotOpen."""
        self._make_ready()
        self._opened = _identity(self._file)

    def require(self) -> None:
        """Go on with the file that is there, or raise StoreUnavailable. Before each transaction."""
        if self._is_same():
            return
        with self._one_at_a_time:
            if not self._is_same():
                self._open_anew()

    def _is_same(self) -> bool:
        found = _identity(self._file)
        if found is None:
            raise StoreUnavailable(f"the database file {self._file} is gone: put it back")
        if found != self._opened:
            return False
        self._opened_log = _identity(self._log_file)
        return True

    def _open_anew(self) -> None:
        """Let go of the file that was replaced, and open the one that is there now."""
        log.warning("database file replaced", file=str(self._file))
        self._drop_stale_log()
        self._engines.dispose()
        try:
            self.open()
        except CannotOpen as error:
            raise StoreUnavailable(f"the database file was replaced: {error}") from error

    def _drop_stale_log(self) -> None:
        """Delete the write-ahead log that we have open, for it belongs to the former file.

        SQLite would take it for the new one's, and copy pages of the one into the other.
        """
        if self._opened_log is not None and _identity(self._log_file) == self._opened_log:
            for ending in ("-wal", "-shm"):
                self._file.with_name(self._file.name + ending).unlink(missing_ok=True)


def _identity(file: Path) -> Identity | None:
    """Tell which file it is; None if there is none."""
    try:
        found = file.stat()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise StoreUnavailable(f"the database file {file} cannot be looked at: {error}") from error
    return (found.st_dev, found.st_ino)
