"""Claim jobs, report their progress, and recover those of dead workers."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from uuid import uuid4

from sqlalchemy import (
    ColumnElement,
    Connection,
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
from core.jobs import EVERYTHING, CallProgress, EventName, Job, JobStatus, Scope, Stage
from core.messages import message
from store.changes.moves import mark_unconfirmed, write_has_begun
from store.engine import execute_move_with_event
from store.errors import ClaimLost
from store.queue import due, events, moves
from store.queue.due import read_held_instances
from store.queue.fence import require_claim, update_claimed
from store.queue.moves import succeed, update_document_state
from store.rows import CANCEL, Values, job_of, model_call_row, problem_row
from store.tables import PENDING, PROCESSING, jobs

CRASHED = Problem(
    code="crashed",
    message=message("the worker stopped unexpectedly while processing this job"),
    user_message="Paperclerk stopped unexpectedly while processing this document.",
    hint="If it happens again with this document only, please report it.",
    retryable=True,
)


def claim(
    connection: Connection,
    *,
    worker: str,
    now: datetime,
    scope: Scope = EVERYTHING,
    trace: str | None = None,
) -> Job | None:
    """Claim the first due job and count the attempt; None if there is none to claim.

    A job that was recovered from a crash runs alone: its worker has no other job meanwhile. If it
    crashes the process again, no other job loses an attempt. With the attempt's `trace`, the caller
    can find the job even if the confirmation of the claim is lost.
    """
    if scope.instances == ():
        return None
    statement = _build_claim(*due.statement_key(scope))
    values: Values = {
        "claimant": worker,
        "now": now,
        "new_trace": trace or uuid4().hex,
        **due.instance_parameters(scope),
    }
    row = execute_move_with_event(connection, statement, values, events.build_claim_event(now))
    return None if row is None else job_of(row)


def succeed_and_claim(
    connection: Connection,
    job: Job,
    *,
    now: datetime,
    scope: Scope = EVERYTHING,
    trace: str | None = None,
) -> tuple[Job, Job | None]:
    """Mark the job as completed and claim the next one for its worker, in one transaction."""
    if job.worker is None:
        raise ClaimLost(job.id, claim=job.claim)
    return succeed(connection, job, now=now), claim(
        connection, worker=job.worker, now=now, scope=scope, trace=trace
    )


def count_held(connection: Connection, instance: str) -> int:
    """Return the number of an instance's pending jobs that are on hold."""
    return count_held_by_instance(connection, [instance]).get(instance, 0)


def count_held_by_instance(connection: Connection, instances: Sequence[str]) -> Mapping[str, int]:
    """Return the number of pending jobs on hold by instance; instances without any are left out."""
    waiting = (jobs.c.status == PENDING, jobs.c.instance.in_(instances))
    on_hold = read_held_instances(connection).is_held()
    counted = select(jobs.c.instance, func.count()).where(*waiting, on_hold)
    return dict(connection.execute(counted.group_by(jobs.c.instance)).all())


def heartbeat(connection: Connection, job: Job, *, now: datetime) -> Job:
    """Store that the worker is alive; the result shows a cancellation. Raise ClaimLost."""
    return update_claimed(connection, job, {"heartbeat_at": now})


def record_model_call(
    connection: Connection, job: Job, call: CallProgress, percent: int, *, now: datetime
) -> Job:
    """Store a heartbeat with the progress of a model call; percent never goes down.

    No event is written: a call may take minutes. Raise ClaimLost.
    """
    values: Values = {
        "heartbeat_at": now,
        "model_call": model_call_row(call),
        "progress": max(require_claim(connection, job).progress, percent),
    }
    return update_claimed(connection, job, values)


def record_progress(
    connection: Connection, job: Job, stage: Stage, percent: int, *, now: datetime
) -> Job:
    """Store the stage and percentage; percent never goes down within an attempt.

    An event is written only if something changed. Raise ClaimLost.
    """
    if not 0 <= percent <= 100:
        raise ValueError(f"percent must be between 0 and 100, got {percent}")
    before = require_claim(connection, job)
    after = max(before.progress, percent)
    values: Values = {
        "stage": stage.value,
        "progress": after,
        "heartbeat_at": now,
        "model_call": None,
    }
    if (before.stage, before.progress) == (stage, after):
        return update_claimed(connection, job, values)
    moved = update_claimed(connection, job, values | {"updated_at": now})
    facts = {"stage": stage.value, "percent": after}
    events.append(connection, moved, EventName.PROGRESSED, at=now, **facts)
    return moved


def recover(
    connection: Connection,
    *,
    silent_since: datetime,
    now: datetime,
    own_traces: Collection[str] = (),
) -> tuple[Job, ...]:
    """Recover the jobs whose last heartbeat is older than `silent_since`.

    Jobs with a trace in `own_traces` are left out: the caller is still working on them.
    """
    is_orphan = jobs.c.heartbeat_at < silent_since
    if own_traces:
        is_orphan = and_(is_orphan, jobs.c.trace.not_in(sorted(own_traces)))
    return _recover_where(connection, is_orphan, now)


def recover_orphans(connection: Connection, *, now: datetime) -> tuple[Job, ...]:
    """Recover every job that is being processed.

    Only for the holder of the WorkLock, before it claims: it knows that no worker is alive.
    """
    return _recover_where(connection, jobs.c.status == PROCESSING, now)


def status_after_crash(job: Job) -> JobStatus:
    """Return the status of a job after its worker died."""
    if job.ends_as is not None:
        return job.ends_as if job.tries >= job.max_tries else JobStatus.PENDING
    if job.cancellation is not None:
        return JobStatus.CANCELLED
    if job.attempts >= job.max_attempts:
        return JobStatus.FAILED
    return JobStatus.PENDING


@lru_cache(maxsize=16)
def _build_claim(
    instances: int | None, numbers: frozenset[int] | None, kinds: frozenset[str] | None
) -> Update:
    """Build the statement that claims a job.

    It is one statement, so that no other worker can claim the job between choice and claim. It is
    cached, because building it takes longer than running it. For any instance, job and kind,
    SQLite runs:

        UPDATE jobs SET
            status='processing',
            claim=(jobs.claim + 1),
            attempts=(jobs.attempts + CASE WHEN (jobs.ends_as IS NOT NULL) THEN 0 ELSE 1 END),
            stage=NULL,
            progress=0,
            worker=:claimant,
            trace=:new_trace,
            heartbeat_at=:now,
            cancel_requested=CASE WHEN (jobs.ends_as IS NOT NULL) THEN jobs.cancel_requested END,
            reconciles=(jobs.reconciles + CASE WHEN (jobs.ends_as IS NOT NULL) THEN 1 ELSE 0 END),
            cancel_message=CASE WHEN (jobs.ends_as IS NOT NULL) THEN jobs.cancel_message END,
            cancel_code=CASE WHEN (jobs.ends_as IS NOT NULL) THEN jobs.cancel_code END,
            cancel_actor=CASE WHEN (jobs.ends_as IS NOT NULL) THEN jobs.cancel_actor END,
            cancel_by=CASE WHEN (jobs.ends_as IS NOT NULL) THEN jobs.cancel_by END,
            cancel_why=CASE WHEN (jobs.ends_as IS NOT NULL) THEN jobs.cancel_why END,
            started_at=:now,
            updated_at=:now,
            model_call=NULL
        WHERE jobs.id = (
            SELECT first.id FROM (
                SELECT jobs.id AS id, jobs.recovered AS recovered, jobs.priority AS priority
                FROM jobs
                WHERE jobs.status = 'pending'
                    AND jobs.scheduled_for <= :now
                    AND NOT (EXISTS (SELECT * FROM holds
                        WHERE holds.target IN (
                            'pause:*', 'pause:' || jobs.instance, 'paperless:' || jobs.instance,
                            'address:' || jobs.instance)
                        AND holds.lifted_at IS NULL))
                    AND (
                        NOT (jobs.kind IN ('analyze', 'rehearse') AND jobs.ends_as IS NULL)
                        OR NOT (
                            (EXISTS (SELECT * FROM holds
                                WHERE holds.target IN (
                                    'limit:' || jobs.instance, 'hours:' || jobs.instance)
                                AND holds.lifted_at IS NULL))
                            OR jobs.priority <= 0 AND (EXISTS (SELECT * FROM holds
                                WHERE holds.target IN ('backlog:' || jobs.instance)
                                AND holds.lifted_at IS NULL))
                            OR (EXISTS (SELECT * FROM holds, instances
                                WHERE holds.lifted_at IS NULL
                                AND (holds.target = ('model:' || instances.endpoint)
                                    OR holds.target = ('rate:' || instances.endpoint)
                                    AND (holds.next_probe_at IS NULL
                                        OR holds.next_probe_at > :now))
                                AND instances.name = jobs.instance)))
                        OR jobs.id IN (SELECT changes.writer_job_id FROM changes
                            WHERE (write_begun_at IS NOT NULL OR undo_begun_at IS NOT NULL)
                            AND changes.state IN ('intended', 'applied')
                            AND changes.writer_job_id IS NOT NULL))
                    AND NOT (EXISTS (SELECT * FROM jobs AS other
                        WHERE other.status = 'processing'
                        AND other.instance = jobs.instance
                        AND other.document_id = jobs.document_id))
                ORDER BY jobs.priority DESC, jobs.id LIMIT 1 OFFSET 0
            ) AS first
            WHERE NOT (EXISTS (SELECT * FROM jobs AS mine
                    WHERE mine.status = 'processing'
                    AND mine.worker = :claimant
                    AND mine.recovered = 1))
                AND (first.recovered = 0 OR NOT (EXISTS (SELECT * FROM jobs AS mine
                    WHERE mine.status = 'processing' AND mine.worker = :claimant)))
        )
        AND jobs.status = 'pending'
        RETURNING *

    With several instances, `first` is the first of one such query for each. PostgreSQL adds FOR
    UPDATE SKIP LOCKED to it.
    """
    first = due.first_of(
        [
            first_job.where(~due.document_is_processing()).with_for_update(skip_locked=True)
            for first_job in due.select_first_jobs(instances, numbers, kinds)
        ]
    )
    mine = jobs.alias("mine")
    has_job = exists().where(mine.c.status == PROCESSING, mine.c.worker == bindparam("claimant"))
    can_run = and_(~has_job.where(mine.c.recovered), or_(~first.c.recovered, ~has_job))
    chosen = select(first.c.id).where(can_run).scalar_subquery()
    is_ending = jobs.c.ends_as.is_not(None)
    return (
        update(jobs)
        .where(jobs.c.id == chosen, jobs.c.status == PENDING)
        .values(
            status=PROCESSING,
            claim=jobs.c.claim + 1,
            # Attempts that only check begun changes are counted separately.
            attempts=jobs.c.attempts + case((is_ending, 0), else_=1),
            reconciles=jobs.c.reconciles + case((is_ending, 1), else_=0),
            stage=None,
            progress=0,
            model_call=None,
            worker=bindparam("claimant"),
            trace=bindparam("new_trace"),
            heartbeat_at=bindparam("now"),
            started_at=bindparam("now"),
            updated_at=bindparam("now"),
            **{name: case((is_ending, jobs.c[name]), else_=None) for name in CANCEL},
        )
        .returning(jobs)
    )


def _recover_where(
    connection: Connection, is_orphan: ColumnElement[bool], now: datetime
) -> tuple[Job, ...]:
    orphans = select(jobs).where(jobs.c.status == PROCESSING, is_orphan).with_for_update()
    # Sorted here: an ORDER BY would make SQLite scan the whole table by id.
    found = sorted(connection.execute(orphans).mappings().all(), key=lambda row: int(row["id"]))
    return tuple(_recover(connection, job_of(row), now) for row in found)


def _recover(connection: Connection, job: Job, now: datetime) -> Job:
    """Recover a job: return it to the queue, end it, or have its begun changes checked first."""
    status = status_after_crash(job)
    ends = status is not JobStatus.PENDING
    compares_first = ends and job.ends_as is None and write_has_begun(connection, job)
    values: Values = {"worker": None, "heartbeat_at": None, "updated_at": now}
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
