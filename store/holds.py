"""Holds: what rests, why, and which document was behind it."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import ColumnElement, Connection, case, select, update

from core.documents import DocumentRef
from core.holds import Hold, HoldCause
from store.database import Database
from store.engine import insert_into
from store.rows import Values, cause_row, hold_of, ref_of
from store.tables import holds

_OF_EACH_PROBE = (
    *("cause", "cause_message", "limit_kind", "is_daily_quota", "needs_answer"),
    "next_probe_at",
)
_ACTIVE = select(holds.c.target).where(holds.c.lifted_at.is_(None))


class Holds:
    """What rests, why, and when it is tried again. Each method is one transaction."""

    def __init__(self, database: Database) -> None:
        self._write = database.write
        self._read = database.read

    async def place(
        self,
        target: str,
        cause: HoldCause,
        *,
        next_probe_at: datetime | None,
        now: datetime,
        document: DocumentRef | None = None,
    ) -> Hold:
        """Let a target rest; if it rests already, one more probe has failed.

        `document` is the one behind it; of a target that rests already, the first stays so. With
        `next_probe_at` None only a person ends the hold.
        """
        new = _new(target, cause, document, next_probe_at, now)
        return await self._write(_place, new)

    async def lift(self, target: str, *, now: datetime) -> None:
        """Let a target work again; harmless if it does."""
        await self._write(_lift, target, now)

    async def probe_now(self, target: str, *, now: datetime) -> bool:
        """Have an outage looked at at once; False if there is none, or only a person ends it."""
        return await self._write(_probe_now, target, now)

    async def list_active(self) -> tuple[Hold, ...]:
        """List all holds, the oldest first."""
        return await self._read(_active)

    async def list_due(self, *, now: datetime) -> tuple[Hold, ...]:
        """List the holds whose time to be looked at has come, the oldest first."""
        return await self._read(_active, holds.c.next_probe_at <= now)

    async def get_last_document(self, target: str) -> DocumentRef | None:
        """Name the document behind the last hold on a target, lifted or not; None if none was."""
        return await self._read(_last_cause, target)


def active_targets(connection: Connection) -> Sequence[str]:
    return connection.scalars(_ACTIVE).all()


def _is_active() -> ColumnElement[bool]:
    return holds.c.lifted_at.is_(None)


def _new(
    target: str,
    cause: HoldCause,
    document: DocumentRef | None,
    next_probe_at: datetime | None,
    now: datetime,
) -> Values:
    return {
        "target": target,
        **cause_row(cause),
        "since": now,
        "next_probe_at": next_probe_at,
        "probes": 0,
        "instance": None if document is None else document.instance,
        "document_id": None if document is None else document.id,
        "lifted_at": None,
        "pulled_in_at": None,
    }


def _place(connection: Connection, new: Values) -> Hold:
    statement = insert_into(connection, holds).values(new)
    again: Values = {
        **{name: statement.excluded[name] for name in _OF_EACH_PROBE},
        "probes": case((_is_active(), holds.c.probes + 1), else_=0),
        "lifted_at": None,
    }
    # What a hold begins with stays as long as it lasts, and is new when it was lifted in between.
    for name in ("since", "instance", "document_id", "pulled_in_at"):
        again[name] = case((_is_active(), holds.c[name]), else_=statement.excluded[name])
    placed = statement.on_conflict_do_update(index_elements=["target"], set_=again)
    return hold_of(connection.execute(placed.returning(holds)).mappings().one())


def _lift(connection: Connection, target: str, now: datetime) -> None:
    resting = update(holds).where(holds.c.target == target, _is_active())
    connection.execute(resting.values(lifted_at=now))


def _probe_now(connection: Connection, target: str, now: datetime) -> bool:
    asked_again = update(holds).where(
        holds.c.target == target, _is_active(), holds.c.next_probe_at.is_not(None)
    )
    return connection.execute(asked_again.values(next_probe_at=now)).rowcount > 0


def _active(connection: Connection, *conditions: ColumnElement[bool]) -> tuple[Hold, ...]:
    found = select(holds).where(_is_active(), *conditions).order_by(holds.c.since, holds.c.target)
    return tuple(hold_of(row) for row in connection.execute(found).mappings())


def _last_cause(connection: Connection, target: str) -> DocumentRef | None:
    caused = select(holds).where(holds.c.target == target, holds.c.document_id.is_not(None))
    row = connection.execute(caused).mappings().first()
    return None if row is None else ref_of(row)
