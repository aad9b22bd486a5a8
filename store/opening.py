"""Open a database: as it is, or brought to our schema while nobody else is at work on it."""

import threading
from contextlib import suppress
from datetime import datetime, timedelta
from enum import StrEnum
from pathlib import Path
from time import monotonic

from sqlalchemy import Connection, inspect
from sqlalchemy.exc import DBAPIError

from core.clock import Clock
from core.messages import Message, message
from core.private_files import keep_private
from core.workers import WORKER_TIMEOUT
from store import document_search
from store.data_folder import build_folder_error, require_writable
from store.engine import FILE_NAME, Engines, stay_connected
from store.errors import CannotOpen, DatabaseGone, DatabaseMissing, SchemaTooOld, WorkLocked
from store.lock import WorkLock
from store.migrate import latest_revision, prepare_database, read_revision, require_known_revision
from store.shared_clock import read_database_time
from store.workers import list_alive_names

_MAX_WAIT = timedelta(seconds=3)
"""So long another process may take to make the database ready, before it counts as at work."""
_POLL_INTERVAL = timedelta(seconds=0.05)
_NO_SERVER = "Look whether the server runs and can be reached, and whether database.url is right."
_NO_FILE = "Look whether another program has it locked, or whether it is damaged; copies are in"


class OpenMode(StrEnum):
    """What may be done to a database that is missing, or has an older schema."""

    LOOK = "look"
    """Nothing: it is taken as it is, or not at all."""
    WORK = "work"
    """It is made or migrated, unless another process is at work on it."""


class Opener:
    """Gets one database ready: at first, and whenever another file lies in its place."""

    def __init__(
        self, engines: Engines, data: Path, opening: OpenMode, lock: WorkLock | None, clock: Clock
    ) -> None:
        self._engines = engines
        self._data = data
        self._opening = opening
        self._lock = lock
        self._clock = clock
        self._was_open = False

    def open(self) -> None:
        """Make sure that the database can be used. Raise CannotOpen, or one of its kin."""
        try:
            self._get_ready()
            stay_connected(self._engines.migrator)
        except OSError as error:
            raise build_folder_error(self._data, error) from error
        except DBAPIError as error:
            raise self._explained(error) from error
        self._was_open = True

    def _explained(self, error: DBAPIError) -> CannotOpen:
        """Say what keeps a database from being opened; SQLite often does not know the reason."""
        said = message("the database cannot be opened: {why}", why=str(error.orig))
        if self._engines.file is None:
            return CannotOpen(said, hint=_NO_SERVER)
        try:
            require_writable(self._data)
        except CannotOpen as reason:
            return reason
        return CannotOpen(said, hint=f"{_NO_FILE} {self._data / 'backups'}.")

    def _get_ready(self) -> None:
        if self._opening is OpenMode.WORK and self._lock is not None:
            require_writable(self._data)
            self._shut_out_others()
        found = read_revision(self._engines)
        if found == latest_revision():
            self._fit_index()
            return
        require_known_revision(found)
        if found is None and self._was_open:
            file = str(self._engines.file)
            raise CannotOpen(
                message("{file} is not a Paperclerk database: put the original back", file=file)
            )
        if self._opening is OpenMode.LOOK:
            raise self._refusal(found, self._who_is_at_work())
        self._make(found)

    def _shut_out_others(self) -> None:
        """Make files private that an earlier version or another program left readable."""
        for file in (
            *self._data.glob(f"{FILE_NAME}*"),
            *self._data.glob("backups/paperclerk-*.db"),
        ):
            keep_private(file)

    def _make(self, found: str | None) -> None:
        """Make or migrate it with the work in hand, or wait for who is just doing so."""
        until = monotonic() + _MAX_WAIT.total_seconds()
        while True:
            try:
                return self._make_in_hand(found)
            except WorkLocked as busy:
                if read_revision(self._engines) == latest_revision():
                    return None
                if monotonic() > until:
                    raise self._refusal(found, busy.message) from busy
                threading.Event().wait(_POLL_INTERVAL.total_seconds())

    def _make_in_hand(self, found: str | None) -> None:
        if self._lock is None:
            if found is not None and (who := self._who_is_at_work()):
                raise self._refusal(found, who)
            prepare_database(self._engines, self._data, now=self._clock())
            return
        with self._lock:
            prepare_database(self._engines, self._data, now=self._clock())

    def _fit_index(self) -> None:
        """See to the index of a file that comes from a machine with another SQLite."""
        if self._lock is None or self._opening is OpenMode.LOOK:
            return
        with self._engines.watcher.connect() as connection:
            fits = document_search.is_index_current(connection)
        if not fits:
            # Who is at work has one that fits him, and nothing but a search is slower without.
            with suppress(WorkLocked), self._lock:
                prepare_database(self._engines, self._data, now=self._clock())

    def _who_is_at_work(self) -> Message | None:
        """Return who else is at work on this database; None if nobody is."""
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

    def _refusal(self, found: str | None, who: Message | None) -> CannotOpen:
        if found is not None:
            return SchemaTooOld(found, known=latest_revision(), at_work=who)
        if self._engines.file is not None and who:
            return DatabaseGone(self._engines.file, at_work=who)
        if self._engines.file is None:
            return DatabaseMissing(message("at database.url"))
        return DatabaseMissing(message("in {folder}", folder=str(self._data)))


def _describe_active_worker(connection: Connection, since: datetime) -> Message | None:
    # The first schema had no such table.
    heard = list_alive_names(connection, since) if inspect(connection).has_table("workers") else ()
    return message("{who} is using it", who=heard[0]) if heard else None
