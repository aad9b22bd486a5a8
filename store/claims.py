"""Take work from the queue, keep hold of it, and get back what a dead worker left."""

from datetime import datetime
from functools import lru_cache
from uuid import uuid4

from sqlalchemy import ColumnElement, Row, Select, and_, bindparam, exists, func, select, update
from sqlalchemy.orm import Session

from core.errors import Problem
from core.jobs import EVERYTHING, EventName, Job, JobStatus, Scope, Stage
from store import events
from store.fence import change_ours, require_ours
from store.moves import follow
from store.resting import Resting, resting_now
from store.rows import Values, job_of, problem_row
from store.tables import PENDING, PROCESSING, jobs

Due = Row[int, bool, int, bool, bool]
"""A job that may be claimed: its number, whether it was recovered, its priority; and of the worker
that asks, whether it has a job at hand (`busy`), and a recovered one among them (`alone`)."""

CRASHED = Problem(
    code="crashed",
    message="the worker died while it had this job",
    user_message="Paperclerk stopped unexpectedly while it worked on this document.",
    hint="If it happens again with this document only, please report it.",
)

_TAKE = (
    update(jobs)
    .where(jobs.c.id == bindparam("first_due"), jobs.c.status == PENDING)
    .values(
        status=JobStatus.PROCESSING.value,
        claim=jobs.c.claim + 1,
        attempts=jobs.c.attempts + 1,
        stage=None,
        progress=0,
        cancel_requested=None,
    )
    .returning(jobs)
)


def claim(session: Session, worker: str, now: datetime, scope: Scope = EVERYTHING) -> Job | None:
    """Take the first job that is due and count the attempt; None if there is none to take.

    A job that was recovered from a crash runs alone: its worker takes nothing beside it, and takes
    it only with free hands. Were it to crash again, no neighbour would lose an attempt.
    """
    asked: Values = {"me": worker, "now": now}
    first = _first_due(session, resting_now(session), scope, asked)
    if first is None or first.alone or (first.busy and first.recovered):
        return None
    return _take(session, first, worker, now)


def next_due(session: Session, now: datetime) -> datetime | None:
    """Tell when there is something to claim, `now` at the earliest; None if nothing is waiting."""
    earliest: datetime | None = session.scalar(earliest_due(resting_now(session)))
    return None if earliest is None else max(earliest, now)


def next_due_after(session: Session, moment: datetime) -> datetime | None:
    """Tell when the first job comes due that was not due at that moment; None if none does."""
    later = earliest_due(resting_now(session)).where(jobs.c.scheduled_for > moment)
    earliest: datetime | None = session.scalar(later)
    return earliest


def earliest_due(resting: Resting) -> Select[datetime]:
    return (
        select(jobs.c.scheduled_for)
        .where(jobs.c.status == PENDING, ~_document_in_hand(), resting.is_free())
        .order_by(jobs.c.scheduled_for)
        .limit(1)
    )


def held(session: Session, instance: str) -> int:
    """Count the pending jobs of an instance that rest because of a hold."""
    waiting = (jobs.c.status == PENDING, jobs.c.instance == instance)
    rests = resting_now(session).rests()
    return session.scalar(select(func.count()).select_from(jobs).where(*waiting, rests)) or 0


def heartbeat(session: Session, job: Job, now: datetime) -> Job:
    """Say that the worker is alive; the answer shows whether a cancel was asked for."""
    return change_ours(session, job, {"heartbeat_at": now})


def progress(session: Session, job: Job, stage: Stage, percent: int, now: datetime) -> Job:
    """Note a step. Percent never goes down within an attempt; no step, no event."""
    if not 0 <= percent <= 100:
        raise ValueError(f"percent must be between 0 and 100, got {percent}")
    before = require_ours(session, job)
    after = max(before.progress, percent)
    values: Values = {"stage": stage.value, "progress": after, "heartbeat_at": now}
    moved = change_ours(session, job, values)
    if (before.stage, before.progress) != (stage, after):
        facts = {"stage": stage.value, "percent": after}
        events.tell(session, moved, EventName.PROGRESSED, at=now, **facts)
    return moved


def recover(
    session: Session, silent_since: datetime, now: datetime, only_worker: str | None
) -> tuple[Job, ...]:
    """Take back the jobs whose worker has not been heard of since `silent_since`."""
    silent = jobs.c.heartbeat_at < silent_since
    if only_worker is not None:
        silent = and_(silent, jobs.c.worker == only_worker)
    return _recover_where(session, silent, now)


def recover_orphans(session: Session, now: datetime) -> tuple[Job, ...]:
    """Take back every processing job: only for who knows that no worker is alive."""
    return _recover_where(session, jobs.c.status == PROCESSING, now)


def status_after_crash(job: Job) -> JobStatus:
    """Decide what becomes of a job whose worker died."""
    if job.cancel_requested is not None:
        return JobStatus.CANCELLED
    if job.attempts >= job.max_attempts:
        return JobStatus.FAILED
    return JobStatus.PENDING


def _first_due(session: Session, resting: Resting, scope: Scope, asked: Values) -> Due | None:
    """Find the job whose turn it is.

    Where instances are named, each one's first job is looked at: that is one entry of an index,
    however long the queue of another is. Of equals the first wins, in the order of the names.
    """
    if scope.instances is None:
        return session.execute(_due(resting, scope.jobs, scope.kinds), asked).first()
    due = _due_of_instance(resting, scope.jobs, scope.kinds)
    awake = [name for name in scope.instances if name not in resting.wholly]
    firsts = [session.execute(due, asked | {"name": name}).first() for name in awake]
    return max(filter(None, firsts), key=lambda first: first.priority, default=None)


@lru_cache(maxsize=16)
def _due_of_instance(
    resting: Resting, numbers: frozenset[int] | None, kinds: frozenset[str] | None
) -> Select[int, bool, int, bool, bool]:
    return _due(resting, numbers, kinds).where(jobs.c.instance == bindparam("name"))


@lru_cache(maxsize=16)
def _due(
    resting: Resting, numbers: frozenset[int] | None, kinds: frozenset[str] | None
) -> Select[int, bool, int, bool, bool]:
    """Select the first job that is due. States are literals, so that the index is used."""
    other = jobs.alias("at_hand")
    at_hand = exists().where(other.c.status == PROCESSING, other.c.worker == bindparam("me"))
    due = (
        select(
            jobs.c.id,
            jobs.c.recovered,
            jobs.c.priority,
            at_hand.label("busy"),
            at_hand.where(other.c.recovered).label("alone"),
        )
        .where(jobs.c.status == PENDING, jobs.c.scheduled_for <= bindparam("now"))
        .where(~_document_in_hand(), resting.is_free())
        .order_by(jobs.c.priority.desc(), jobs.c.id)
        .limit(1)
        .with_for_update(skip_locked=True)
    )
    if numbers is not None:
        due = due.where(jobs.c.id.in_(sorted(numbers)))
    if kinds is not None:
        due = due.where(jobs.c.kind.in_(sorted(kinds)))
    return due


def _document_in_hand() -> ColumnElement[bool]:
    other = jobs.alias("other")
    return exists().where(
        other.c.status == PROCESSING,
        other.c.instance == jobs.c.instance,
        other.c.document_id == jobs.c.document_id,
    )


def _take(session: Session, first: Due, worker: str, now: datetime) -> Job:
    values: Values = {"worker": worker, "trace": uuid4().hex, "heartbeat_at": now}
    taken = session.execute(_TAKE, {"first_due": first.id, **values})
    job = job_of(taken.mappings().one())
    facts = {"worker": worker, "attempts": job.attempts, "claim": job.claim}
    events.tell(session, job, EventName.CLAIMED, at=now, **facts)
    return job


def _recover_where(session: Session, silent: ColumnElement[bool], now: datetime) -> tuple[Job, ...]:
    orphans = select(jobs).where(jobs.c.status == PROCESSING, silent).with_for_update()
    # Sorted here: an ORDER BY would make SQLite walk the whole table by its number.
    found = sorted(session.execute(orphans).mappings().all(), key=lambda row: int(row["id"]))
    return tuple(_recover(session, job_of(row), now) for row in found)


def _recover(session: Session, job: Job, now: datetime) -> Job:
    status = status_after_crash(job)
    pending = status is JobStatus.PENDING
    values: Values = {
        "status": status.value,
        "worker": None,
        "heartbeat_at": None,
        "recovered": pending,
        "scheduled_for": now if pending else job.scheduled_for,
        "finished_at": None if pending else now,
    }
    if status is not JobStatus.CANCELLED:
        values["problem"] = problem_row(CRASHED)
    recovered = change_ours(session, job, values)
    follow(session, recovered, now=now)
    facts = {"status": status.value, "worker": job.worker, "attempts": job.attempts}
    events.tell(session, recovered, EventName.RECOVERED, at=now, code=CRASHED.code, **facts)
    return recovered
