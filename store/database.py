"""Run transactions in one writer thread and a few reader threads, and announce their commits.

Before each, a SQLite file that was replaced is noticed and opened again.

On PostgreSQL, announcements reach other processes by NOTIFY, on a separate connection. They may be
lost, so nothing depends on them: a listener (`change_signal.py`) also polls the tables.
"""

import asyncio
import sqlite3
import threading
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from contextvars import copy_context
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any, Concatenate, ParamSpec, TypeVar

import structlog
from sqlalchemy import Connection, Engine, func, select
from sqlalchemy.exc import (
    DataError,
    DBAPIError,
    IntegrityError,
    NotSupportedError,
    ProgrammingError,
)
from sqlalchemy.exc import TimeoutError as PoolTimeout

from core.messages import message
from store.engine import READERS, Engines, checkpoint_wal
from store.errors import CannotOpen, SchemaChanged, StoreUnavailable
from store.migrate import latest_revision, read_revision

P = ParamSpec("P")
T = TypeVar("T")

Transaction = Callable[P, Coroutine[Any, Any, T]]
"""A transaction as its callers see it: an async function without a connection."""

PROGRAMMING_ERRORS = (DataError, IntegrityError, NotSupportedError, ProgrammingError)
"""Errors that do not go away by waiting; every other error of a driver is an outage."""

CHANGE_INTERVAL = timedelta(seconds=0.5)
"""Shortest time between two announcements of changes for live pages."""
_FLUSH_TIMEOUT = timedelta(seconds=2)

Identity = tuple[int, int]
"""Device and inode of a file, which differ from those of another file of the same name."""

log = structlog.get_logger()


class Channel(StrEnum):
    """What an announcement is about."""

    WORK = "paperclerk_work"
    """There may be something to do: a new job, a requested scan, a cancel, the end of a hold."""
    CHANGES = "paperclerk_changes"
    """Something that pages show has changed."""


@dataclass(frozen=True, slots=True)
class Announcement:
    """What is announced to other processes after a transaction."""

    channel: Channel
    only_if_any: bool = False
    """Only if the transaction returned something: a claim may find no job."""


CHANGE = Announcement(Channel.CHANGES)
CHANGE_IF_ANY = Announcement(Channel.CHANGES, only_if_any=True)
WORK = Announcement(Channel.WORK)
WORK_IF_ANY = Announcement(Channel.WORK, only_if_any=True)


class Database:
    """Runs functions `(connection, ...) -> value`, each as one transaction."""

    def __init__(self, engines: Engines, monitor: "FileMonitor | None" = None) -> None:
        self.engines = engines
        self._monitor = monitor
        self._schema: str | None = latest_revision()
        """The schema at the last check."""
        self._announcer = Announcer(engines.announcer) if engines.announcer is not None else None
        self.commits = 0
        """Grows with each write of this process that is announced."""
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="store-writer")
        self._readers = ThreadPoolExecutor(READERS, thread_name_prefix="store-reader")

    async def write(
        self, work: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Run `work` in the writer thread, and announce that something may have changed.

        Once submitted it is carried out, and a cancelled caller waits for its end: a caller that
        then releases a job must not be overtaken by a settle that is still running.
        """
        return await self._write(CHANGE, work, *args, **kwargs)

    async def _write(
        self,
        announces: Announcement | None,
        work: Callable[Concatenate[Connection, P], T],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        def transaction() -> T:
            self._require_ready()
            result = in_transaction(self.engines.writer, work, *args, **kwargs)
            if announces is not None and (result or not announces.only_if_any):
                self._announce(announces.channel)
            return result

        # With the context of the caller, which has the id of its request.
        run = copy_context().run
        future = asyncio.get_running_loop().run_in_executor(self._writer, run, transaction)
        try:
            return await asyncio.shield(future)
        except asyncio.CancelledError:
            await _wait_until_done(future)
            raise

    async def read(
        self, work: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Run `work` in a reader thread; it sees one snapshot and cannot write."""

        def transaction() -> T:
            self._require_ready()
            return in_transaction(self.engines.reader, work, *args, **kwargs)

        return await asyncio.get_running_loop().run_in_executor(self._readers, transaction)

    def as_write(
        self,
        work: Callable[Concatenate[Connection, P], T],
        *,
        announces: Announcement | None = CHANGE,
    ) -> Transaction[P, T]:
        """Bind `work` to this database: return the async function that runs it with `write`.

        `announces` is sent to other processes after the commit; None for nothing.
        """
        return partial(self._write, announces, work)

    def as_read(self, work: Callable[Concatenate[Connection, P], T]) -> Transaction[P, T]:
        """Bind `work` to this database: return the async function that runs it with `read`."""
        return partial(self.read, work)

    async def run_in_reader_thread(self, work: Callable[[Engine], T]) -> T:
        """Run `work` in a reader thread, outside of any transaction."""

        def run() -> T:
            self._require_ready()
            with raise_unavailable(self.engines.watcher):
                return work(self.engines.watcher)

        return await asyncio.get_running_loop().run_in_executor(self._readers, run)

    async def run_in_writer_thread(self, work: Callable[[], T]) -> T:
        """Run something other than a transaction, such as a migration, in the writer thread."""
        return await asyncio.get_running_loop().run_in_executor(self._writer, work)

    async def close(self) -> None:
        """Wait for running transactions and close all connections; harmless when called twice."""
        await asyncio.to_thread(self._shut_down)

    async def check_schema(self) -> None:
        """Raise SchemaChanged if another version has changed the schema.

        Then every transaction is refused until a later check finds the schema as it was.
        """
        loop = asyncio.get_running_loop()
        self._schema = await loop.run_in_executor(self._readers, self._read_schema)
        self._require_schema()

    def _announce(self, channel: Channel) -> None:
        self.commits += 1
        if self._announcer is not None:
            self._announcer.announce(channel)

    def _read_schema(self) -> str | None:
        self._require_file()
        with raise_unavailable(self.engines.watcher):
            return read_revision(self.engines)

    def _require_ready(self) -> None:
        self._require_file()
        self._require_schema()

    def _require_file(self) -> None:
        if self._monitor is not None:
            self._monitor.require_current()

    def _require_schema(self) -> None:
        if self._schema != latest_revision():
            raise SchemaChanged(self._schema, known=latest_revision())

    def _shut_down(self) -> None:
        self._writer.shutdown()
        if self._announcer is not None:
            self._announcer.close()
        self._readers.shutdown()
        self.engines.dispose()


class FencedDatabase(Database):
    """The same database; every write must first pass a check, in its own transaction."""

    def __init__(self, database: Database, fence: Callable[[Connection], None]) -> None:
        self._database = database
        self._fence = fence
        self.engines = database.engines

    async def _write(
        self,
        announces: Announcement | None,
        work: Callable[Concatenate[Connection, P], T],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        def fenced(connection: Connection) -> T:
            self._fence(connection)
            return work(connection, *args, **kwargs)

        return await self._database._write(announces, fenced)

    async def read(
        self, work: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Run `work` in a reader thread; what only reads needs no check."""
        return await self._database.read(work, *args, **kwargs)

    async def run_in_reader_thread(self, work: Callable[[Engine], T]) -> T:
        """Run `work` in a reader thread, outside of any transaction."""
        return await self._database.run_in_reader_thread(work)

    async def check_schema(self) -> None:
        """Raise SchemaChanged if another version has changed the schema."""
        await self._database.check_schema()


class Announcer:
    """Sends announcements, in a thread of its own: no transaction waits for them."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        """Commits each statement by itself."""
        self._waiting: set[Channel] = set()
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._is_closed = False
        self._next_change = monotonic()
        """When changes may be announced again, by the monotonic clock."""

    def announce(self, channel: Channel) -> None:
        """Send an announcement soon; the same ones that wait together are sent once."""
        with self._changed:
            if channel in self._waiting:
                # Waking the thread after each transaction would slow down the next one.
                return
            self._waiting.add(channel)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="announcer", daemon=True)
                self._thread.start()
            self._changed.notify()

    def close(self) -> None:
        """Send what waits, and end; an unreachable database is not waited for."""
        with self._changed:
            self._is_closed = True
            self._changed.notify()
        if self._thread is not None:
            self._thread.join(_FLUSH_TIMEOUT.total_seconds())

    def _run(self) -> None:
        while (channel := self._take()) is not None:
            try:
                with self._engine.connect() as connection:
                    connection.execute(select(func.pg_notify(channel.value, "")))
            except DBAPIError:
                # Lost: the others look at the tables anyway.
                self._engine.dispose()

    def _take(self) -> Channel | None:
        """Wait for the next announcement; None if there is none and we are closed."""
        with self._changed:
            while True:
                if Channel.WORK in self._waiting:
                    # It tells of a change, too.
                    self._waiting.clear()
                    return Channel.WORK
                early = self._next_change - monotonic()
                if self._waiting and (early <= 0 or self._is_closed):
                    self._waiting.clear()
                    self._next_change = monotonic() + CHANGE_INTERVAL.total_seconds()
                    return Channel.CHANGES
                if self._is_closed:
                    return None
                self._changed.wait(early if self._waiting else None)


def in_transaction(
    engine: Engine, work: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs
) -> T:
    """Run `work` and commit; roll back if it raises."""
    with raise_unavailable(engine), engine.begin() as connection:
        return work(connection, *args, **kwargs)


@contextmanager
def raise_unavailable(engine: Engine) -> Iterator[None]:
    """Raise errors that go away by waiting as StoreUnavailable."""
    try:
        yield
    except PROGRAMMING_ERRORS:
        raise
    except DBAPIError as error:
        # A file opened read-only stays so; later transactions get a new connection.
        engine.dispose()
        raise StoreUnavailable(
            message("the database rejected the operation: {why}", why=str(error.orig))
        ) from error
    except PoolTimeout as error:
        raise StoreUnavailable(message("no database connection was available")) from error


async def _wait_until_done(future: asyncio.Future[T]) -> None:
    while not future.done():
        try:
            await asyncio.wait([future])
        except asyncio.CancelledError:
            # A commit cannot be hurried; the caller raises its cancellation anyway.
            continue
    if not future.cancelled():
        # Retrieved, so that asyncio does not log that nobody did.
        future.exception()


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
