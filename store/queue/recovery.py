"""Recover the jobs of dead workers, and correct times that were set by a wrong clock."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, Connection, and_, select, update

from core.errors import Problem
from core.holds import MAX_WAIT, Hold
from core.jobs import (
    CLOCK_TOLERANCE,
    MOVES_TO_PENDING,
    EventName,
    Job,
    JobStatus,
    OverlongWait,
    WaitsByInstance,
    due_after_pull_in,
    longest_wait_of,
)
from core.messages import message
from store.changes import moves as change_moves
from store.database import WORK_IF_ANY, Database
from store.holds import hold_of
from store.queue import events
from store.queue.claims import update_claimed
from store.queue.moves import after_end, reconcile_values, update_document_state
from store.rows import Values, job_of, problem_row
from store.tables import PENDING, PROCESSING, holds, instance_of_job, jobs, model_calls
from store.tables import events as event_rows
from store.workers import read_database_time

CRASHED = Problem(
    code="crashed",
    message=message("the worker stopped unexpectedly while processing this job"),
    user_message="Paperclerk stopped unexpectedly while processing this document.",
    hint="If it happens again with this document only, please report it.",
    retryable=True,
)

_AT_A_TIME = 500
_CALLS_AHEAD = timedelta(days=1)
"""A call dated further ahead would count against the limits of every day until then."""


@dataclass(frozen=True, slots=True)
class _PendingWait:
    """A pending job, its last event, and whether its wait was already corrected."""

    job: Job
    last_move: EventName | None
    was_pulled_in: bool


class Waits:
    """Waits that are too long to be right. Each method is one transaction."""

    def __init__(self, database: Database) -> None:
        write, read = database.as_write, database.as_read
        self.read_time = read(read_time)
        self.list_overlong = read(list_overlong)
        self.pull_in_jobs = write(pull_in_jobs, announces=WORK_IF_ANY)
        self.pull_in_heartbeats = write(pull_in_heartbeats, announces=None)
        self.pull_in_hold = write(pull_in_hold, announces=WORK_IF_ANY)


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


def read_time(connection: Connection, ours: datetime) -> datetime:
    """Return the database's time if several machines may share it, else `ours`."""
    return ours if connection.dialect.name == "sqlite" else read_database_time(connection)


def list_overlong(
    connection: Connection, waits: WaitsByInstance, *, now: datetime, limit: int = 20
) -> tuple[OverlongWait, ...]:
    """List the pending jobs of these instances that wait too long, the longest wait first."""
    found = _find_overlong(connection, waits, read_time(connection, now))
    return tuple(
        OverlongWait(wait.job, due, wait.was_pulled_in) for wait, due in list(found)[:limit]
    )


def pull_in_jobs(
    connection: Connection, waits: WaitsByInstance, *, now: datetime
) -> tuple[Job, ...]:
    """Reschedule some of the jobs that wait too long, each once, and return them.

    An empty result means that none is left.
    """
    now = read_time(connection, now)
    pulled = []
    for wait, due in list(_find_overlong(connection, waits, now)):
        if not wait.was_pulled_in:
            pulled.append(_pull_in(connection, wait.job, due, now))
    return tuple(pulled)


def pull_in_heartbeats(connection: Connection, instances: Sequence[str], *, now: datetime) -> None:
    """Correct heartbeats and model calls that are dated in the future.

    Otherwise a dead worker would count as alive, and a limit as reached, until then.
    """
    now = read_time(connection, now)
    alive = update(jobs).where(
        jobs.c.status == PROCESSING, jobs.c.heartbeat_at > now + CLOCK_TOLERANCE
    )
    connection.execute(alive.values(heartbeat_at=now))
    ahead = (model_calls.c.instance.in_(instances), model_calls.c.at > now + _CALLS_AHEAD)
    connection.execute(update(model_calls).where(*ahead).values(at=now))


def pull_in_hold(connection: Connection, hold: Hold, *, now: datetime) -> bool:
    """Make a hold due for a probe now; False if it was corrected before or has changed."""
    unchanged = (
        holds.c.target == hold.target,
        holds.c.lifted_at.is_(None),
        holds.c.next_probe_at == hold.next_probe_at,
        holds.c.pulled_in_at.is_(None),
    )
    pulled = update(holds).where(*unchanged).values(next_probe_at=now, pulled_in_at=now)
    return connection.execute(pulled).rowcount > 0


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
    compares_first = ends and job.ends_as is None and change_moves.write_has_begun(connection, job)
    values: Values = {"worker": None, "heartbeat_at": None, "updated_at": now}
    if compares_first:
        values |= reconcile_values(status, now)
    elif ends:
        change_moves.mark_unconfirmed(connection, job, now)
        values |= {"status": status.value, "recovered": False, "finished_at": now, "ends_as": None}
    else:
        values |= {"status": status.value, "recovered": True, "scheduled_for": now}
    if job.ends_as is None and status is not JobStatus.CANCELLED:
        values["problem"] = problem_row(CRASHED)
    recovered = update_claimed(connection, job, values)
    if ends and not compares_first:
        after_end(connection, recovered, now=now)
    update_document_state(connection, recovered, now=now)
    facts = {
        "status": recovered.status.value,
        "worker": job.worker,
        "attempts": job.attempts,
        **({"ends_as": status.value} if compares_first else {}),
    }
    events.append(connection, recovered, EventName.RECOVERED, at=now, code=CRASHED.code, **facts)
    return recovered


def _pull_in(connection: Connection, job: Job, due: datetime, now: datetime) -> Job:
    moved = (
        update(jobs)
        .where(jobs.c.id == job.id, jobs.c.status == PENDING)
        .values(scheduled_for=due, pulled_in_at=now)
        .returning(jobs)
    )
    pulled = job_of(connection.execute(moved).mappings().one())
    facts = {"planned_for": job.scheduled_for.isoformat(), "scheduled_for": due.isoformat()}
    events.append(connection, pulled, EventName.PULLED_IN, at=now, **facts)
    return pulled


def _find_overlong(
    connection: Connection, waits: WaitsByInstance, now: datetime
) -> Iterator[tuple[_PendingWait, datetime]]:
    """Yield the jobs that wait too long, the longest first, with their correct due times."""
    longest_hold = _read_longest_hold(connection)
    for wait in _list_furthest_ahead(connection, waits, now):
        job, settings = wait.job, waits[wait.job.document.instance]
        longest = longest_wait_of(job, wait.last_move, settings, longest_hold=longest_hold)
        if job.scheduled_for > now + longest + CLOCK_TOLERANCE:
            step = settings.retry_step
            yield wait, due_after_pull_in(wait.last_move, attempts=job.attempts, step=step, now=now)


def _list_furthest_ahead(
    connection: Connection, waits: WaitsByInstance, now: datetime
) -> list[_PendingWait]:
    ahead = (
        select(jobs)
        .where(jobs.c.status == PENDING, jobs.c.scheduled_for > now + CLOCK_TOLERANCE)
        .where(instance_of_job.in_(sorted(waits)))
        # Jobs that were already corrected come last; otherwise they would hide the others forever.
        .order_by(jobs.c.pulled_in_at.is_not(None), jobs.c.scheduled_for.desc())
        .limit(_AT_A_TIME)
    )
    rows = connection.execute(ahead).mappings().all()
    if not rows:
        return []
    last = _read_last_moves(connection, [row["id"] for row in rows])
    return [
        _PendingWait(job_of(row), last.get(row["id"]), row["pulled_in_at"] is not None)
        for row in rows
    ]


def _read_last_moves(connection: Connection, ids: Sequence[int]) -> dict[int, EventName]:
    moves = (
        select(event_rows.c.job_id, event_rows.c.name)
        .where(event_rows.c.job_id.in_(ids), event_rows.c.name.in_(sorted(MOVES_TO_PENDING)))
        .order_by(event_rows.c.id)
    )
    return {job: EventName(name) for job, name in connection.execute(moves)}


def _read_longest_hold(connection: Connection) -> timedelta:
    """Return the maximum time until the next probe of a hold."""
    held = connection.execute(select(holds).where(holds.c.lifted_at.is_(None))).mappings()
    return max((hold_of(row).cause.longest_wait for row in held), default=MAX_WAIT)
