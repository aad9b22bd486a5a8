"""Notifications: stored before they are sent, so that each is sent once, also after a restart."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import (
    ColumnElement,
    Connection,
    Index,
    RowMapping,
    delete,
    func,
    select,
    text,
    update,
)
from sqlmodel import Field, SQLModel

from core.documents import DocumentRef
from core.jobs import ANALYZE, JobStatus
from core.notifications import NewNotification, Notification, NotificationKind, NotificationState
from store.announcements import CHANGE_IF_ANY
from store.columns import BigId, CleanText, Json, UtcTime
from store.database import Database
from store.engine import insert_into
from store.tables import WAITS, WRITTEN, changes, instance_of_job, jobs, table_of

KEPT_FOR = timedelta(days=90)
"""A notification is deleted after this time."""
_LONGEST_SENDING = timedelta(minutes=10)
"""A process that has been sending for longer is dead."""
_ENDED = (NotificationState.SENT, NotificationState.LOST)

Span = tuple[datetime, datetime]
"""From the first time, inclusive, to the second, exclusive."""


class NoticeRow(SQLModel, table=True):
    """A notification to the owner."""

    __tablename__ = "notices"
    __table_args__ = (
        Index("uq_notices_key", "key", unique=True),
        Index("ix_notices_topic", "topic", "id"),
    )

    id: int | None = Field(default=None, primary_key=True, sa_type=BigId)
    kind: str = Field(sa_type=CleanText)
    topic: str = Field(sa_type=CleanText)
    key: str = Field(sa_type=CleanText)
    facts: dict[str, object] = Field(sa_type=Json)
    state: str = Field(sa_type=CleanText)
    recorded_at: datetime = Field(sa_type=UtcTime)
    tries: int = 0
    due_at: datetime = Field(sa_type=UtcTime)
    begun_at: datetime | None = Field(default=None, sa_type=UtcTime)
    settled_at: datetime | None = Field(default=None, sa_type=UtcTime)
    problem: str = Field(default="", sa_type=CleanText)


notices = table_of(NoticeRow)


class Notifications:
    """Notifications to the owner. Each method is one transaction."""

    def __init__(self, database: Database) -> None:
        write, read = database.as_write, database.as_read
        self.get_latest = read(get_latest)
        self.record = write(record)
        self.claim_due = write(claim_due, announces=CHANGE_IF_ANY)
        self.mark_sent = write(mark_sent)
        self.postpone = write(postpone)
        self.give_up = write(give_up)
        self.get_last_settled = read(get_last_settled)


def get_latest(connection: Connection) -> Mapping[str, Notification]:
    """Return the latest notification of each topic, in any state."""
    newest = select(func.max(notices.c.id)).group_by(notices.c.topic)
    rows = connection.execute(select(notices).where(notices.c.id.in_(newest))).mappings()
    return {row["topic"]: _notification_of(row) for row in rows}


def record(connection: Connection, new: Sequence[NewNotification], *, now: datetime) -> int:
    """Store notifications; return how many were new. The same key is not stored twice."""
    connection.execute(delete(notices).where(notices.c.settled_at < now - KEPT_FOR))
    return sum(_insert(connection, notification, now) for notification in new)


def _insert(connection: Connection, new: NewNotification, now: datetime) -> int:
    silent = new.state is NotificationState.SILENT
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


def claim_due(connection: Connection, *, now: datetime) -> tuple[Notification, ...]:
    """Claim the notifications that are due, so that only the caller sends them."""
    _give_up_stale(connection, now)
    due = (_is(NotificationState.WAITING), notices.c.due_at <= now)
    begun = {
        "state": NotificationState.SENDING.value,
        "tries": notices.c.tries + 1,
        "begun_at": now,
    }
    taken = connection.execute(update(notices).where(*due).values(begun).returning(notices))
    begun_now = (_notification_of(row) for row in taken.mappings())
    return tuple(sorted(begun_now, key=lambda notification: notification.id))


def _give_up_stale(connection: Connection, now: datetime) -> None:
    """Mark notifications of dead senders as lost: they may have arrived; none is sent twice."""
    dead = (_is(NotificationState.SENDING), notices.c.begun_at < now - _LONGEST_SENDING)
    lost = {
        "state": NotificationState.LOST.value,
        "settled_at": now,
        "problem": "Paperclerk was stopped while it was sent",
    }
    connection.execute(update(notices).where(*dead).values(lost))


def mark_sent(connection: Connection, ids: Sequence[int], *, problem: str, now: datetime) -> None:
    """Mark notifications as sent; `problem` names the channels that failed, "" if none did."""
    sent = {"state": NotificationState.SENT.value, "settled_at": now, "problem": problem}
    _settle(connection, ids, sent)


def postpone(connection: Connection, ids: Sequence[int], *, until: datetime, problem: str) -> None:
    """Make notifications wait for their next try at `until`."""
    waiting = {"state": NotificationState.WAITING.value, "due_at": until, "problem": problem}
    _settle(connection, ids, waiting)


def give_up(connection: Connection, ids: Sequence[int], *, problem: str, now: datetime) -> None:
    """Mark notifications as lost, so that they are not tried again."""
    lost = {"state": NotificationState.LOST.value, "settled_at": now, "problem": problem}
    _settle(connection, ids, lost)


def _settle(connection: Connection, ids: Sequence[int], settled: Mapping[str, object]) -> None:
    claimed = update(notices).where(notices.c.id.in_(ids), _is(NotificationState.SENDING))
    connection.execute(claimed.values(**settled))


def get_last_settled(connection: Connection) -> Notification | None:
    """Return the notification that was last sent or lost; None if there is none."""
    ended = notices.c.state.in_([state.value for state in _ENDED])
    newest = select(notices).where(ended).order_by(notices.c.settled_at.desc(), notices.c.id.desc())
    row = connection.execute(newest.limit(1)).mappings().first()
    return None if row is None else _notification_of(row)


def _is(state: NotificationState) -> ColumnElement[bool]:
    return notices.c.state == state.value


def _notification_of(row: RowMapping) -> Notification:
    return Notification(
        id=row["id"],
        kind=NotificationKind(row["kind"]),
        topic=row["topic"],
        facts=row["facts"],
        state=NotificationState(row["state"]),
        recorded_at=row["recorded_at"],
        tries=row["tries"],
        settled_at=row["settled_at"],
        problem=row["problem"],
    )


@dataclass(frozen=True, slots=True)
class FailureGroup:
    """Documents that failed for the same cause."""

    user_message: str
    first_at: datetime
    documents: tuple[DocumentRef, ...]
    """The oldest failure first, each document once."""


@dataclass(frozen=True, slots=True)
class ActivityCounts:
    """Number of documents by what happened to them in a time span."""

    completed: int
    """Documents with a completed analysis."""
    failed: int
    """Documents with a failed analysis."""
    written: int
    """Documents with a written change."""


class Activity:
    """What happened in several instances. Each method is one transaction."""

    def __init__(self, database: Database) -> None:
        read = database.as_read
        self.list_failures = read(list_failures)
        self.count_activity = read(count_activity)
        self.get_newest_for_review = read(get_newest_for_review)


def list_failures(
    connection: Connection, instances: Sequence[str], span: Span
) -> tuple[FailureGroup, ...]:
    """List the jobs that failed in the span and still are failed, the most common cause first."""
    cause_text = jobs.c.problem["user_message"].as_string()
    found = (
        select(cause_text, jobs.c.finished_at, jobs.c.instance, jobs.c.document_id)
        .where(*_ended_in(instances, span), jobs.c.status == JobStatus.FAILED.value)
        .order_by(jobs.c.finished_at, jobs.c.id)
    )
    causes: dict[str, dict[DocumentRef, datetime]] = {}
    for why, at, instance, number in connection.execute(found):
        causes.setdefault(why or "", {}).setdefault(DocumentRef(instance, number), at)
    grouped = [
        FailureGroup(why, min(documents_of.values()), tuple(documents_of))
        for why, documents_of in causes.items()
    ]
    return tuple(sorted(grouped, key=lambda group: -len(group.documents)))


def count_activity(connection: Connection, instances: Sequence[str], span: Span) -> ActivityCounts:
    """Count the documents by what happened to them in the span."""
    ended = _ended_in(instances, span)
    # A document may have been analysed more than once.
    once = select(jobs.c.status, jobs.c.instance, jobs.c.document_id).distinct()
    analysed = once.where(*ended, jobs.c.kind == ANALYZE).subquery()
    by_status = select(analysed.c.status, func.count()).group_by(analysed.c.status)
    tally: dict[str, int] = dict(connection.execute(by_status).all())
    then = (changes.c.settled_at >= span[0], changes.c.settled_at < span[1])
    where = (changes.c.instance.in_(instances), text(WRITTEN), *then)
    documents = select(changes.c.instance, changes.c.document_id).where(*where).distinct()
    return ActivityCounts(
        completed=tally.get(JobStatus.COMPLETED.value, 0),
        failed=tally.get(JobStatus.FAILED.value, 0),
        written=connection.scalar(select(func.count()).select_from(documents.subquery())) or 0,
    )


def get_newest_for_review(connection: Connection, instances: Sequence[str]) -> int:
    """Return the id of the newest change for review; 0 if there is none."""
    waiting = (changes.c.instance.in_(instances), text(WAITS))
    return connection.scalar(select(func.max(changes.c.id)).where(*waiting)) or 0


def _ended_in(instances: Sequence[str], span: Span) -> tuple[ColumnElement[bool], ...]:
    within = (jobs.c.finished_at >= span[0], jobs.c.finished_at < span[1])
    return (*within, instance_of_job.in_(instances))
