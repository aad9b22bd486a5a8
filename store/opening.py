"""Open a database as it is, or create or migrate it while no other process is using it."""

import threading
from contextlib import suppress
from datetime import datetime, timedelta
from enum import StrEnum
from pathlib import Path
from time import monotonic

from sqlalchemy import Connection, inspect
from sqlalchemy.exc import DBAPIError

from core.calendar import Clock
from core.messages import Message, message
from core.private_files import keep_private
from core.workers import WORKER_TIMEOUT
from store import document_search
from store.data_folder import WorkLock, build_folder_error, require_writable
from store.engine import FILE_NAME, Engines, stay_connected
from store.errors import CannotOpen, DatabaseGone, DatabaseMissing, SchemaTooOld, WorkLocked
from store.migrate import latest_revision, prepare_database, read_revision, require_known_revision
from store.workers import list_alive_names, read_database_time

MAX_PREPARATION = timedelta(seconds=3)
"""How long another process may take to prepare the database before it counts as working."""
_POLL_INTERVAL = timedelta(seconds=0.05)
_NO_SERVER = "Look whether the server runs and can be reached, and whether database.url is right."
_NO_FILE = "Look whether another program has it locked, or whether it is damaged; copies are in"


class OpenMode(StrEnum):
    """What may be done with a database that is missing or has an older schema."""

    LOOK = "look"
    """Nothing: it is opened as it is, or not at all."""
    WORK = "work"
    """It is created or migrated, unless another process is working on it."""


class Opener:
    """Prepares a database: at the start, and whenever its file was replaced."""

    def __init__(
        self,
        engines: Engines,
        data: Path,
        opening: OpenMode,
        lock: WorkLock | None,
        clock: Clock,
        *,
        max_preparation: timedelta = MAX_PREPARATION,
    ) -> None:
        self._engines = engines
        self._data = data
        self._opening = opening
        self._lock = lock
        self._clock = clock
        self._max_preparation = max_preparation
        self._was_open = False

    def open(self) -> None:
        """Prepare the database. Raise CannotOpen or one of its subclasses."""
        try:
            self._prepare()
            stay_connected(self._engines.migrator)
        except OSError as error:
            raise build_folder_error(self._data, error) from error
        except DBAPIError as error:
            raise self._build_error(error) from error
        self._was_open = True

    def _build_error(self, error: DBAPIError) -> CannotOpen:
        """Raise CannotOpen with the reason, which SQLite often does not know."""
        text = message("the database cannot be opened: {why}", why=str(error.orig))
        if self._engines.file is None:
            return CannotOpen(text, hint=_NO_SERVER)
        try:
            require_writable(self._data)
        except CannotOpen as reason:
            return reason
        return CannotOpen(text, hint=f"{_NO_FILE} {self._data / 'backups'}.")

    def _prepare(self) -> None:
        if self._opening is OpenMode.WORK and self._lock is not None:
            require_writable(self._data)
            self._make_files_private()
        found = read_revision(self._engines)
        if found == latest_revision():
            self._update_index()
            return
        require_known_revision(found)
        if found is None and self._was_open:
            file = str(self._engines.file)
            raise CannotOpen(
                message("{file} is not a Paperclerk database: restore the original", file=file)
            )
        if self._opening is OpenMode.LOOK:
            raise self._build_refusal(found, self._find_active_process())
        self._create_or_migrate(found)

    def _make_files_private(self) -> None:
        """Make files private that an earlier version or another program left readable."""
        for file in (
            *self._data.glob(f"{FILE_NAME}*"),
            *self._data.glob("backups/paperclerk-*.db"),
        ):
            keep_private(file)

    def _create_or_migrate(self, found: str | None) -> None:
        """Create or migrate the database under the work lock, or wait for another to do so."""
        until = monotonic() + self._max_preparation.total_seconds()
        while True:
            try:
                return self._prepare_with_lock(found)
            except WorkLocked as busy:
                if read_revision(self._engines) == latest_revision():
                    return None
                if monotonic() > until:
                    raise self._build_refusal(found, busy.message) from busy
                threading.Event().wait(_POLL_INTERVAL.total_seconds())

    def _prepare_with_lock(self, found: str | None) -> None:
        if self._lock is None:
            if found is not None and (active := self._find_active_process()):
                raise self._build_refusal(found, active)
            prepare_database(self._engines, self._data, now=self._clock())
            return
        with self._lock:
            prepare_database(self._engines, self._data, now=self._clock())

    def _update_index(self) -> None:
        """Update the index of a file that comes from a machine with another SQLite."""
        if self._lock is None or self._opening is OpenMode.LOOK:
            return
        with self._engines.watcher.connect() as connection:
            fits = document_search.is_index_current(connection)
        if not fits:
            # The working process has an index that fits its SQLite; without it search is slower.
            with suppress(WorkLocked), self._lock:
                prepare_database(self._engines, self._data, now=self._clock())

    def _find_active_process(self) -> Message | None:
        """Return who else is working on this database; None if nobody is."""
        if self._lock is None:
            with self._engines.reader.connect() as connection:
                return _describe_active_worker(
                    connection, read_database_time(connection) - WORKER_TIMEOUT
                )
        try:
            self._lock.require_free()
        except WorkLocked as busy:
            return busy.message
        return None

    def _build_refusal(self, found: str | None, active: Message | None) -> CannotOpen:
        if found is not None:
            return SchemaTooOld(found, known=latest_revision(), at_work=active)
        if self._engines.file is not None and active:
            return DatabaseGone(self._engines.file, at_work=active)
        if self._engines.file is None:
            return DatabaseMissing(message("at database.url"))
        return DatabaseMissing(message("in {folder}", folder=str(self._data)))


def _describe_active_worker(connection: Connection, since: datetime) -> Message | None:
    # The first schema had no such table.
    names = list_alive_names(connection, since) if inspect(connection).has_table("workers") else ()
    return message("{who} is using it", who=names[0]) if names else None
