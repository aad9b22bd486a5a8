"""Claim jobs and report their progress. Only the holder of the current claim may change a job.

Statements that every job needs are built once, because building takes longer than running them.
"""

from dataclasses import replace
from datetime import datetime
from functools import lru_cache
from uuid import uuid4

from sqlalchemy import (
    BindParameter,
    Connection,
    Update,
    and_,
    bindparam,
    case,
    exists,
    or_,
    select,
    update,
)

from core.jobs import EVERYTHING, CallProgress, EventName, Job, Scope, Stage
from store.engine import Step, execute_move, execute_move_with_event
from store.errors import ClaimLost
from store.queue import due, events
from store.rows import (
    CANCEL,
    MUTABLE_JOB_FIELDS,
    Values,
    job_of,
    model_call_row,
    mutable_job_fields_of,
)
from store.tables import PENDING, PROCESSING, jobs

_STILL_OURS = and_(
    jobs.c.id == bindparam("our_job"),
    jobs.c.status == PROCESSING,
    jobs.c.claim == bindparam("our_claim"),
)
_READ = select(jobs).where(_STILL_OURS).with_for_update()


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


def require_claim(connection: Connection, job: Job) -> Job:
    """Return the job as it is stored now, or raise ClaimLost."""
    row = connection.execute(_READ, _claim_parameters(job)).mappings().first()
    if row is None:
        raise ClaimLost(job.id, claim=job.claim)
    return job_of(row)


def update_claimed(connection: Connection, job: Job, values: Values, *following: Step) -> Job:
    """Update the job if the claim of `job` is still the current one, or raise ClaimLost.

    The `following` steps run only if the update was made.
    """
    change = _build_update(tuple(values))
    row = execute_move(connection, change, _claim_parameters(job) | values, following)
    if row is None:
        raise ClaimLost(job.id, claim=job.claim)
    return replace(job, **mutable_job_fields_of(row))


@lru_cache(maxsize=16)
def _build_claim(
    instances: int | None, numbers: frozenset[int] | None, kinds: frozenset[str] | None
) -> Update:
    """Build the statement that claims a job; `claim.sql` shows its SQL.

    It is one statement, so that no other worker can claim the job between choice and claim. It is
    cached, because building it takes longer than running it.
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


@lru_cache(maxsize=64)
def _build_update(columns: tuple[str, ...]) -> Update:
    given: dict[str, BindParameter[object]] = {name: bindparam(name) for name in columns}
    changed = update(jobs).where(_STILL_OURS).values(given)
    return changed.returning(*(jobs.c[name] for name in MUTABLE_JOB_FIELDS))


def _claim_parameters(job: Job) -> Values:
    return {"our_job": job.id, "our_claim": job.claim}
