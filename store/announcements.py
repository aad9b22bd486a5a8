"""Announcements: tell other processes what was committed, and hear what they have committed.

PostgreSQL carries them by NOTIFY and LISTEN, on connections of their own, after the commit. They
may be lost, so that nothing depends on them: whoever listens also looks at the tables from time to
time.
"""

import asyncio
import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from time import monotonic
from typing import TYPE_CHECKING, Any

from sqlalchemy import Engine, func, select
from sqlalchemy.exc import DBAPIError

from core.messages import message
from store.errors import StoreUnavailable

if TYPE_CHECKING:
    from psycopg import AsyncConnection

CHANGE_INTERVAL = timedelta(seconds=0.5)
"""Shortest time between two announcements of changes for live pages."""
LOOK_INTERVAL = timedelta(seconds=25)
"""How often a listener looks at the tables and asks whether its connection is alive."""
_ANSWER_TIMEOUT = timedelta(seconds=5)
_FLUSH_TIMEOUT = timedelta(seconds=2)


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


class Listener:
    """Hears the announcements of all processes, this one's included."""

    def __init__(self, engine: Engine, *, look_interval: timedelta = LOOK_INTERVAL) -> None:
        self._engine = engine
        # Not imported: on SQLite it need not be installed.
        self._driver: Any = engine.dialect.loaded_dbapi
        self._look_interval = look_interval
        self.is_listening = False
        self.heard = 0
        """Grows with each announcement, and whenever it is time to look at the tables."""

    async def listen(self, on_work: Callable[[], None]) -> None:
        """Call `on_work` whenever there may be work, until cancelled.

        Also after the connection and at each `look_interval`, because announcements may have been
        lost. Raise StoreUnavailable if the connection breaks or the server does not answer.
        """
        try:
            async with await self._connect() as connection:
                for channel in Channel:
                    await connection.execute(f"LISTEN {channel.value}")
                self.is_listening = True
                while True:
                    self._hear(Channel.WORK, on_work)
                    await self._hear_announcements(connection, on_work)
                    async with asyncio.timeout(_ANSWER_TIMEOUT.total_seconds()):
                        await connection.execute("SELECT 1")
        except (self._driver.Error, TimeoutError) as error:
            raise StoreUnavailable(
                message("the database rejected the operation: {why}", why=str(error))
            ) from error
        finally:
            self.is_listening = False

    async def _connect(self) -> "AsyncConnection":
        words, options = self._engine.dialect.create_connect_args(self._engine.url)
        connection: AsyncConnection = await self._driver.AsyncConnection.connect(
            *words,
            **options,
            autocommit=True,
            connect_timeout=10,
            application_name="paperclerk listener",
        )
        return connection

    async def _hear_announcements(
        self, connection: "AsyncConnection", on_work: Callable[[], None]
    ) -> None:
        """Hear announcements until it is time to look at the tables."""
        async for notification in connection.notifies(timeout=self._look_interval.total_seconds()):
            self._hear(Channel(notification.channel), on_work)

    def _hear(self, channel: Channel, on_work: Callable[[], None]) -> None:
        self.heard += 1
        if channel is Channel.WORK:
            on_work()
