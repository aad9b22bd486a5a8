"""Find the jobs that are due and not on hold, claim them, and report their progress.

Only the holder of the current claim may change a job. The conditions about holds express
`core.holds.targets_of` in SQL; a test compares the two. Statements that every job needs are built
once, because building takes longer than running them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from uuid import uuid4

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    Connection,
    Exists,
    Integer,
    Select,
    String,
    Subquery,
    Update,
    and_,
    bindparam,
    case,
    exists,
    false,
    func,
    literal_column,
    not_,
    null,
    or_,
    select,
    text,
    true,
    union_all,
    update,
)

from core.holds import PAUSE_ALL, HoldKind
from core.jobs import (
    EVERYTHING,
    MODEL_KINDS,
    CallProgress,
    EventName,
    Job,
    JobStatus,
    Priority,
    Scope,
    Stage,
)
from store.engine import Step, execute_move, execute_move_with_event
from store.errors import ClaimLost
from store.holds import active_targets
from store.queue import events
from store.rows import (
    CANCEL,
    JOB_COLUMNS,
    MUTABLE_JOB_FIELDS,
    Values,
    job_of,
    model_call_row,
    mutable_job_fields_of,
)
from store.tables import (
    BEGUN,
    PENDING,
    PROCESSING,
    UNSETTLED,
    changes,
    holds,
    instances,
    jobs,
)

_STILL_OURS = and_(
    jobs.c.id == bindparam("our_job"),
    jobs.c.status == PROCESSING,
    jobs.c.claim == bindparam("our_claim"),
)
_READ = select(jobs).where(_STILL_OURS).with_for_update()

_USES_MODEL = and_(
    jobs.c.kind.in_(literal_column(f"'{kind}'") for kind in sorted(MODEL_KINDS)),
    # A job that only checks its begun changes does not call a model.
    jobs.c.ends_as.is_(None),
)
_HAS_BEGUN = jobs.c.id.in_(
    select(changes.c.writer_job_id).where(
        text(f"({BEGUN})"), text(UNSETTLED), changes.c.writer_job_id.is_not(None)
    )
)
"""True for a job that sent a write with an unknown effect: it must read the document first."""

# Literals, because every parameter takes time at each claim. A limit must be a parameter: for a
# literal SQLite sorts the queue instead of using the index that has its order.
_ZERO, _ONE = literal_column("0", Integer), literal_column("1", Integer)
_IS_BACKLOG = jobs.c.priority <= literal_column(str(int(Priority.BACKLOG)), Integer)
_NEXT_RATE_END = select(func.min(holds.c.next_probe_at)).where(
    holds.c.lifted_at.is_(None),
    holds.c.target.startswith(HoldKind.RATE.prefix),
    holds.c.next_probe_at > bindparam("moment"),
)

StatementKey = tuple[int | None, frozenset[int] | None, frozenset[str] | None]
"""Number of instances, ids of jobs, kinds; None means any."""


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
    trace = trace or uuid4().hex
    given = {"claimant": worker, "now": now, "new_trace": trace, **instance_parameters(scope)}
    written = _claimed_values(worker, trace, now)
    move, event = _build_claim(*statement_key(scope)), events.build_claim_event(now, written)
    columns = _columns_to_read(tuple(written))
    row = execute_move_with_event(connection, move, columns, given, event)
    return None if row is None else job_of({**row, **written})


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
    return replace(job, **mutable_job_fields_of({**row, **values}))


@lru_cache(maxsize=16)
def _build_claim(
    instances: int | None, numbers: frozenset[int] | None, kinds: frozenset[str] | None
) -> Update:
    """Build the statement that claims a job; `claim.sql` shows its SQL.

    It is one statement, so that no other worker can claim the job between choice and claim. It is
    cached, because building it takes longer than running it.
    """
    first = first_of(
        [
            first_job.where(~document_is_processing()).with_for_update(skip_locked=True)
            for first_job in select_first_jobs(instances, numbers, kinds)
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
            claim=jobs.c.claim + _ONE,
            # Attempts that only check begun changes are counted separately.
            attempts=jobs.c.attempts + case((is_ending, _ZERO), else_=_ONE),
            reconciles=jobs.c.reconciles + case((is_ending, _ONE), else_=_ZERO),
            stage=null(),
            progress=_ZERO,
            model_call=null(),
            worker=bindparam("claimant"),
            trace=bindparam("new_trace"),
            heartbeat_at=bindparam("now"),
            started_at=bindparam("now"),
            updated_at=bindparam("now"),
            **{name: case((is_ending, jobs.c[name]), else_=None) for name in CANCEL},
        )
    )


def _claimed_values(worker: str, trace: str, now: datetime) -> Values:
    """Return the values of the columns that a claim writes and that need not be read back."""
    return {
        "status": JobStatus.PROCESSING.value,
        "stage": None,
        "progress": 0,
        "model_call": None,
        "worker": worker,
        "trace": trace,
        "heartbeat_at": now,
        "started_at": now,
        "updated_at": now,
    }


@lru_cache(maxsize=1)
def _columns_to_read(written: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(sorted(JOB_COLUMNS.difference(written)))


@lru_cache(maxsize=64)
def _build_update(columns: tuple[str, ...]) -> Update:
    given: dict[str, BindParameter[object]] = {name: bindparam(name) for name in columns}
    changed = update(jobs).where(_STILL_OURS).values(given)
    # What was just written need not be read. PostgreSQL's driver needs a microsecond per column.
    read = (jobs.c[name] for name in MUTABLE_JOB_FIELDS if name not in columns)
    return changed.returning(*read)


def _claim_parameters(job: Job) -> Values:
    return {"our_job": job.id, "our_claim": job.claim}


@dataclass(frozen=True, slots=True)
class HeldInstances:
    """The instances on hold: for all jobs, or only for jobs that call a model."""

    all_jobs: tuple[str, ...] = ()
    model_jobs: tuple[str, ...] = ()
    backlog_jobs: tuple[str, ...] = ()
    everything: bool = False

    def is_held(self) -> ColumnElement[bool]:
        """Build the condition that a job is on hold."""
        conditions: list[ColumnElement[bool]] = [true() if self.everything else false()]
        if self.all_jobs:
            conditions.append(jobs.c.instance.in_(self.all_jobs))
        if self.model_jobs:
            without_model = jobs.c.instance.in_(self.model_jobs)
            conditions.append(and_(_USES_MODEL, without_model, ~_HAS_BEGUN))
        if self.backlog_jobs:
            without_backlog = and_(jobs.c.instance.in_(self.backlog_jobs), _IS_BACKLOG)
            conditions.append(and_(_USES_MODEL, without_backlog, ~_HAS_BEGUN))
        return or_(*conditions)

    def is_not_held(self) -> ColumnElement[bool]:
        """Build the condition that a job is not on hold."""
        return not_(self.is_held())


def count_held(connection: Connection, instance: str) -> int:
    """Return the number of an instance's pending jobs that are on hold."""
    return count_held_by_instance(connection, [instance]).get(instance, 0)


def count_held_by_instance(connection: Connection, instances: Sequence[str]) -> Mapping[str, int]:
    """Return the number of pending jobs on hold by instance; instances without any are left out."""
    waiting = (jobs.c.status == PENDING, jobs.c.instance.in_(instances))
    on_hold = read_held_instances(connection).is_held()
    counted = select(jobs.c.instance, func.count()).where(*waiting, on_hold)
    return dict(connection.execute(counted.group_by(jobs.c.instance)).all())


def read_held_instances(connection: Connection) -> HeldInstances:
    """Read the active holds once; there are hardly ever any."""
    targets = active_targets(connection)
    endpoints = [
        *_target_subjects(targets, HoldKind.MODEL),
        *_target_subjects(targets, HoldKind.RATE),
    ]
    using = select(instances.c.name).where(instances.c.endpoint.in_(endpoints))
    users = connection.scalars(using).all() if endpoints else []
    return HeldInstances(
        all_jobs=(
            *_target_subjects(targets, HoldKind.PAPERLESS),
            *_target_subjects(targets, HoldKind.PAUSE),
            *_target_subjects(targets, HoldKind.ADDRESS),
        ),
        model_jobs=(
            *users,
            *_target_subjects(targets, HoldKind.LIMIT),
            *_target_subjects(targets, HoldKind.HOURS),
        ),
        backlog_jobs=tuple(_target_subjects(targets, HoldKind.BACKLOG)),
        everything=PAUSE_ALL in targets,
    )


def is_not_held_now(instance: ColumnElement[str]) -> ColumnElement[bool]:
    """Build the condition that a job of `instance` is not on hold when the statement runs.

    A rate ends exactly at its time, whenever its hold is lifted: it lasts seconds only.
    """
    paused, unreachable = _target(HoldKind.PAUSE, instance), _target(HoldKind.PAPERLESS, instance)
    moved = _target(HoldKind.ADDRESS, instance)
    stopped = _is_on_hold(_literal(PAUSE_ALL), paused, unreachable, moved)
    limited = _is_on_hold(_target(HoldKind.LIMIT, instance), _target(HoldKind.HOURS, instance))
    backlog_waits = and_(_IS_BACKLOG, _is_on_hold(_target(HoldKind.BACKLOG, instance)))
    endpoint_on_hold = exists().where(
        holds.c.lifted_at.is_(None),
        or_(
            holds.c.target == _target(HoldKind.MODEL, instances.c.endpoint),
            and_(
                holds.c.target == _target(HoldKind.RATE, instances.c.endpoint),
                or_(holds.c.next_probe_at.is_(None), holds.c.next_probe_at > bindparam("now")),
            ),
        ),
        instances.c.name == instance,
    )
    cannot_use_model = or_(limited, backlog_waits, endpoint_on_hold)
    return and_(~stopped, or_(~_USES_MODEL, ~cannot_use_model, _HAS_BEGUN))


def is_anything_due(connection: Connection, scope: Scope = EVERYTHING, *, now: datetime) -> bool:
    """Return whether a job in `scope` is being processed or can be as soon as a worker is free.

    This includes a job that waits for another job of its document. It is called about three times a
    second, so its cost does not depend on the length of the queue.
    """
    if scope.instances == ():
        return False
    asked = {"now": now, **instance_parameters(scope)}
    return bool(connection.scalar(_build_due_query(*statement_key(scope)), asked))


def next_due_after(connection: Connection, moment: datetime) -> datetime | None:
    """Return when the next job becomes due, or a rate ends, after `moment`; None if neither does.

    Jobs that were already due then are left out: the caller could not claim them.
    """
    free = (~document_is_processing(), read_held_instances(connection).is_not_held())
    later = select(jobs.c.scheduled_for).where(
        jobs.c.status == PENDING, jobs.c.scheduled_for > moment, *free
    )
    due = connection.scalar(later.order_by(jobs.c.scheduled_for).limit(1))
    ends = connection.scalar(_NEXT_RATE_END, {"moment": moment})
    return min((at for at in (due, ends) if at is not None), default=None)


def statement_key(scope: Scope) -> StatementKey:
    """Return what the SQL for a scope depends on: the number of instances, not their names."""
    count = None if scope.instances is None else len(scope.instances)
    return count, scope.jobs, scope.kinds


def instance_parameters(scope: Scope) -> Values:
    """Return the values of the parameters that stand for the names of instances."""
    return {_parameter(number): name for number, name in enumerate(scope.instances or ())}


def select_first_jobs(
    instances: int | None, numbers: frozenset[int] | None, kinds: frozenset[str] | None
) -> list[Select[int, bool, int]]:
    """Build the query for the first due job that is not on hold.

    It is one query for each instance, so that each reads a single entry of an index, however long
    the queue of another instance is. With `instances` None it is one query for all of them.
    """
    # States are literals, because a partial index is not used for a bound value.
    due = [jobs.c.status == PENDING, jobs.c.scheduled_for <= bindparam("now")]
    due += _matching_jobs(numbers, kinds)
    if instances is None:
        conditions = [[*due, is_not_held_now(jobs.c.instance)]]
    else:
        conditions = [
            [*due, jobs.c.instance == name, is_not_held_now(name)]
            for name in _instance_bindparams(instances)
        ]
    columns = (jobs.c.id, jobs.c.recovered, jobs.c.priority)
    order = (jobs.c.priority.desc(), jobs.c.id)
    return [select(*columns).where(*where).order_by(*order).limit(1) for where in conditions]


def first_of(first_jobs: Sequence[Select[int, bool, int]]) -> Subquery:
    """Build the query for the first of these jobs; among equals the first instance wins."""
    if len(first_jobs) == 1:
        return first_jobs[0].subquery("first")
    turns = [
        select(job.subquery(), literal_column(str(turn), Integer).label("turn"))
        for turn, job in enumerate(first_jobs)
    ]
    firsts = union_all(*turns).subquery()
    ordered = select(firsts).order_by(firsts.c.priority.desc(), firsts.c.turn)
    return ordered.limit(1).subquery("first")


def document_is_processing() -> ColumnElement[bool]:
    """Build the condition that another job of the job's document is being processed."""
    other = jobs.alias("other")
    return exists().where(
        other.c.status == PROCESSING,
        other.c.instance == jobs.c.instance,
        other.c.document_id == jobs.c.document_id,
    )


def _target_subjects(targets: Sequence[str], kind: HoldKind) -> list[str]:
    """Return the subjects of all targets of a kind: target names without the prefix of the kind."""
    prefix = kind.prefix
    return [target.removeprefix(prefix) for target in targets if target.startswith(prefix)]


def _is_on_hold(*targets: ColumnElement[str]) -> Exists:
    return exists().where(holds.c.target.in_(targets), holds.c.lifted_at.is_(None))


def _target(kind: HoldKind, subject: ColumnElement[str]) -> ColumnElement[str]:
    return _literal(kind.prefix) + subject


def _literal(constant: str) -> ColumnElement[str]:
    # A literal, so that the claim needs fewer parameters.
    return literal_column(f"'{constant}'", String)


@lru_cache(maxsize=16)
def _build_due_query(
    instances: int | None, numbers: frozenset[int] | None, kinds: frozenset[str] | None
) -> Select[bool]:
    """Build the query of `is_anything_due`; building it takes longer than running it."""
    in_scope = _matching_jobs(numbers, kinds)
    if instances is not None:
        in_scope.append(jobs.c.instance.in_(_instance_bindparams(instances)))
    processing = exists().where(jobs.c.status == PROCESSING, *in_scope)
    waiting = first_of(select_first_jobs(instances, numbers, kinds))
    return select(or_(processing, exists().select_from(waiting)))


def _matching_jobs(
    numbers: frozenset[int] | None, kinds: frozenset[str] | None
) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = []
    if numbers is not None:
        conditions.append(jobs.c.id.in_(sorted(numbers)))
    if kinds is not None:
        conditions.append(jobs.c.kind.in_(sorted(kinds)))
    return conditions


def _instance_bindparams(instances: int) -> list[BindParameter[str]]:
    return [bindparam(_parameter(number), type_=String) for number in range(instances)]


def _parameter(number: int) -> str:
    return f"instance_{number}"
