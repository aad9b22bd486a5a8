"""Notifications: stored before they are sent, so that each channel gets each once."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import (
    ColumnElement,
    Connection,
    Index,
    RowMapping,
    UniqueConstraint,
    Update,
    delete,
    exists,
    false,
    func,
    insert,
    not_,
    select,
    text,
    update,
)
from sqlmodel import Field, SQLModel

from core.documents import DocumentRef
from core.jobs import ANALYZE, JobStatus
from core.messages import Message, message, message_from_json, message_to_json
from core.notifications import (
    IN_APP,
    ClaimedDelivery,
    Delivery,
    DeliveryState,
    NewNotification,
    Notification,
    NotificationKind,
)
from store.columns import BigId, CleanText, Json, UtcTime
from store.database import CHANGE_IF_ANY, Database
from store.engine import insert_into
from store.errors import NotificationNotFound
from store.tables import WAITS, WRITTEN, changes, instance_of_job, jobs, partial, table_of

KEPT_FOR = timedelta(days=90)
"""A notification is deleted after this time."""
_MAX_SENDING = timedelta(minutes=10)
"""A process that has been sending for longer is dead."""
_UNREAD = "read_at IS NULL"
_UNSETTLED = "settled_at IS NULL"
_NO_PROBLEM: Mapping[str, object] = {"problem": "", "problem_message": None}

Span = tuple[datetime, datetime]
"""From the first time, inclusive, to the second, exclusive."""


class NoticeRow(SQLModel, table=True):
    """A notification to the owner."""

    __tablename__ = "notices"
    __table_args__ = (
        Index("uq_notices_key", "key", unique=True),
        Index("ix_notices_topic", "topic", "id"),
        partial("ix_notices_unread", "id", where=_UNREAD),
    )

    id: int | None = Field(default=None, primary_key=True, sa_type=BigId)
    kind: str = Field(sa_type=CleanText)
    topic: str = Field(sa_type=CleanText)
    key: str = Field(sa_type=CleanText)
    facts: dict[str, object] = Field(sa_type=Json)
    recorded_at: datetime = Field(sa_type=UtcTime)
    silent: bool = Field(default=False, sa_column_kwargs={"server_default": false()})
    # Those that are silent count as read from the beginning.
    read_at: datetime | None = Field(default=None, sa_type=UtcTime)


class DeliveryRow(SQLModel, table=True):
    """A notification on one channel."""

    __tablename__ = "notice_deliveries"
    __table_args__ = (
        UniqueConstraint("notice_id", "channel", name="uq_notice_deliveries_channel"),
        partial("ix_notice_deliveries_unsettled", "due_at", where=_UNSETTLED),
    )

    id: int | None = Field(default=None, primary_key=True, sa_type=BigId)
    notice_id: int = Field(sa_type=BigId, foreign_key="notices.id", ondelete="CASCADE")
    channel: str = Field(sa_type=CleanText)
    state: str = Field(sa_type=CleanText)
    tries: int
    due_at: datetime = Field(sa_type=UtcTime)
    begun_at: datetime | None = Field(default=None, sa_type=UtcTime)
    settled_at: datetime | None = Field(default=None, sa_type=UtcTime)
    problem: str = Field(sa_type=CleanText)
    # Its template and values.
    problem_message: dict[str, object] | None = Field(default=None, sa_type=Json, nullable=True)


notices = table_of(NoticeRow)
deliveries = table_of(DeliveryRow)


class Notifications:
    """Notifications to the owner. Each method is one transaction."""

    def __init__(self, database: Database) -> None:
        write, read = database.as_write, database.as_read
        self.get_latest = read(get_latest)
        self.list = read(list_notifications)
        self.count_unread = read(count_unread)
        self.mark_read = write(mark_read)
        self.mark_all_read = write(mark_all_read)
        self.record = write(record)
        self.claim_due = write(claim_due, announces=CHANGE_IF_ANY)
        self.mark_sent = write(mark_sent)
        self.postpone = write(postpone)
        self.give_up = write(give_up)
        self.give_up_removed = write(give_up_removed)
        self.get_last_outgoing = read(get_last_outgoing)


unread_count = select(func.count()).select_from(notices).where(text(_UNREAD))
"""Counts the notifications that nobody has read."""


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


def get_latest(connection: Connection) -> Mapping[str, Notification]:
    """Return the latest notification of each topic, also silent ones, without deliveries."""
    newest = select(func.max(notices.c.id)).group_by(notices.c.topic)
    rows = connection.execute(select(notices).where(notices.c.id.in_(newest))).mappings()
    return {row["topic"]: _notification_of(row) for row in rows}


def list_notifications(
    connection: Connection, *, limit: int, before_id: int | None = None, only_unread: bool = False
) -> tuple[Notification, ...]:
    """List notifications with their deliveries, newest first; silent ones are left out."""
    found = select(notices).where(notices.c.silent == false())
    if before_id is not None:
        found = found.where(notices.c.id < before_id)
    if only_unread:
        found = found.where(text(_UNREAD))
    rows = connection.execute(found.order_by(notices.c.id.desc()).limit(limit)).mappings().all()
    sent = _deliveries_of(connection, [row["id"] for row in rows])
    return tuple(_notification_of(row, tuple(sent.get(row["id"], ()))) for row in rows)


def count_unread(connection: Connection) -> int:
    """Return how many notifications nobody has read."""
    return connection.scalar(unread_count) or 0


def mark_read(connection: Connection, notice: int, *, now: datetime) -> int:
    """Mark a notification as read and return 1, or 0 if it was read before.

    Raise NotificationNotFound.
    """
    known = select(notices.c.id).where(notices.c.id == notice, notices.c.silent == false())
    if connection.scalar(known) is None:
        raise NotificationNotFound(notice)
    unread = _unread().where(notices.c.id == notice)
    return connection.execute(unread.values(read_at=now)).rowcount


def mark_all_read(connection: Connection, until_id: int | None = None, *, now: datetime) -> int:
    """Mark all notifications as read, up to an id if one is given; return how many were unread."""
    unread = _unread() if until_id is None else _unread().where(notices.c.id <= until_id)
    return connection.execute(unread.values(read_at=now)).rowcount


def record(
    connection: Connection,
    new: Sequence[NewNotification],
    *,
    channels: Sequence[str] = (),
    now: datetime,
) -> int:
    """Store notifications; return how many were new. The same key is not stored twice.

    Each is in the dashboard's list at once, and waits to be sent to the other channels.
    """
    _delete_old(connection, now)
    return sum(_insert(connection, notification, channels, now) for notification in new)


def claim_due(
    connection: Connection, channels: Collection[str], *, now: datetime
) -> tuple[ClaimedDelivery, ...]:
    """Claim the deliveries to these channels that are due, so that only the caller sends them."""
    _give_up_stale(connection, now)
    due = (
        _is(DeliveryState.WAITING),
        deliveries.c.due_at <= now,
        deliveries.c.channel.in_(list(channels)),
    )
    begun = {
        "state": DeliveryState.SENDING.value,
        "tries": deliveries.c.tries + 1,
        "begun_at": now,
    }
    taken = connection.execute(update(deliveries).where(*due).values(begun).returning(deliveries))
    rows = sorted(taken.mappings(), key=lambda row: row["id"])
    ids = {row["notice_id"] for row in rows}
    found = connection.execute(select(notices).where(notices.c.id.in_(ids))).mappings()
    notifications = {row["id"]: _notification_of(row) for row in found}
    return tuple(
        ClaimedDelivery(_delivery_of(row), notifications[row["notice_id"]]) for row in rows
    )


def give_up_removed(connection: Connection, channels: Collection[str], *, now: datetime) -> None:
    """Mark what waits for other channels than these as lost: the settings no longer have them."""
    removed = (_is(DeliveryState.WAITING), deliveries.c.channel.not_in(list(channels)))
    lost = _lost(message("the address was removed from notify.urls"), now)
    connection.execute(update(deliveries).where(*removed).values(lost))


def mark_sent(connection: Connection, ids: Sequence[int], *, now: datetime) -> None:
    """Mark deliveries as sent."""
    sent = {"state": DeliveryState.SENT.value, "settled_at": now, **_NO_PROBLEM}
    _settle(connection, ids, sent)


def postpone(
    connection: Connection, ids: Sequence[int], *, until: datetime, problem: Message
) -> None:
    """Make deliveries wait for their next attempt at `until`."""
    waiting = {"state": DeliveryState.WAITING.value, "due_at": until, **_problem_row(problem)}
    _settle(connection, ids, waiting)


def give_up(connection: Connection, ids: Sequence[int], *, problem: Message, now: datetime) -> None:
    """Mark deliveries as lost, so that they are not tried again."""
    _settle(connection, ids, _lost(problem, now))


def get_last_outgoing(connection: Connection) -> Delivery | None:
    """Return the delivery to an address that was last sent or lost; None if there is none."""
    ended = (deliveries.c.channel != IN_APP, deliveries.c.settled_at.is_not(None))
    newest = select(deliveries).where(*ended)
    newest = newest.order_by(deliveries.c.settled_at.desc(), deliveries.c.id.desc())
    row = connection.execute(newest.limit(1)).mappings().first()
    return None if row is None else _delivery_of(row)


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


def _deliveries_of(connection: Connection, ids: Sequence[int]) -> Mapping[int, list[Delivery]]:
    by_notice: dict[int, list[Delivery]] = {}
    found = select(deliveries).where(deliveries.c.notice_id.in_(ids)).order_by(deliveries.c.id)
    for row in connection.execute(found).mappings():
        by_notice.setdefault(row["notice_id"], []).append(_delivery_of(row))
    return by_notice


def _unread() -> Update:
    return update(notices).where(text(_UNREAD))


def _delete_old(connection: Connection, now: datetime) -> None:
    unsettled = exists().where(deliveries.c.notice_id == notices.c.id, text(_UNSETTLED))
    old = delete(notices).where(notices.c.recorded_at < now - KEPT_FOR, not_(unsettled))
    connection.execute(old)


def _insert(
    connection: Connection, new: NewNotification, channels: Sequence[str], now: datetime
) -> int:
    statement = insert_into(connection, notices).values(
        kind=new.kind.value,
        topic=new.topic,
        key=new.key,
        facts=dict(new.facts),
        recorded_at=now,
        silent=new.is_silent,
        read_at=now if new.is_silent else None,
    )
    once = statement.on_conflict_do_nothing(index_elements=["key"])
    notice = connection.scalar(once.returning(notices.c.id))
    if notice is not None and not new.is_silent:
        waiting = {"notice_id": notice, "due_at": now, **_NO_PROBLEM}
        shown = {"state": DeliveryState.SENT.value, "tries": 1, "settled_at": now}
        unsent = {"state": DeliveryState.WAITING.value, "tries": 0, "settled_at": None}
        rows = [waiting | shown | {"channel": IN_APP}]
        rows += [waiting | unsent | {"channel": channel} for channel in channels]
        connection.execute(insert(deliveries), rows)
    return 0 if notice is None else 1


def _give_up_stale(connection: Connection, now: datetime) -> None:
    """Mark deliveries of dead senders as lost: they may have arrived; none is sent twice."""
    dead = (_is(DeliveryState.SENDING), deliveries.c.begun_at < now - _MAX_SENDING)
    lost = _lost(message("Paperclerk was stopped while it was sent"), now)
    connection.execute(update(deliveries).where(*dead).values(lost))


def _lost(problem: Message, now: datetime) -> Mapping[str, object]:
    return {"state": DeliveryState.LOST.value, "settled_at": now, **_problem_row(problem)}


def _problem_row(problem: Message) -> Mapping[str, object]:
    return {"problem": str(problem), "problem_message": message_to_json(problem)}


def _settle(connection: Connection, ids: Sequence[int], settled: Mapping[str, object]) -> None:
    claimed = update(deliveries).where(deliveries.c.id.in_(ids), _is(DeliveryState.SENDING))
    connection.execute(claimed.values(**settled))


def _is(state: DeliveryState) -> ColumnElement[bool]:
    return deliveries.c.state == state.value


def _notification_of(row: RowMapping, sent: tuple[Delivery, ...] = ()) -> Notification:
    return Notification(
        id=row["id"],
        kind=NotificationKind(row["kind"]),
        topic=row["topic"],
        facts=row["facts"],
        is_silent=row["silent"],
        recorded_at=row["recorded_at"],
        read_at=row["read_at"],
        deliveries=sent,
    )


def _delivery_of(row: RowMapping) -> Delivery:
    return Delivery(
        id=row["id"],
        channel=row["channel"],
        state=DeliveryState(row["state"]),
        attempts=row["tries"],
        due_at=row["due_at"],
        settled_at=row["settled_at"],
        problem=message_from_json(row["problem_message"], row["problem"])
        if row["problem"]
        else None,
    )


def _ended_in(instances: Sequence[str], span: Span) -> tuple[ColumnElement[bool], ...]:
    within = (jobs.c.finished_at >= span[0], jobs.c.finished_at < span[1])
    return (*within, instance_of_job.in_(instances))
