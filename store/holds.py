"""Holds: endpoints and instances that rest because of an outage."""

from datetime import datetime

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from core.holds import Hold
from store.database import Database
from store.engine import insert_into
from store.rows import hold_of
from store.tables import holds


class Holds:
    """What rests, why, and when it is tried again. Each method is one transaction."""

    def __init__(self, database: Database) -> None:
        self._write = database.write
        self._read = database.read

    async def place(
        self, target: str, cause: str, *, next_probe_at: datetime, now: datetime
    ) -> Hold:
        """Let a target rest; if it rests already, one more probe has failed."""
        return await self._write(_place, target, cause, next_probe_at, now)

    async def lift(self, target: str) -> None:
        """Let a target work again; harmless if it does."""
        await self._write(_lift, target)

    async def active(self) -> tuple[Hold, ...]:
        """List all holds, the oldest first."""
        return await self._read(_active)


def _place(
    session: Session, target: str, cause: str, next_probe_at: datetime, now: datetime
) -> Hold:
    new = insert_into(session, holds).values(
        target=target, cause=cause, since=now, next_probe_at=next_probe_at, probes=0
    )
    again = {"cause": cause, "next_probe_at": next_probe_at, "probes": holds.c.probes + 1}
    placed = new.on_conflict_do_update(index_elements=["target"], set_=again).returning(holds)
    return hold_of(session.execute(placed).mappings().one())


def _lift(session: Session, target: str) -> None:
    session.execute(delete(holds).where(holds.c.target == target))


def _active(session: Session) -> tuple[Hold, ...]:
    found = session.execute(select(holds).order_by(holds.c.since, holds.c.target))
    return tuple(hold_of(row) for row in found.mappings())
