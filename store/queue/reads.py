"""Queries about jobs: lists for pages, and counts."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    func,
    literal,
    or_,
    select,
    text,
    tuple_,
    union_all,
)

from core.documents import DocumentRef
from core.jobs import ANALYZE, APPLY, Job, JobStatus, Stage
from store.document_search import filter_instances, ids_of_heads
from store.rows import job_of
from store.tables import LIVE, PROCESSING, cause, jobs


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
