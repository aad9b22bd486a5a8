"""Holds: which targets are on hold, why, and which document caused it."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import ColumnElement, Connection, RowMapping, case, select, update

from core.documents import DocumentRef
from core.holds import Hold, HoldCause
from core.messages import message_from_json, message_to_json
from core.spending import LimitKind
from store.database import WORK, Database
from store.engine import insert_into
from store.rows import Values, ref_of
from store.tables import holds

_OF_EACH_PROBE = (
    *("cause", "cause_message", "limit_kind", "is_daily_quota", "needs_answer"),
    "next_probe_at",
)
_ACTIVE = select(holds.c.target).where(holds.c.lifted_at.is_(None))


class Holds:
    """Targets on hold. Each method is one transaction."""

    def __init__(self, database: Database) -> None:
        write, read = database.as_write, database.as_read
        self.place = write(place)
        self.lift = write(lift, announces=WORK)
        self.probe_now = write(probe_now, announces=WORK)
        self.list_active = read(list_active)
        self.list_due = read(list_due)
        self.get_last_document = read(get_last_document)


def place(
    connection: Connection,
    target: str,
    cause: HoldCause,
    *,
    next_probe_at: datetime | None,
    now: datetime,
    document: DocumentRef | None = None,
) -> Hold:
    """Put a target on hold; if it already is, count one more failed probe.

    `document` is the one that caused the hold; an active hold keeps its first. With
    `next_probe_at` None only a person ends the hold.
    """
    statement = insert_into(connection, holds).values(
        target=target,
        **_cause_row(cause),
        since=now,
        next_probe_at=next_probe_at,
        probes=0,
        instance=None if document is None else document.instance,
        document_id=None if document is None else document.id,
        lifted_at=None,
        pulled_in_at=None,
    )
    again: Values = {
        **{name: statement.excluded[name] for name in _OF_EACH_PROBE},
        "probes": case((_is_active(), holds.c.probes + 1), else_=0),
        "lifted_at": None,
    }
    # An active hold keeps what it began with; a lifted one begins anew.
    for name in ("since", "instance", "document_id", "pulled_in_at"):
        again[name] = case((_is_active(), holds.c[name]), else_=statement.excluded[name])
    placed = statement.on_conflict_do_update(index_elements=["target"], set_=again)
    return hold_of(connection.execute(placed.returning(holds)).mappings().one())


def lift(connection: Connection, target: str, *, now: datetime) -> None:
    """Lift the hold on a target; harmless if there is none."""
    on_hold = update(holds).where(holds.c.target == target, _is_active())
    connection.execute(on_hold.values(lifted_at=now))


def probe_now(connection: Connection, target: str, *, now: datetime) -> bool:
    """Make an outage due for a probe now; False if there is none, or only a person ends it."""
    on_hold = update(holds).where(
        holds.c.target == target, _is_active(), holds.c.next_probe_at.is_not(None)
    )
    return connection.execute(on_hold.values(next_probe_at=now)).rowcount > 0


def list_active(connection: Connection) -> tuple[Hold, ...]:
    """List all active holds, the oldest first."""
    return _list_where(connection)


def list_due(connection: Connection, *, now: datetime) -> tuple[Hold, ...]:
    """List the active holds that are due for a probe, the oldest first."""
    return _list_where(connection, holds.c.next_probe_at <= now)


def get_last_document(connection: Connection, target: str) -> DocumentRef | None:
    """Return the document that caused the last hold on a target; None if no document did."""
    with_document = select(holds).where(holds.c.target == target, holds.c.document_id.is_not(None))
    row = connection.execute(with_document).mappings().first()
    return None if row is None else ref_of(row)


def active_targets(connection: Connection) -> Sequence[str]:
    return connection.scalars(_ACTIVE).all()


def hold_of(row: RowMapping) -> Hold:
    return Hold(
        target=row["target"],
        cause=HoldCause(
            message_from_json(row["cause_message"], row["cause"]),
            limit=None if row["limit_kind"] is None else LimitKind(row["limit_kind"]),
            is_daily_quota=row["is_daily_quota"],
            needs_answer=row["needs_answer"],
        ),
        since=row["since"],
        next_probe_at=row["next_probe_at"],
        probes=row["probes"],
    )


def _list_where(connection: Connection, *conditions: ColumnElement[bool]) -> tuple[Hold, ...]:
    found = select(holds).where(_is_active(), *conditions).order_by(holds.c.since, holds.c.target)
    return tuple(hold_of(row) for row in connection.execute(found).mappings())


def _is_active() -> ColumnElement[bool]:
    return holds.c.lifted_at.is_(None)


def _cause_row(cause: HoldCause) -> Values:
    """Return the columns of a hold that hold its cause."""
    return {
        "cause": str(cause.message),
        "cause_message": message_to_json(cause.message),
        "limit_kind": None if cause.limit is None else cause.limit.value,
        "is_daily_quota": cause.is_daily_quota,
        "needs_answer": cause.needs_answer,
    }
