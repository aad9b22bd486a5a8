"""Statistics: how documents were filed, decisions by field, figures of health and instances."""

import json
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from functools import cache
from typing import Any

from sqlalchemy import (
    ColumnElement,
    CompoundSelect,
    Connection,
    Select,
    Text,
    and_,
    bindparam,
    case,
    cast,
    exists,
    func,
    literal,
    literal_column,
    or_,
    select,
    text,
    union_all,
)

from core.analysis import STARTED
from core.changes import ChangeState
from core.fields import Field, field_from_text
from core.holds import HoldKind, kind_of, targets_of
from core.jobs import ANALYZE, APPLY, EventName, JobStatus
from core.scans import KnownInstance, Scan
from store.calls import sum_recent_spending
from store.database import Database
from store.holds import active_targets
from store.queue.claims import count_held_by_instance
from store.rows import instance_of
from store.scans import list_newest_two
from store.tables import (
    DECIDED_BY_PERSON,
    LIVE,
    WAITS,
    changes,
    events,
    instance_of_job,
    instances,
    jobs,
    model_calls,
)

Instances = Sequence[str]
FAILED = "failed"
"""Counted beside the values of FilingOutcome."""

_DOCUMENTS_FOR_MEAN = 50
"""Number of documents for the mean time."""

_COUNTED_STATUSES = (JobStatus.PENDING, JobStatus.PROCESSING, JobStatus.FAILED)
"""Statuses to count; counting finished jobs takes longer the more there are."""

_instance_of_change: ColumnElement[str] = literal_column("(changes.instance || '')")
"""For the bare column SQLite would use an index with all changes of an instance."""


@dataclass(frozen=True, slots=True)
class FailureCause:
    """Why jobs of an instance failed, and how many."""

    code: str
    user_message: str
    hint: str
    jobs: int


class Statistics:
    """Counts over several instances. Each method is one transaction."""

    def __init__(self, database: Database) -> None:
        read = database.as_read
        self.count_for_review = read(count_for_review)
        self.count_by_status = read(count_by_status)
        self.list_failure_causes = read(list_failure_causes)
        self.count_outcomes = read(count_outcomes)
        self.count_decisions = read(count_decisions)
        self.count_partly_filed = read(count_partly_filed)


@dataclass(frozen=True, slots=True)
class FieldDecisions:
    """How many suggestions for a field people accepted unchanged, edited and rejected."""

    accepted: int = 0
    edited: int = 0
    rejected: int = 0

    @property
    def total(self) -> int:
        return self.accepted + self.edited + self.rejected

    @property
    def share_accepted(self) -> float | None:
        """Return the share that was accepted unchanged; None without decisions."""
        return self.accepted / self.total if self.total else None


@dataclass(frozen=True, slots=True)
class ModelUsage:
    """Usage of the ended calls of an instance to a model."""

    instance: str
    model: str
    outcome: str
    calls: int
    tokens_in: int
    tokens_out: int
    took_ms: int
    cost: Decimal


@dataclass(frozen=True, slots=True)
class HealthFigures:
    """Health figures, all read at the same time."""

    waiting: int
    """Pending jobs."""
    failed: tuple[int, ...]
    """Jobs that failed since each of the given times and were not restarted."""
    mean_time: timedelta | None


class HealthStatistics:
    """Counts over all instances, or some. Each method is one transaction."""

    def __init__(self, database: Database) -> None:
        read = database.as_read
        self.count_live_jobs = read(count_live_jobs)
        self.get_health_figures = read(get_health_figures)
        self.get_mean_time = read(get_mean_time)
        self.sum_model_usage = read(sum_model_usage)


@dataclass(frozen=True, slots=True)
class InstanceFigures:
    """The stored figures of one instance."""

    known: KnownInstance | None
    """None before its first start."""
    newest_scan: Scan | None
    last_ended_scan: Scan | None
    stopped_by: frozenset[HoldKind]
    """Why nothing is done, not even a scan; empty if nothing prevents it."""
    held: int
    """Pending jobs that are on hold."""
    for_review: int
    """Documents with changes for review."""
    documents_today: int
    cost_this_month: Decimal
    jobs: Mapping[JobStatus, int] = field(default_factory=dict)
    """Pending, processing and failed jobs."""
    first_due: datetime | None = None
    """When the first of its pending jobs is due; None if there is none, or one is running."""


def count_for_review(connection: Connection, instances: Instances) -> Mapping[str, int]:
    """Return the number of documents with changes for review, by instance."""
    documents = func.count(changes.c.document_id.distinct())
    counted = select(changes.c.instance, documents).where(text(WAITS))
    of_these = counted.where(changes.c.instance.in_(instances)).group_by(changes.c.instance)
    found: dict[str, int] = dict(connection.execute(of_these).all())
    return {name: found.get(name, 0) for name in instances}


def list_failure_causes(connection: Connection, instances: Instances) -> tuple[FailureCause, ...]:
    """Return why jobs failed, the most common cause first."""
    # One whole problem for each cause, parsed here: parsing JSON in SQL takes longer.
    code = jobs.c.problem["code"].as_string()
    example = func.max(cast(jobs.c.problem, Text))
    failed = (jobs.c.instance.in_(instances), jobs.c.status == JobStatus.FAILED.value)
    counted = (
        select(code, example, func.count())
        .where(*failed, jobs.c.problem.is_not(None))
        .group_by(code)
        .order_by(func.count().desc(), code)
    )
    return tuple(
        FailureCause(cause, details.get("user_message", ""), details.get("hint", ""), count)
        for cause, text_, count in connection.execute(counted)
        for details in [json.loads(text_)]
    )


def count_by_status(
    connection: Connection, instances: Instances, *, most: int
) -> Mapping[JobStatus, int]:
    """Return the number of jobs by status; each counted up to `most`."""
    counts = [
        _count_at_most(instance, status, most) for instance in instances for status in JobStatus
    ]
    tally = dict.fromkeys(JobStatus, 0)
    for status, count in connection.execute(union_all(*counts)) if counts else ():
        tally[JobStatus(status)] += count
    return {status: min(count, most) for status, count in tally.items()}


def count_outcomes(
    connection: Connection, instances: Sequence[str], begins: Sequence[datetime]
) -> tuple[Mapping[str, int], ...]:
    """Return the number of documents by outcome, or failed, for each time span.

    `begins` are the starts of the spans and, last, the end of the last one. Documents for review
    are counted when a person has decided about them.
    """
    spans = len(begins) - 1
    counts: tuple[Counter[str], ...] = tuple(Counter() for _ in range(spans))
    moments = {f"begin{number}": moment for number, moment in enumerate(begins)}
    for instance, span, outcome, count in connection.execute(_build_outcomes_query(spans), moments):
        if instance in instances:
            counts[span][outcome] += count
    return counts


def count_partly_filed(connection: Connection, instances: Sequence[str]) -> int:
    """Return the number of documents for review that are partly written by the same analysis."""
    written = changes.alias("written")
    of_it = (
        written.c.instance == changes.c.instance,
        written.c.document_id == changes.c.document_id,
        written.c.job_id == changes.c.job_id,
        written.c.state == ChangeState.APPLIED.value,
    )
    waiting = select(changes.c.instance, changes.c.document_id).distinct()
    partly = waiting.where(text(f"changes.{WAITS}"), changes.c.instance.in_(instances))
    found = partly.where(exists().where(*of_it)).subquery()
    return connection.scalar(select(func.count()).select_from(found)) or 0


def count_decisions(
    connection: Connection, instances: Sequence[str], begins: Sequence[datetime]
) -> tuple[Mapping[Field, FieldDecisions], ...]:
    """Return what people decided about suggestions, by field, for each time span.

    `begins` are as for `count_outcomes`. What a person added is no suggestion and is left out.
    """
    spans = len(begins) - 1
    is_rejected = changes.c.state == ChangeState.REJECTED.value
    decided_at = changes.c.settled_at
    by = (_span_of(decided_at, spans), changes.c.field, is_rejected, changes.c.is_edited)
    counted = (
        select(*by, func.count())
        .where(decided_at >= bindparam("begin0"), decided_at < bindparam(f"begin{spans}"))
        .where(text(DECIDED_BY_PERSON), _instance_of_change.in_(instances))
        .where(or_(is_rejected, changes.c.is_edited.is_not(None)))
        .group_by(*by)
    )
    moments = {f"begin{number}": moment for number, moment in enumerate(begins)}
    found: tuple[dict[str, Counter[str]], ...] = tuple({} for _ in range(spans))
    for span, name, rejected, edited, count in connection.execute(counted, moments):
        decision = "rejected" if rejected else "edited" if edited else "accepted"
        found[span].setdefault(name, Counter())[decision] += count
    return tuple(
        {field_from_text(name): FieldDecisions(**tally) for name, tally in fields.items()}
        for fields in found
    )


def count_live_jobs(connection: Connection) -> Mapping[str, Mapping[JobStatus, int]]:
    """Return the number of live jobs, by instance and status."""
    by = (instance_of_job, jobs.c.status)
    counted = select(*by, func.count()).where(text(LIVE)).group_by(*by)
    found: defaultdict[str, dict[JobStatus, int]] = defaultdict(dict)
    for instance, status, count in connection.execute(counted):
        found[instance][JobStatus(status)] = count
    return dict(found)


def get_health_figures(
    connection: Connection,
    *,
    failed_since: Sequence[datetime],
    instances: Collection[str] | None = None,
) -> HealthFigures:
    """Return the queue's length, the failures since each of these times, and the mean time."""
    waiting = {
        name: counts.get(JobStatus.PENDING, 0)
        for name, counts in count_live_jobs(connection).items()
    }
    return HealthFigures(
        waiting=sum(waiting[name] for name in waiting if instances is None or name in instances),
        failed=tuple(count_failed(connection, since, instances) for since in failed_since),
        mean_time=get_mean_time(connection, instances),
    )


def count_failed(
    connection: Connection, since: datetime, instances: Collection[str] | None = None
) -> int:
    conditions = (jobs.c.finished_at >= since, jobs.c.status == JobStatus.FAILED.value)
    counted = select(func.count()).select_from(jobs).where(*conditions)
    if instances is not None:
        counted = counted.where(instance_of_job.in_(instances))
    return connection.scalar(counted) or 0


def get_mean_time(
    connection: Connection, instances: Collection[str] | None = None
) -> timedelta | None:
    """Return the mean time of the latest analyses from claim to end; None if there are none.

    Without `instances` the analyses of all instances are included.
    """
    given = {} if instances is None else {"instances": list(instances)}
    rows = connection.execute(_build_mean_time_query(of_some=instances is not None), given).all()
    took = [finished - begun for finished, begun in rows]
    return sum(took, timedelta()) / len(took) if took else None


def sum_model_usage(connection: Connection, *, since: datetime) -> tuple[ModelUsage, ...]:
    """Return the usage of ended calls that began at `since` or later, by instance and model."""
    calls = model_calls.c
    by = (calls.instance, calls.model, calls.outcome)
    summed = (calls.tokens_in, calls.tokens_out, calls.took_ms, calls.cost)
    sums = (func.sum(column) for column in summed)
    # Running calls are left out: they have estimates, and a counter must not go down.
    ended = (calls.at >= since, calls.outcome != STARTED)
    added_up = select(*by, func.count(), *sums).where(*ended).group_by(*by).order_by(*by)
    return tuple(ModelUsage(*row) for row in connection.execute(added_up))


def get_figures(
    connection: Connection, names: Sequence[str], *, day: datetime, month: datetime
) -> Mapping[str, InstanceFigures]:
    """Return the figures of these instances, with the same number of queries for any number.

    Documents are counted since `day`, costs since `month`.
    """
    found = connection.execute(select(instances).where(instances.c.name.in_(names))).mappings()
    known = {row["name"]: instance_of(row) for row in found}
    scans = list_newest_two(connection, names)
    counted = _count_jobs(connection, names)
    held = count_held_by_instance(connection, names)
    waiting = count_for_review(connection, names)
    held_targets = frozenset(active_targets(connection))
    documents, costs = sum_recent_spending(connection, names, day, month)
    first_due = _find_first_due(connection, [name for name in names if _is_waiting(counted, name)])
    return {
        name: InstanceFigures(
            known=known.get(name),
            newest_scan=next((scan for scan in scans if scan.instance == name), None),
            last_ended_scan=next(
                (scan for scan in scans if scan.instance == name and scan.finished_at), None
            ),
            stopped_by=frozenset(map(kind_of, held_targets & targets_of(name).all_jobs)),
            held=held.get(name, 0),
            for_review=waiting[name],
            documents_today=documents.get(name, 0),
            cost_this_month=costs.get(name, Decimal(0)),
            jobs={status: counted.get((name, status), 0) for status in _COUNTED_STATUSES},
            first_due=first_due.get(name),
        )
        for name in names
    }


def _count_at_most(instance: str, status: JobStatus, most: int) -> Select[*tuple[Any, ...]]:
    of_it = (jobs.c.instance == instance, jobs.c.status == status.value)
    first = select(jobs.c.id).where(*of_it).limit(most).subquery()
    return select(literal(status.value), func.count()).select_from(first)


@cache
def _build_outcomes_query(spans: int) -> CompoundSelect[*tuple[Any, ...]]:
    """Build the query; building it takes longer than running it."""
    return union_all(*(_select_outcomes(number) for number in range(spans)))


def _select_outcomes(number: int) -> Select[*tuple[Any, ...]]:
    """Build the query for one span: of all instances, so that SQLite reads one index in order."""
    is_failed = jobs.c.status == JobStatus.FAILED.value
    is_filed = and_(jobs.c.status == JobStatus.COMPLETED.value, jobs.c.outcome.is_not(None))
    outcome: ColumnElement[str] = case((is_failed, FAILED), else_=jobs.c.outcome)
    by = (jobs.c.instance, outcome)
    return (
        select(jobs.c.instance, literal(number), outcome, func.count(jobs.c.document_id.distinct()))
        .where(jobs.c.finished_at >= bindparam(f"begin{number}"))
        .where(jobs.c.finished_at < bindparam(f"begin{number + 1}"))
        .where(jobs.c.kind.in_([ANALYZE, APPLY]), or_(is_failed, is_filed))
        .group_by(*by)
    )


def _span_of(moment: ColumnElement[datetime], spans: int) -> ColumnElement[int]:
    return case(*((moment < bindparam(f"begin{number + 1}"), number) for number in range(spans)))


@cache
def _build_mean_time_query(*, of_some: bool) -> Select[*tuple[Any, ...]]:
    """Build the query for when the latest analyses ended and were last claimed."""
    ended = (jobs.c.status == JobStatus.COMPLETED.value, jobs.c.kind == ANALYZE)
    latest = select(jobs.c.id, jobs.c.finished_at).where(*ended, jobs.c.finished_at.is_not(None))
    if of_some:
        latest = latest.where(instance_of_job.in_(bindparam("instances", expanding=True)))
    newest = latest.order_by(jobs.c.finished_at.desc()).limit(_DOCUMENTS_FOR_MEAN).subquery()
    # For the bare name SQLite may read the claims of all jobs.
    name: ColumnElement[str] = literal_column("(events.name || '')")
    claim = (events.c.job_id == newest.c.id) & (name == EventName.CLAIMED.value)
    claimed = (
        select(newest.c.finished_at, func.max(events.c.at)).select_from(newest).join(events, claim)
    )
    return claimed.group_by(newest.c.id, newest.c.finished_at)


def _is_waiting(counted: Mapping[tuple[str, JobStatus], int], name: str) -> bool:
    """Return whether an instance has pending jobs and none that is running."""
    is_running = (name, JobStatus.PROCESSING) in counted
    return (name, JobStatus.PENDING) in counted and not is_running


def _find_first_due(connection: Connection, names: Sequence[str]) -> Mapping[str, datetime]:
    if not names:
        return {}
    pending = (jobs.c.instance.in_(names), jobs.c.status == JobStatus.PENDING.value)
    first = select(jobs.c.instance, func.min(jobs.c.scheduled_for)).where(*pending)
    return dict(connection.execute(first.group_by(jobs.c.instance)).all())


def _count_jobs(
    connection: Connection, names: Sequence[str]
) -> Mapping[tuple[str, JobStatus], int]:
    by = (jobs.c.instance, jobs.c.status)
    statuses = [status.value for status in _COUNTED_STATUSES]
    counted = select(*by, func.count()).where(
        jobs.c.instance.in_(names), jobs.c.status.in_(statuses)
    )
    found = connection.execute(counted.group_by(*by))
    return {(name, JobStatus(status)): count for name, status, count in found}
