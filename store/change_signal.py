"""Detect commits, including those of other processes: by announcements or by polling."""

import asyncio
from collections.abc import Callable
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, Engine, func, select, text

from core.messages import message
from store.database import Channel, Database
from store.engine import data_version
from store.errors import StoreUnavailable
from store.notifications import notices, unread_count
from store.queue import events
from store.tables import UNFINISHED, holds, scans

if TYPE_CHECKING:
    from psycopg import AsyncConnection

LOOK_INTERVAL = timedelta(seconds=25)
"""How often a listener looks at the tables and asks whether its connection is alive."""

_ANSWER_TIMEOUT = timedelta(seconds=5)

_NEWEST = select(
    select(func.max(scans.c.id)).scalar_subquery(),
    select(func.max(notices.c.id)).scalar_subquery(),
    unread_count.scalar_subquery(),
)
"""One statement: it is sent twice a second."""


class Listener:
    """Receives the announcements of all processes, including this one."""

    def __init__(self, engine: Engine, *, look_interval: timedelta = LOOK_INTERVAL) -> None:
        self._engine = engine
        # Not imported: on SQLite it need not be installed.
        self._driver: Any = engine.dialect.loaded_dbapi
        self._look_interval = look_interval
        self.is_listening = False
        self.received = 0
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
                    self._receive(Channel.WORK, on_work)
                    await self._receive_announcements(connection, on_work)
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

    async def _receive_announcements(
        self, connection: "AsyncConnection", on_work: Callable[[], None]
    ) -> None:
        """Receive announcements until it is time to look at the tables."""
        async for notification in connection.notifies(timeout=self._look_interval.total_seconds()):
            self._receive(Channel(notification.channel), on_work)

    def _receive(self, channel: Channel, on_work: Callable[[], None]) -> None:
        self.received += 1
        if channel is Channel.WORK:
            on_work()


class ChangeSignal:
    """Detects commits since its last check.

    While the process listens to announcements, it asks the database nothing.
    """

    def __init__(self, database: Database, listener: Listener | None = None) -> None:
        self._database = database
        self._listener = listener
        self._seen: object = None

    async def has_changed(self) -> bool:
        """Return whether anything was committed since the last call; True at the first call."""
        seen = await self._read_state()
        before, self._seen = self._seen, seen
        return seen != before

    async def _read_state(self) -> object:
        if self._listener is not None and self._listener.is_listening:
            return (self._listener.received, self._database.commits)
        if self._database.engines.shared:
            return await self._database.read(_read_markers)
        return await self._database.run_in_reader_thread(data_version)


def _read_markers(connection: Connection) -> object:
    """Return values that change with new work: the last event, holds, scans, and notifications.

    Heartbeats are left out: each one would wake all other workers.
    """
    all_holds = select(holds.c.target, holds.c.since, holds.c.next_probe_at, holds.c.lifted_at)
    open_scans = select(scans.c.id, scans.c.started_at, scans.c.seen).where(text(UNFINISHED))
    return (
        events.get_last_id(connection),
        connection.execute(_NEWEST).one(),
        connection.execute(all_holds.order_by(holds.c.target)).all(),
        connection.execute(open_scans.order_by(scans.c.id)).all(),
    )
