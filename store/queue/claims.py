"""Take work from the queue, keep hold of it, and get back what a dead worker left."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from uuid import uuid4

from sqlalchemy import (
    ColumnElement,
    Connection,
    ScalarSelect,
    Select,
    Subquery,
    Update,
    and_,
    bindparam,
    case,
    exists,
    func,
    or_,
    select,
    update,
)

from core.errors import Problem
from core.jobs import EVERYTHING, EventName, Job, JobStatus, Scope, Stage
from core.messages import message
from store.changes.moves import mark_unconfirmed, write_has_begun
from store.engine import execute_move_with_event
from store.errors import ClaimLost
from store.queue import due, events, moves
from store.queue.due import read_held_instances
from store.queue.fence import require_claim, update_claimed
from store.queue.moves import succeed, update_document_state
from store.rows import CANCEL, Values, job_of, problem_row
from store.tables import PENDING, PROCESSING, jobs

_IS_TO_END = jobs.c.ends_as.is_not(None)
"""True for a job whose attempts only check the effect of its begun changes."""

CRASHED = Problem(
    code="crashed",
    message=message("the worker died while processing this job"),
    user_message="Paperclerk stopped unexpectedly while processing this document.",
    hint="If it happens again with this document only, please report it.",
)


def claim(
    connection: Connection,
    worker: str,
    now: datetime,
    scope: Scope = EVERYTHING,
    trace: str | None = None,
) -> Job | None:
    """Take the first job that is due and count the attempt; None if there is none to take.

    A job that was recovered from a crash runs alone: its worker takes nothing beside it, and takes
    it only with free hands. Were it to crash again, no neighbour would lose an attempt.
    """
    if scope.instances == ():
        return None
    take, asked = (
        _build_claim(*due.statement_key(scope)),
        _claim_parameters(worker, now, scope, trace),
    )
    row = execute_move_with_event(connection, take, asked, events.build_claim_event(now))
    return None if row is None else job_of(row)


def succeed_and_claim(
    connection: Connection,
    job: Job,
    now: datetime,
    scope: Scope = EVERYTHING,
    trace: str | None = None,
) -> tuple[Job, Job | None]:
    """Settle the job and let its worker take the next: one commit for both."""
    if job.worker is None:
        raise ClaimLost(job.id, claim=job.claim)
    return succeed(connection, job, now), claim(connection, job.worker, now, scope, trace)


def count_held(connection: Connection, instance: str) -> int:
    """Count the pending jobs of an instance that rest because of a hold."""
    return count_held_by_instance(connection, [instance]).get(instance, 0)


def count_held_by_instance(connection: Connection, instances: Sequence[str]) -> Mapping[str, int]:
    """Count the pending jobs that rest because of a hold; an instance without one is left out."""
    waiting = (jobs.c.status == PENDING, jobs.c.instance.in_(instances))
    rests = read_held_instances(connection).is_held()
    counted = select(jobs.c.instance, func.count()).where(*waiting, rests)
    return dict(connection.execute(counted.group_by(jobs.c.instance)).all())


def heartbeat(connection: Connection, job: Job, now: datetime) -> Job:
    """Say that the worker is alive; the answer shows whether a cancel was asked for."""
    return update_claimed(connection, job, {"heartbeat_at": now})


def record_progress(
    connection: Connection, job: Job, stage: Stage, percent: int, now: datetime
) -> Job:
    """Note a step. Percent never goes down within an attempt; no step, no event."""
    if not 0 <= percent <= 100:
        raise ValueError(f"percent must be between 0 and 100, got {percent}")
    before = require_claim(connection, job)
    after = max(before.progress, percent)
    values: Values = {"stage": stage.value, "progress": after, "heartbeat_at": now}
    moved = update_claimed(connection, job, values)
    if (before.stage, before.progress) != (stage, after):
        facts = {"stage": stage.value, "percent": after}
        events.append(connection, moved, EventName.PROGRESSED, at=now, **facts)
    return moved


def recover(
    connection: Connection,
    silent_since: datetime,
    now: datetime,
    in_hand: Collection[str] = (),
) -> tuple[Job, ...]:
    """Take back the jobs whose worker has not been heard of since `silent_since`.

    What is in the hand of who asks is left out, by its trace.
    """
    silent = jobs.c.heartbeat_at < silent_since
    if in_hand:
        silent = and_(silent, jobs.c.trace.not_in(sorted(in_hand)))
    return _recover_where(connection, silent, now)


def recover_orphans(connection: Connection, now: datetime) -> tuple[Job, ...]:
    """Take back every processing job: only for who knows that no worker is alive."""
    return _recover_where(connection, jobs.c.status == PROCESSING, now)


def status_after_crash(job: Job) -> JobStatus:
    """Decide what becomes of a job whose worker died."""
    if job.ends_as is not None:
        return job.ends_as if job.tries >= job.max_tries else JobStatus.PENDING
    if job.cancel_requested is not None:
        return JobStatus.CANCELLED
    if job.attempts >= job.max_attempts:
        return JobStatus.FAILED
    return JobStatus.PENDING


def _claim_parameters(worker: str, now: datetime, scope: Scope, trace: str | None) -> Values:
    return {
        "me": worker,
        "now": now,
        "mark": trace or uuid4().hex,
        **due.instance_parameters(scope),
    }


@lru_cache(maxsize=16)
def _build_claim(
    instances: int | None, numbers: frozenset[int] | None, kinds: frozenset[str] | None
) -> Update:
    """Build the claim: one statement, so that nothing can come between the look and the deed.

    Building it takes longer than carrying it out, so it is kept.
    """
    meant = [*due.due_now(), ~due.document_is_processing(), *due.matching_jobs(numbers, kinds)]
    first = due.select_first_free(instances, meant, _select_first_unlocked)
    return (
        update(jobs)
        .where(jobs.c.id == _if_worker_is_free(first), jobs.c.status == PENDING)
        .values(
            status=PROCESSING,
            claim=jobs.c.claim + 1,
            # Attempts that only check begun changes are counted separately.
            attempts=jobs.c.attempts + case((_IS_TO_END, 0), else_=1),
            reconciles=jobs.c.reconciles + case((_IS_TO_END, 1), else_=0),
            stage=None,
            progress=0,
            worker=bindparam("me"),
            trace=bindparam("mark"),
            heartbeat_at=bindparam("now"),
            **{name: case((_IS_TO_END, jobs.c[name]), else_=None) for name in CANCEL},
        )
        .returning(jobs)
    )


def _select_first_unlocked(*conditions: ColumnElement[bool]) -> Select[int, bool, int]:
    return due.select_first(*conditions).with_for_update(skip_locked=True)


def _if_worker_is_free(first: Subquery) -> ScalarSelect[int]:
    other = jobs.alias("at_hand")
    at_hand = exists().where(other.c.status == PROCESSING, other.c.worker == bindparam("me"))
    beside = and_(~at_hand.where(other.c.recovered), or_(~first.c.recovered, ~at_hand))
    return select(first.c.id).where(beside).scalar_subquery()


def _recover_where(
    connection: Connection, silent: ColumnElement[bool], now: datetime
) -> tuple[Job, ...]:
    orphans = select(jobs).where(jobs.c.status == PROCESSING, silent).with_for_update()
    # Sorted here: an ORDER BY would make SQLite walk the whole table by its number.
    found = sorted(connection.execute(orphans).mappings().all(), key=lambda row: int(row["id"]))
    return tuple(_recover(connection, job_of(row), now) for row in found)


def _recover(connection: Connection, job: Job, now: datetime) -> Job:
    """Recover a job: return it to the queue, end it, or have its begun changes checked first."""
    status = status_after_crash(job)
    ends = status is not JobStatus.PENDING
    compares_first = ends and job.ends_as is None and write_has_begun(connection, job)
    values: Values = {"worker": None, "heartbeat_at": None}
    if compares_first:
        values |= moves.reconcile_values(status, now)
    elif ends:
        mark_unconfirmed(connection, job, now)
        values |= {"status": status.value, "recovered": False, "finished_at": now, "ends_as": None}
    else:
        values |= {"status": status.value, "recovered": True, "scheduled_for": now}
    if job.ends_as is None and status is not JobStatus.CANCELLED:
        values["problem"] = problem_row(CRASHED)
    recovered = update_claimed(connection, job, values)
    if ends and not compares_first:
        moves.after_end(connection, recovered, now=now)
    update_document_state(connection, recovered, now=now)
    facts = {
        "status": recovered.status.value,
        "worker": job.worker,
        "attempts": job.attempts,
        **({"ends_as": status.value} if compares_first else {}),
    }
    events.append(connection, recovered, EventName.RECOVERED, at=now, code=CRASHED.code, **facts)
    return recovered
