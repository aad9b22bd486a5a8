"""Queries about jobs: lists for pages, counts, and the outcome of each."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from decimal import Decimal
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    func,
    literal,
    literal_column,
    or_,
    select,
    text,
    tuple_,
    union_all,
)

from core.changes import ChangeState
from core.documents import DocumentRef
from core.jobs import ANALYZE, APPLY, DRY_RUN, MODEL_KINDS, Job, JobStatus, Stage
from store.changes.plans import planned_suggestions
from store.document_search import filter_instances, ids_of_heads
from store.rows import job_of
from store.tables import LIVE, PROCESSING, cause, changes, instance_of_job, jobs, model_calls

_scan_of_job: ColumnElement[int | None] = literal_column("(jobs.scan_id + 0)")
"""For the bare column SQLite would read all jobs that ever belonged to a scan."""


@dataclass(frozen=True, slots=True)
class JobFilter:
    """Which jobs to list; None means any."""

    status: JobStatus | None = None
    instance: str | None = None
    kind: str | None = None
    document: DocumentRef | None = None
    scan_id: int | None = None
    cause: str | None = None
    """Code of the problem that the job ended with."""
    instances: frozenset[str] | None = None
    """Only jobs of these instances."""
    before_id: int | None = None
    """Only jobs with a smaller id: the next page after this job."""
    documents: frozenset[DocumentRef] | None = None
    """Only jobs of these documents; not meant for thousands."""
    created_since: datetime | None = None
    """Created at this time or later."""
    created_until: datetime | None = None
    """Created before this time."""
    first_id: int | None = None
    """Only jobs with this id or a greater one."""
    only_runs: bool = False
    """Without completed jobs that wrote a decision: the analysis shows what was written."""


ANY_JOB = JobFilter()


@dataclass(frozen=True, slots=True)
class RunFacts:
    """What came of one job."""

    states: Mapping[ChangeState, int] = field(default_factory=dict)
    """Number of its changes by state; for a job that wrote a decision, those that it wrote."""
    model: str = ""
    """The model that was called; "" if none was."""
    cost: Decimal = Decimal(0)
    would_write: int = 0
    """Suggestions that a dry run would write; 0 for other jobs."""
    would_review: int = 0
    """Suggestions that a dry run would leave for review."""


def list_newest(
    connection: Connection, wanted: JobFilter = ANY_JOB, limit: int = 100
) -> tuple[Job, ...]:
    """List jobs, newest first."""
    wanted = _with_ids(connection, wanted)
    if wanted.document is None and wanted.documents is None and wanted.scan_id is None:
        heads = ids_of_heads(_heads(connection, wanted, limit))
        if heads is None:
            return ()
        found = select(jobs).where(jobs.c.id.in_(select(heads.c.id)))
    else:
        found = select(jobs).where(*_conditions(wanted))
    newest = found.order_by(jobs.c.id.desc()).limit(limit)
    return tuple(job_of(row) for row in connection.execute(newest).mappings())


def list_by_ids(connection: Connection, ids: Sequence[int]) -> tuple[Job, ...]:
    """Return these jobs, oldest first, without ids that do not exist; not meant for thousands."""
    found = select(jobs).where(jobs.c.id.in_(ids)).order_by(jobs.c.id)
    return tuple(job_of(row) for row in connection.execute(found).mappings())


def list_processing(connection: Connection, traces: Collection[str]) -> tuple[Job, ...]:
    """Return the jobs that are being processed in one of these attempts, oldest first."""
    found = select(jobs).where(jobs.c.status == PROCESSING, jobs.c.trace.in_(sorted(traces)))
    rows = connection.execute(found).mappings().all()
    # Sorted here: an ORDER BY would make SQLite scan the whole table by id.
    return tuple(sorted(map(job_of, rows), key=lambda job: job.id))


def list_asking_model(connection: Connection) -> tuple[Job, ...]:
    """Return the jobs that are in the stage in which the model is asked."""
    in_stage = (jobs.c.status == PROCESSING, jobs.c.stage == Stage.ANALYZE.value)
    return tuple(
        job_of(row) for row in connection.execute(select(jobs).where(*in_stage)).mappings()
    )


def find_newest_analysis(connection: Connection, document: DocumentRef) -> int | None:
    """Return the id of the newest analysis of a document; None if there was none."""
    of_it = _conditions(JobFilter(document=document, kind=ANALYZE))
    newest: int | None = connection.scalar(select(func.max(jobs.c.id)).where(*of_it))
    return newest


def has_live_job(connection: Connection, document: DocumentRef) -> bool:
    """Return whether a job of the document is pending or being processed."""
    of_it = _conditions(JobFilter(document=document))
    live = select(jobs.c.id).where(*of_it, text(LIVE)).limit(1)
    return connection.execute(live).first() is not None


def count_for_scan(connection: Connection, scan_id: int) -> Mapping[JobStatus, int]:
    """Return the number of jobs that a scan enqueued, by status; every status is included."""
    return _count_by_status(connection, jobs.c.scan_id == scan_id)


def count_by_status(connection: Connection, instance: str | None = None) -> Mapping[JobStatus, int]:
    """Return the number of jobs of an instance, or of all instances, by status."""
    return _count_by_status(
        connection, *([] if instance is None else [jobs.c.instance == instance])
    )


def count_for_scans(
    connection: Connection, scan_ids: Sequence[int], *, most: int
) -> Mapping[int, Mapping[JobStatus, int]]:
    """Return the number of jobs of each scan by status; a status without jobs is left out.

    Only the newest `most` jobs of each scan are counted: they are processed last.
    """
    found: dict[int, dict[JobStatus, int]] = {scan_id: {} for scan_id in scan_ids}
    counts = [_newest_by_status(scan_id, most) for scan_id in scan_ids]
    for scan_id, status, count in connection.execute(union_all(*counts)) if counts else ():
        found[scan_id][JobStatus(status)] = count
    return found


def count_live_jobs_by_scan(connection: Connection, instances: Sequence[str]) -> Mapping[int, int]:
    """Return the number of pending and running jobs of each scan that has any."""
    counted = (
        select(_scan_of_job, func.count())
        .select_from(jobs)
        .where(text(LIVE), instance_of_job.in_(instances))
        .group_by(_scan_of_job)
    )
    found = connection.execute(counted).all()
    return {scan_id: count for scan_id, count in found if scan_id is not None}


def count_finished_jobs(connection: Connection, instance: str, *, since: datetime) -> int:
    """Return the number of documents of an instance whose analysis ended since a time."""
    counted = (
        select(func.count())
        .select_from(jobs)
        .where(jobs.c.finished_at >= since, jobs.c.kind.in_(sorted(MODEL_KINDS)))
        .where(instance_of_job == instance)
    )
    return connection.scalar(counted) or 0


def list_run_facts(connection: Connection, job_ids: Sequence[int]) -> Mapping[int, RunFacts]:
    """Return what came of each of these jobs; not meant for thousands."""
    if not job_ids:
        return {}
    states = _count_states(connection, job_ids)
    calls = _sum_calls(connection, job_ids)
    tried = _count_tried(connection, job_ids)
    return {
        job_id: RunFacts(
            states.get(job_id, {}),
            *calls.get(job_id, ("", Decimal(0))),
            would_write=tried.get((job_id, False), 0),
            would_review=tried.get((job_id, True), 0),
        )
        for job_id in job_ids
    }


def _with_ids(connection: Connection, wanted: JobFilter) -> JobFilter:
    """Return the filter with ids in the place of times: jobs are created in the order of ids."""
    if wanted.created_since is None and wanted.created_until is None:
        return wanted
    first, before = wanted.first_id, wanted.before_id
    if wanted.created_since is not None:
        first = _find_first_id(connection, wanted.created_since)
    if wanted.created_until is not None:
        end = _find_first_id(connection, wanted.created_until)
        before = end if before is None else min(before, end)
    return replace(wanted, first_id=first, before_id=before, created_since=None, created_until=None)


def _find_first_id(connection: Connection, since: datetime) -> int:
    """Return the id of the first job that was created at a time or later.

    A binary search: reading a job by its id is cheap, and an index on the time would cost every
    write.
    """
    low, high = 0, (connection.scalar(select(func.max(jobs.c.id))) or 0) + 1
    columns = (jobs.c.id, jobs.c.created_at)
    while low < high:
        middle = (low + high) // 2
        found = select(*columns).where(jobs.c.id >= middle).order_by(jobs.c.id).limit(1)
        job_id, created_at = connection.execute(found).one_or_none() or (high, since)
        if created_at >= since:
            high = middle
        else:
            low = job_id + 1
    return low


def _heads(connection: Connection, wanted: JobFilter, limit: int) -> Iterator[Select[tuple[int]]]:
    """Build a query for the newest of each instance and status: each reads an index in order."""
    only = None if wanted.instance is None else {wanted.instance}
    statuses = tuple(JobStatus) if wanted.status is None else (wanted.status,)
    for instance in filter_instances(connection, jobs, only, wanted.instances):
        for status in statuses:
            head = replace(wanted, instance=instance, status=status, instances=None)
            newest = select(jobs.c.id).where(*_conditions(head)).order_by(jobs.c.id.desc())
            yield newest.limit(limit)


def _newest_by_status(scan_id: int, most: int) -> Select[*tuple[Any, ...]]:
    newest = select(jobs.c.status).where(jobs.c.scan_id == scan_id).order_by(jobs.c.id.desc())
    limited = newest.limit(most).subquery()
    return select(literal(scan_id), limited.c.status, func.count()).group_by(limited.c.status)


def _count_by_status(
    connection: Connection, *conditions: ColumnElement[bool]
) -> Mapping[JobStatus, int]:
    counted = select(jobs.c.status, func.count()).where(*conditions).group_by(jobs.c.status)
    found: dict[str, int] = dict(connection.execute(counted).all())
    return {status: found.get(status.value, 0) for status in JobStatus}


def _conditions(wanted: JobFilter) -> Iterator[ColumnElement[bool]]:
    if wanted.status is not None:
        yield jobs.c.status == wanted.status.value
    yield from _of_instances(wanted)
    if wanted.cause is not None:
        yield cause == wanted.cause
    if wanted.kind is not None:
        yield jobs.c.kind == wanted.kind
    yield from _of_documents(wanted)
    if wanted.scan_id is not None:
        yield jobs.c.scan_id == wanted.scan_id
    if wanted.before_id is not None:
        yield jobs.c.id < wanted.before_id
    if wanted.first_id is not None:
        yield jobs.c.id >= wanted.first_id
    if wanted.only_runs:
        yield or_(jobs.c.kind != APPLY, jobs.c.status != JobStatus.COMPLETED.value)


def _of_instances(wanted: JobFilter) -> Iterator[ColumnElement[bool]]:
    if wanted.instance is not None:
        yield jobs.c.instance == wanted.instance
    if wanted.instances is not None:
        yield jobs.c.instance.in_(wanted.instances)


def _of_documents(wanted: JobFilter) -> Iterator[ColumnElement[bool]]:
    if wanted.document is not None:
        yield jobs.c.instance == wanted.document.instance
        yield jobs.c.document_id == wanted.document.id
    if wanted.documents is not None:
        refs = [(ref.instance, ref.id) for ref in wanted.documents]
        yield tuple_(jobs.c.instance, jobs.c.document_id).in_(refs)


def _count_states(
    connection: Connection, job_ids: Sequence[int]
) -> Mapping[int, Mapping[ChangeState, int]]:
    counted = (
        select(column, changes.c.state, func.count())
        .where(column.in_(job_ids))
        .group_by(column, changes.c.state)
        for column in (changes.c.job_id, changes.c.apply_job_id)
    )
    found: dict[int, dict[ChangeState, int]] = {}
    for job_id, state, count in connection.execute(union_all(*counted)):
        found.setdefault(job_id, {})[ChangeState(state)] = count
    return found


def _sum_calls(connection: Connection, job_ids: Sequence[int]) -> Mapping[int, tuple[str, Decimal]]:
    calls = model_calls.c
    summed = (
        select(calls.job_id, func.max(calls.model), func.sum(calls.cost))
        .where(calls.job_id.in_(job_ids))
        .group_by(calls.job_id)
    )
    return {job_id: (model, cost) for job_id, model, cost in connection.execute(summed)}


def _count_tried(connection: Connection, job_ids: Sequence[int]) -> Mapping[tuple[int, bool], int]:
    """Count the suggestions of dry runs by job, and by whether they would be for review."""
    planned = planned_suggestions.c
    by = (planned.job_id, planned.for_review)
    counted = (
        select(*by, func.count())
        .join(jobs, jobs.c.id == planned.job_id)
        .where(planned.job_id.in_(job_ids), jobs.c.kind == DRY_RUN, ~planned.left_out)
        .group_by(*by)
    )
    return {(job_id, for_review): n for job_id, for_review, n in connection.execute(counted)}
