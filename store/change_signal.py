"""Detect commits, including those of other processes, at very low cost."""

from sqlalchemy import Connection, func, select, text

from store.announcements import Listener
from store.database import Database
from store.engine import data_version
from store.notifications import notices, unread_count
from store.queue import events
from store.tables import UNFINISHED, holds, scans

_NEWEST = select(
    select(func.max(scans.c.id)).scalar_subquery(),
    select(func.max(notices.c.id)).scalar_subquery(),
    unread_count.scalar_subquery(),
)
"""One statement: it is sent twice a second."""


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
            return (self._listener.heard, self._database.commits)
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
