"""Notices: recorded before they are sent, so that each is sent once, also after a restart."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, Connection, Index, RowMapping, delete, func, select, update
from sqlmodel import Field, SQLModel

from core.notifications import NewNotice, Notice, NoticeKind, NoticeState
from store.columns import BigId, Json, UtcTime, Words
from store.database import Database
from store.engine import insert_into
from store.tables import table_of

KEPT_FOR = timedelta(days=90)
"""After so long a notice is forgotten."""
_LONGEST_SENDING = timedelta(minutes=10)
"""Whoever sends for longer than that is dead."""
_ENDED = (NoticeState.SENT, NoticeState.LOST)


class NoticeRow(SQLModel, table=True):
    """Something that the owner is told."""

    __tablename__ = "notices"
    __table_args__ = (
        Index("uq_notices_key", "key", unique=True),
        Index("ix_notices_topic", "topic", "id"),
    )

    id: int | None = Field(default=None, primary_key=True, sa_type=BigId)
    kind: str = Field(sa_type=Words)
    topic: str = Field(sa_type=Words)
    key: str = Field(sa_type=Words)
    facts: dict[str, object] = Field(sa_type=Json)
    state: str = Field(sa_type=Words)
    recorded_at: datetime = Field(sa_type=UtcTime)
    tries: int = 0
    due_at: datetime = Field(sa_type=UtcTime)
    begun_at: datetime | None = Field(default=None, sa_type=UtcTime)
    settled_at: datetime | None = Field(default=None, sa_type=UtcTime)
    problem: str = Field(default="", sa_type=Words)


notices = table_of(NoticeRow)


class Notices:
    """What the owner is told. Each method is one transaction."""

    def __init__(self, database: Database) -> None:
        self._write = database.write
        self._read = database.read

    async def latest(self) -> Mapping[str, Notice]:
        """Return the latest notice of each topic, whatever became of it."""
        return await self._read(_latest)

    async def record(self, new: Sequence[NewNotice], *, now: datetime) -> int:
        """Record notices; return how many. One that is recorded already is not recorded again."""
        return await self._write(_record, new, now)

    async def begin(self, *, now: datetime) -> tuple[Notice, ...]:
        """Take the notices that are due, to be sent by the caller and by nobody else."""
        return await self._write(_begin, now)

    async def sent(self, ids: Sequence[int], *, problem: str, now: datetime) -> None:
        """Say that notices were sent; `problem` tells whom they did not reach, "" if nobody."""
        settled = {"state": NoticeState.SENT.value, "settled_at": now, "problem": problem}
        await self._write(_settle, ids, settled)

    async def put_off(self, ids: Sequence[int], *, until: datetime, problem: str) -> None:
        """Have notices tried again at a time."""
        again = {"state": NoticeState.WAITING.value, "due_at": until, "problem": problem}
        await self._write(_settle, ids, again)

    async def lose(self, ids: Sequence[int], *, problem: str, now: datetime) -> None:
        """Try notices no more."""
        lost = {"state": NoticeState.LOST.value, "settled_at": now, "problem": problem}
        await self._write(_settle, ids, lost)

    async def last_ended(self) -> Notice | None:
        """Return the notice that was sent or lost last; None before the first."""
        return await self._read(_last_ended)


def _latest(connection: Connection) -> Mapping[str, Notice]:
    newest = select(func.max(notices.c.id)).group_by(notices.c.topic)
    rows = connection.execute(select(notices).where(notices.c.id.in_(newest))).mappings()
    return {row["topic"]: _notice_of(row) for row in rows}


def _record(connection: Connection, new: Sequence[NewNotice], now: datetime) -> int:
    connection.execute(delete(notices).where(notices.c.settled_at < now - KEPT_FOR))
    return sum(_insert(connection, one, now) for one in new)


def _insert(connection: Connection, new: NewNotice, now: datetime) -> int:
    silent = new.state is NoticeState.SILENT
    statement = insert_into(connection, notices).values(
        kind=new.kind.value,
        topic=new.topic,
        key=new.key,
        facts=dict(new.facts),
        state=new.state.value,
        recorded_at=now,
        tries=0,
        due_at=now,
        settled_at=now if silent else None,
        problem="",
    )
    once = statement.on_conflict_do_nothing(index_elements=["key"])
    return len(connection.execute(once.returning(notices.c.id)).all())


def _begin(connection: Connection, now: datetime) -> tuple[Notice, ...]:
    _give_up_on_the_dead(connection, now)
    due = (_is(NoticeState.WAITING), notices.c.due_at <= now)
    begun = {
        "state": NoticeState.SENDING.value,
        "tries": notices.c.tries + 1,
        "begun_at": now,
    }
    taken = connection.execute(update(notices).where(*due).values(begun).returning(notices))
    return tuple(sorted((_notice_of(row) for row in taken.mappings()), key=lambda one: one.id))


def _give_up_on_the_dead(connection: Connection, now: datetime) -> None:
    """Let be what someone died over: it may have arrived, and nothing is told twice."""
    dead = (_is(NoticeState.SENDING), notices.c.begun_at < now - _LONGEST_SENDING)
    lost = {
        "state": NoticeState.LOST.value,
        "settled_at": now,
        "problem": "Paperclerk was stopped while it was sent",
    }
    connection.execute(update(notices).where(*dead).values(lost))


def _settle(connection: Connection, ids: Sequence[int], settled: Mapping[str, object]) -> None:
    mine = update(notices).where(notices.c.id.in_(ids), _is(NoticeState.SENDING))
    connection.execute(mine.values(**settled))


def _last_ended(connection: Connection) -> Notice | None:
    ended = notices.c.state.in_([state.value for state in _ENDED])
    newest = select(notices).where(ended).order_by(notices.c.settled_at.desc(), notices.c.id.desc())
    row = connection.execute(newest.limit(1)).mappings().first()
    return None if row is None else _notice_of(row)


def _is(state: NoticeState) -> ColumnElement[bool]:
    return notices.c.state == state.value


def _notice_of(row: RowMapping) -> Notice:
    return Notice(
        id=row["id"],
        kind=NoticeKind(row["kind"]),
        topic=row["topic"],
        facts=row["facts"],
        state=NoticeState(row["state"]),
        recorded_at=row["recorded_at"],
        tries=row["tries"],
        settled_at=row["settled_at"],
        problem=row["problem"],
    )
