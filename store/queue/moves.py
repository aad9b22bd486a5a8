"""Every transition of a live job except the claim: one function each.

`enqueue.py` puts jobs into the queue, `claims.py` claims them, and `recovery.py` takes them from
dead workers; no other code changes the state of a job. A move is compare-and-set and writes its
event in the same transaction; a move of an analysis also updates the document's row. A worker's
moves are fenced by its claim.

A job with a begun write does not end before the effect is known. It becomes pending for attempts
that only check its changes in Paperless; `ends_as` is its final status.
"""

from collections.abc import Mapping
from datetime import datetime

from sqlalchemy import Connection, select, update

from core.changes import VANISHED
from core.documents import DocumentState
from core.errors import Problem
from core.jobs import (
    ANALYZE,
    APPLY,
    EVERYTHING,
    Actor,
    Cancellation,
    EventName,
    Job,
    JobStatus,
    Scope,
)
from core.messages import Message, message
from store import document_rows
from store.changes import moves as change_moves
from store.changes import plans
from store.engine import Step
from store.errors import (
    ClaimLost,
    InvalidTransition,
    JobDeleted,
    JobNotFound,
)
from store.queue import events
from store.queue.claims import claim, require_claim, update_claimed
from store.rows import (
    GONE,
    Values,
    cancel_row,
    job_of,
    problem_row,
    ref_of,
)
from store.tables import PENDING, PROCESSING, deleted_jobs, jobs

MAX_RELEASES = 10
"""Releases that do not count as attempts; more would let a job restart forever."""

RELEASED_TOO_OFTEN = Problem(
    code="given_back_too_often",
    message=message(
        "returned to the queue more than {n} times, and no attempts are left", n=MAX_RELEASES
    ),
    user_message="Paperclerk was repeatedly stopped while processing this document.",
    hint="Check whether the daemon keeps restarting, or whether the model is too slow.",
    retryable=True,
)

DOCUMENT_GONE = message("the document is no longer in Paperless")

_ROW_AFTER: Mapping[JobStatus, DocumentState] = {
    JobStatus.PENDING: DocumentState.QUEUED,
    JobStatus.COMPLETED: DocumentState.DONE,
    JobStatus.FAILED: DocumentState.FAILED,
    JobStatus.CANCELLED: DocumentState.CANCELLED,
}

_UNCLAIMED: Values = {"worker": None, "heartbeat_at": None, "recovered": False}


def get(connection: Connection, job_id: int) -> Job:
    """Return the job, or raise JobNotFound; JobDeleted if retention deleted it."""
    row = connection.execute(select(jobs).where(jobs.c.id == job_id)).mappings().first()
    if row is None:
        deleted = select(deleted_jobs).where(deleted_jobs.c.job_id == job_id)
        former = connection.execute(deleted).mappings().first()
        if former is None:
            raise JobNotFound(job_id)
        raise JobDeleted(job_id, ref_of(former), former["deleted_at"])
    return job_of(row)


def succeed(connection: Connection, job: Job, *, now: datetime) -> Job:
    values: Values = {"status": JobStatus.COMPLETED.value, "finished_at": now, "progress": 100}
    event = events.event_insert(job, EventName.COMPLETED, at=now, attempts=job.attempts)
    return _settle(connection, job, values | {"problem": None}, event, now=now)


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


def retry(
    connection: Connection, job: Job, problem: Problem, *, at: datetime, now: datetime
) -> Job:
    """Make the job wait until `at`, or cancel it if a cancel was requested.

    A job that only waits to end keeps the problem that it ends with.
    """
    current = require_claim(connection, job)
    if (cancellation := _get_requested_cancel(current)) is not None:
        return end_cancelled(connection, job, cancellation.describe(), now=now)
    values: Values = {"status": JobStatus.PENDING.value, "scheduled_for": at}
    if job.ends_as is None:
        values["problem"] = problem_row(problem)
    facts = {"attempts": current.tries, "scheduled_for": at.isoformat(), **_problem_facts(problem)}
    event = events.event_insert(job, EventName.RETRIED, at=now, **facts)
    return _settle(connection, job, values, event, now=now)


def release(
    connection: Connection, job: Job, why: Message, *, now: datetime, due: datetime | None = None
) -> Job:
    """Return the job to the queue and refund its attempt, or cancel it if that was requested.

    It is due at once, or at `due`. After `MAX_RELEASES` releases the attempt is counted, and the
    job fails if it was the last one.
    """
    current = require_claim(connection, job)
    counter = select(jobs.c.give_backs).where(jobs.c.id == job.id)
    releases_so_far: int = connection.scalars(counter).one()
    counted = releases_so_far >= MAX_RELEASES
    if counted and _get_requested_cancel(current) is None and current.tries >= current.max_tries:
        return fail(connection, job, RELEASED_TOO_OFTEN, now=now)
    refunded: Values = {} if counted else _refund_values(current)
    values: Values = {"give_backs": releases_so_far + 1, "scheduled_for": due or now, **refunded}
    return _return_to_queue(connection, current, values, why, now=now)


def postpone(
    connection: Connection, job: Job, why: Message, *, now: datetime, due: datetime | None = None
) -> Job:
    """Return the job to the queue and refund its attempt, however often.

    It is due at once, or at `due`. Waiting for a limit never fails a job.
    """
    current = require_claim(connection, job)
    values: Values = {"scheduled_for": due or now, **_refund_values(current)}
    return _return_to_queue(connection, current, values, why, now=now)


def fail(connection: Connection, job: Job, problem: Problem, *, now: datetime) -> Job:
    """End the running attempt as failed, once the effect of a begun write is known."""
    if job.ends_as is not None:
        return conclude(connection, job, now=now)
    values: Values = {"problem": problem_row(problem)}
    facts = {"attempts": job.attempts, **_problem_facts(problem)}
    return _end(connection, job, JobStatus.FAILED, values, facts, now=now)


def end_cancelled(
    connection: Connection, job: Job, why: Message, *, now: datetime, code: str | None = None
) -> Job:
    """End the running attempt as cancelled, once the effect of a begun write is known."""
    if job.ends_as is not None:
        return conclude(connection, job, now=now)
    requested = require_claim(connection, job).cancellation
    values = cancel_row(requested or Cancellation(Actor.WORKER, why=why), code)
    return _end(connection, job, JobStatus.CANCELLED, values, {"why": why}, now=now)


def end_gone(connection: Connection, job: Job, *, now: datetime) -> Job:
    """End the job because its document is gone from Paperless, and mark the document's row as gone.

    Changes for review are withdrawn: there is nothing left to decide. Changes that were being
    written stay unconfirmed until the document is back.
    """
    change_moves.mark_unconfirmed(connection, job, now)
    settled = end_cancelled(connection, job, DOCUMENT_GONE, now=now, code=GONE)
    plans.withdraw_waiting(connection, job.document, VANISHED, now)
    document_rows.update_state(connection, job.document, DocumentState.GONE, now=now)
    return settled


def end_read_only(connection: Connection, job: Job, why: Message, *, now: datetime) -> Job:
    """End the job because its document may not be edited; a later scan may select it again."""
    settled = end_cancelled(connection, job, why, now=now)
    if job.kind == ANALYZE and settled.status is JobStatus.CANCELLED:
        document_rows.update_state(connection, job.document, DocumentState.READ_ONLY, now=now)
    return settled


def conclude(connection: Connection, job: Job, *, now: datetime) -> Job:
    """End a job with its final status after its begun changes were checked.

    Changes that could not be checked become unconfirmed.
    """
    if job.ends_as is None:
        raise InvalidTransition(
            message("job {number}", number=str(job.id)), state=job.status, wanted=JobStatus.PENDING
        )
    facts = {} if job.problem is None else _problem_facts(job.problem)
    return _end(connection, job, job.ends_as, {}, facts, now=now)


def bring_forward(
    connection: Connection, job_id: int, priority: int, *, by: str, now: datetime
) -> Job:
    """Make a pending job due at once for a person, with at least this priority.

    Its attempts stay counted. A job that is due already, and of that priority, or that is not
    pending, is returned unchanged. Raise JobNotFound.
    """
    job = get(connection, job_id)
    is_ahead = job.scheduled_for <= now and job.priority >= priority
    if job.status is not JobStatus.PENDING or is_ahead:
        return job
    values: Values = {
        "scheduled_for": min(job.scheduled_for, now),
        "priority": max(job.priority, priority),
    }
    moved = update_unclaimed(connection, job, values, now=now)
    facts = {"by": by, "planned_for": job.scheduled_for.isoformat()}
    events.append(connection, moved, EventName.PULLED_IN, at=now, **facts)
    return moved


def cancel(connection: Connection, job_id: int, *, by: str, why: str = "", now: datetime) -> Job:
    """Cancel a job for a person; see `cancel_for`."""
    return cancel_for(connection, job_id, Cancellation.of_user(by, why), now=now)


def cancel_for(
    connection: Connection, job_id: int, cancellation: Cancellation, *, now: datetime
) -> Job:
    """Cancel a pending job at once, or request the cancellation of one that is being processed.

    A finished job is returned unchanged. Raise JobNotFound.
    """
    job = get(connection, job_id)
    if job.ends_as is not None:
        # It ends anyway, as soon as the effect of its write is known.
        return job
    if job.status is JobStatus.PENDING:
        return _cancel_pending(connection, job, cancellation, now=now)
    if job.status is JobStatus.PROCESSING and job.cancellation is None:
        requested = update_unclaimed(connection, job, cancel_row(cancellation), now=now)
        facts = _cancel_facts(cancellation)
        events.append(connection, requested, EventName.CANCEL_REQUESTED, at=now, **facts)
        return requested
    return job


def cancel_of_scan(
    connection: Connection,
    scan_id: int,
    cancellation: Cancellation,
    *,
    now: datetime,
    after_id: int = 0,
    limit: int = 100,
) -> tuple[Job, ...]:
    """Cancel up to `limit` unfinished jobs of a scan, the oldest first.

    `after_id` continues after the last job of the previous call. An empty result means that none
    is left.
    """
    live = select(jobs.c.id).where(
        jobs.c.scan_id == scan_id,
        jobs.c.status.in_([PENDING, PROCESSING]),
        jobs.c.id > after_id,
    )
    ids = connection.scalars(live.order_by(jobs.c.id).limit(limit)).all()
    return tuple(cancel_for(connection, job_id, cancellation, now=now) for job_id in ids)


def after_end(connection: Connection, job: Job, *, now: datetime) -> None:
    """Update changes after the end of a job that did not succeed."""
    if job.kind == APPLY:
        change_moves.return_to_review(connection, job, now)
    if job.kind == ANALYZE:
        plans.withdraw_unwritten(connection, job, now)


def reconcile_values(status: JobStatus, now: datetime) -> Values:
    """Return the values that make a job wait for checks only; `status` is its final status."""
    return {
        "status": JobStatus.PENDING.value,
        "scheduled_for": now,
        "ends_as": status.value,
        "recovered": False,
    }


def update_document_state(connection: Connection, job: Job, *, now: datetime) -> None:
    """Set the state of the document's row after an analysis has changed its status."""
    if job.kind == ANALYZE:
        document_rows.update_state(connection, job.document, _ROW_AFTER[job.status], now=now)


def update_unclaimed(connection: Connection, job: Job, values: Values, *, now: datetime) -> Job:
    """Update a job that was read in this transaction; as there is one writer, it is unchanged."""
    unchanged = (jobs.c.id == job.id, jobs.c.status == job.status.value)
    values = values | {"updated_at": now}
    statement = update(jobs).where(*unchanged).values(**values).returning(jobs)
    return job_of(connection.execute(statement).mappings().one())


def _refund_values(job: Job) -> Values:
    """Return the values that take the running attempt off the count."""
    if job.ends_as is None:
        return {"attempts": job.attempts - 1}
    return {"reconciles": job.reconciles - 1}


def _get_requested_cancel(job: Job) -> Cancellation | None:
    """Return the cancellation that was requested and not carried out yet."""
    return job.cancellation if job.ends_as is None else None


def _end(
    connection: Connection,
    job: Job,
    status: JobStatus,
    values: Values,
    facts: Values,
    *,
    now: datetime,
) -> Job:
    """End a claimed job that did not succeed, or have its begun changes checked first.

    A job that was already being checked ends; changes that are still begun become unconfirmed.
    """
    if job.ends_as is not None:
        facts = facts | {"unconfirmed": change_moves.mark_unconfirmed(connection, job, now)}
    elif change_moves.write_has_begun(connection, job):
        event = events.event_insert(
            job, EventName.RECONCILING, at=now, ends_as=status.value, **facts
        )
        return _settle(connection, job, values | reconcile_values(status, now), event, now=now)
    event = events.event_insert(job, EventName(status.value), at=now, **facts)
    ended: Values = {"status": status.value, "finished_at": now, "ends_as": None}
    settled = _settle(connection, job, values | ended, event, now=now)
    after_end(connection, settled, now=now)
    return settled


def _settle(connection: Connection, job: Job, values: Values, event: Step, *, now: datetime) -> Job:
    """End the claim with a new status; update the document's row and write the event with it."""
    after = _ROW_AFTER[JobStatus(str(values["status"]))]
    row = (
        [document_rows.build_state_update(job.document, after, now=now)]
        if job.kind == ANALYZE
        else []
    )
    return update_claimed(connection, job, _UNCLAIMED | values | {"updated_at": now}, *row, event)


def _return_to_queue(
    connection: Connection, current: Job, values: Values, why: Message, *, now: datetime
) -> Job:
    if (cancellation := _get_requested_cancel(current)) is not None:
        return end_cancelled(connection, current, cancellation.describe(), now=now)
    pending: Values = {"status": JobStatus.PENDING.value}
    facts = {"why": why, "attempts": values.get("attempts", current.attempts)}
    event = events.event_insert(current, EventName.RELEASED, at=now, **facts)
    return _settle(connection, current, pending | values, event, now=now)


def _cancel_pending(
    connection: Connection, job: Job, cancellation: Cancellation, *, now: datetime
) -> Job:
    facts = _cancel_facts(cancellation)
    if change_moves.write_has_begun(connection, job):
        later = reconcile_values(JobStatus.CANCELLED, now) | cancel_row(cancellation)
        waiting = update_unclaimed(connection, job, later, now=now)
        ends_as = JobStatus.CANCELLED.value
        events.append(connection, waiting, EventName.RECONCILING, at=now, ends_as=ends_as, **facts)
        return waiting
    values: Values = {
        "status": JobStatus.CANCELLED.value,
        "finished_at": now,
        "recovered": False,
        **cancel_row(cancellation),
    }
    done = update_unclaimed(connection, job, values, now=now)
    after_end(connection, done, now=now)
    update_document_state(connection, done, now=now)
    events.append(connection, done, EventName.CANCELLED, at=now, **facts)
    return done


def _cancel_facts(cancellation: Cancellation) -> Values:
    why = cancellation.why
    return {"by": cancellation.by} | ({} if why is None else {"why": why})


def _problem_facts(problem: Problem) -> Values:
    return {"code": problem.code, "message": problem.message}
