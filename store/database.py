"""Run transactions: one thread that writes, a few that read, one hop each."""

import asyncio
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Concatenate, ParamSpec, TypeVar

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import (
    DataError,
    DBAPIError,
    IntegrityError,
    NotSupportedError,
    ProgrammingError,
)
from sqlalchemy.exc import TimeoutError as PoolTimeout

from core.messages import message
from store.data_folder import FileMonitor
from store.engine import READERS, Engines
from store.errors import SchemaChanged, StoreUnavailable
from store.migrate import latest_revision, read_revision

P = ParamSpec("P")
T = TypeVar("T")

PROGRAMMING_ERRORS = (DataError, IntegrityError, NotSupportedError, ProgrammingError)
"""Errors that no waiting mends; every other error of a driver is an outage."""


class Database:
    """Runs plain functions `(connection, ...) -> value`, each as one transaction."""

    def __init__(self, engines: Engines, guard: FileMonitor | None = None) -> None:
        self.engines = engines
        self._guard = guard
        self._schema: str | None = latest_revision()
        """As it was found last."""
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="store-writer")
        self._readers = ThreadPoolExecutor(READERS, thread_name_prefix="store-reader")

    async def write(
        self, work: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Run `work` in the writer's thread.

        Once asked for it is carried out, and a cancelled caller waits for its end: whoever gives a
        job back then must not be overtaken by a settle that is still on its way.
        """

        def transaction() -> T:
            self._require()
            return in_transaction(self.engines.writer, work, *args, **kwargs)

        future = asyncio.get_running_loop().run_in_executor(self._writer, transaction)
        try:
            return await asyncio.shield(future)
        except asyncio.CancelledError:
            await _wait_out(future)
            raise

    async def read(
        self, work: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Run `work` in a reader's thread; it sees one snapshot and cannot write."""

        def transaction() -> T:
            self._require()
            return in_transaction(self.engines.reader, work, *args, **kwargs)

        return await asyncio.get_running_loop().run_in_executor(self._readers, transaction)

    async def run_in_reader_thread(self, work: Callable[[Engine], T]) -> T:
        """Run `work` in a reader's thread with the connection that is in no transaction."""

        def looking() -> T:
            self._require()
            with raise_unavailable(self.engines.watcher):
                return work(self.engines.watcher)

        return await asyncio.get_running_loop().run_in_executor(self._readers, looking)

    async def run_in_writer_thread(self, work: Callable[[], T]) -> T:
        """Run what is not a transaction, such as a migration, where it blocks nobody."""
        return await asyncio.get_running_loop().run_in_executor(self._writer, work)

    async def close(self) -> None:
        """Wait for what is under way and close all connections; harmless when done twice."""
        await asyncio.to_thread(self._shut_down)

    async def check_schema(self) -> None:
        """Raise SchemaMoved if the schema is not ours any more.

        Then nothing else is done either, until a later look finds it as it was.
        """
        loop = asyncio.get_running_loop()
        self._schema = await loop.run_in_executor(self._readers, self._find_schema)
        self._require_schema()

    def _find_schema(self) -> str | None:
        self._require_file()
        with raise_unavailable(self.engines.watcher):
            return read_revision(self.engines)

    def _require(self) -> None:
        self._require_file()
        self._require_schema()

    def _require_file(self) -> None:
        if self._guard is not None:
            self._guard.require_current()

    def _require_schema(self) -> None:
        if self._schema != latest_revision():
            raise SchemaChanged(self._schema, known=latest_revision())

    def _shut_down(self) -> None:
        self._writer.shutdown()
        self._readers.shutdown()
        self.engines.dispose()


def in_transaction(
    engine: Engine, work: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs
) -> T:
    """Commit what `work` did, or nothing of it."""
    with raise_unavailable(engine), engine.begin() as connection:
        return work(connection, *args, **kwargs)


@contextmanager
def raise_unavailable(engine: Engine) -> Iterator[None]:
    """Raise what only waiting mends as StoreUnavailable."""
    try:
        yield
    except PROGRAMMING_ERRORS:
        raise
    except DBAPIError as error:
        # A file once opened for reading only stays so: what comes later gets a new connection.
        engine.dispose()
        raise StoreUnavailable(
            message("the database rejected this: {why}", why=str(error.orig))
        ) from error
    except PoolTimeout as error:
        raise StoreUnavailable(message("no database connection was available")) from error


async def _wait_out(future: asyncio.Future[T]) -> None:
    while not future.done():
        try:
            await asyncio.wait([future])
        except asyncio.CancelledError:
            # Asked to hurry, but a commit cannot be hurried; the caller raises its cancel anyway.
            continue
    if not future.cancelled():
        # Looked at, so that asyncio does not complain that nobody did.
        future.exception()
