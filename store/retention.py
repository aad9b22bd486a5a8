"""Retention: delete old rows of finished work, in chunks.

A reader finds the rows and the writer deletes them, one chunk in a transaction, and only if they
are still old: a person may have restarted a job in the meantime.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    Table,
    and_,
    delete,
    exists,
    insert,
    literal,
    not_,
    or_,
    select,
)

from core.changes import WAITING, ChangeState
from store.changes.plans import planned_suggestions
from store.database import Database
from store.results import answers
from store.tables import (
    FINAL,
    PARTIAL,
    PENDING,
    PROCESSING,
    changes,
    deleted_jobs,
    deleted_results,
    events,
    jobs,
    results,
    scans,
)

CHUNK = 500
UNSETTLED = sorted(WAITING | {ChangeState.INTENDED})

_REMEMBERED = {
    results.name: (deleted_results, (results.c.id, results.c.instance)),
    jobs.name: (deleted_jobs, (jobs.c.id, jobs.c.instance, jobs.c.document_id)),
}
"""Tables whose deleted rows are remembered, and the columns that are kept besides the time."""


@dataclass(frozen=True, slots=True)
class RetentionPolicy:
    """Retention after the end; what is not finished is kept at any age."""

    events: timedelta = timedelta(days=30)
    """Timelines of finished jobs."""
    results: timedelta = timedelta(days=90)
    """Results of analyses."""
    partial_results: timedelta = timedelta(days=14)
    """Results of single chunks, superseded results, and raw responses."""
    jobs: timedelta = timedelta(days=90)
    """Finished jobs with everything that belongs to them, and scans."""
    changes: timedelta = timedelta(days=365)
    """Settled changes, which can be undone until then."""


@dataclass(frozen=True, slots=True)
class PruneCounts:
    """How many rows were deleted."""

    events: int = 0
    results: int = 0
    planned_suggestions: int = 0
    answers: int = 0
    jobs: int = 0
    changes: int = 0
    scans: int = 0


@dataclass(frozen=True, slots=True)
class _ExpiredRows:
    """Rows of one table that may be deleted."""

    table: Table
    condition: ColumnElement[bool]

    @property
    def number(self) -> Column[int]:
        """The primary key."""
        return self.table.primary_key.columns[0]


class Retention:
    """Deletes old rows. Each chunk is one transaction."""

    def __init__(self, database: Database) -> None:
        self._write = database.write
        self._read = database.read

    async def prune(self, policy: RetentionPolicy, *, now: datetime) -> PruneCounts:
        """Delete what is older than the policy allows; others may write between the chunks."""
        every = _list_expired(policy, now)
        return PruneCounts(
            **{expired.table.name: await self._prune(expired, now) for expired in every}
        )

    async def _prune(self, expired: _ExpiredRows, now: datetime) -> int:
        deleted, last = 0, 0
        while found := await self._read(_find, expired, last):
            deleted += await self._write(_delete, expired, found, now)
            last = found[-1]
        return deleted


def _list_expired(policy: RetentionPolicy, now: datetime) -> Iterator[_ExpiredRows]:
    """Yield what may be deleted, in order: rows that belong to a job before the job."""
    job_expires = and_(
        _finished_before(now - policy.jobs),
        not_(_has_live_job(jobs)),
        # It may have changes that are still to be decided or written.
        not_(exists().where(changes.c.job_id == jobs.c.id, changes.c.state.in_(UNSETTLED))),
    )
    events_expire = or_(_finished_before(now - policy.events), job_expires)
    yield _ExpiredRows(events, exists().where(jobs.c.id == events.c.job_id, events_expire))
    partial_expires = and_(
        results.c.kind == PARTIAL, _finished_before(now - policy.partial_results)
    )
    result_expires = or_(_finished_before(now - policy.results), partial_expires, job_expires)
    its_job = exists().where(jobs.c.id == results.c.job_id, result_expires)
    yield _ExpiredRows(results, and_(its_job, not_(_has_live_job(results))))
    yield _ExpiredRows(planned_suggestions, _has_no_result_left(now - policy.results))
    response_expires = or_(_finished_before(now - policy.partial_results), job_expires)
    yield _ExpiredRows(answers, exists().where(jobs.c.id == answers.c.job_id, response_expires))
    yield _ExpiredRows(jobs, job_expires)
    settled = and_(changes.c.settled_at < now - policy.changes, changes.c.state.not_in(UNSETTLED))
    yield _ExpiredRows(changes, and_(settled, not_(_has_live_job(changes))))
    # A scan can be undone until it has no jobs and no changes.
    is_empty = and_(
        not_(exists().where(jobs.c.scan_id == scans.c.id)),
        not_(exists().where(changes.c.scan_id == scans.c.id)),
    )
    yield _ExpiredRows(scans, and_(scans.c.finished_at < now - policy.jobs, is_empty))


def _finished_before(moment: datetime) -> ColumnElement[bool]:
    return and_(jobs.c.finished_at < moment, jobs.c.status.not_in([PENDING, PROCESSING]))


def _has_no_result_left(moment: datetime) -> ColumnElement[bool]:
    """Build the condition that the result a suggestion was planned from is deleted."""
    its_job = jobs.c.id == planned_suggestions.c.job_id
    final = exists().where(
        results.c.job_id == planned_suggestions.c.job_id, results.c.kind == FINAL
    )
    return and_(exists().where(its_job, _finished_before(moment)), not_(final))


def _has_live_job(table: Table) -> ColumnElement[bool]:
    """Build the condition that a row's document has a live job.

    That job may continue from an earlier analysis, or undo earlier changes.
    """
    live = jobs.alias("live")
    return exists().where(
        live.c.instance == table.c.instance,
        live.c.document_id == table.c.document_id,
        live.c.status.in_([PENDING, PROCESSING]),
    )


def _find(connection: Connection, expired: _ExpiredRows, last: int) -> Sequence[int]:
    """Return the ids of a chunk after `last`, so that the whole table is read once."""
    number = expired.number
    found = select(number).where(number > last, expired.condition).order_by(number).limit(CHUNK)
    return connection.scalars(found).all()


def _delete(
    connection: Connection, expired: _ExpiredRows, found: Sequence[int], now: datetime
) -> int:
    still_expired = (expired.number.in_(found), expired.condition)
    _remember_deleted(connection, expired.table, still_expired, now)
    gone = connection.execute(delete(expired.table).where(*still_expired).returning(expired.number))
    return len(gone.all())


def _remember_deleted(
    connection: Connection, table: Table, which: Sequence[ColumnElement[bool]], now: datetime
) -> None:
    """Store the ids of rows that are deleted, so that their pages can say when that happened."""
    if table.name not in _REMEMBERED:
        return
    kept, columns = _REMEMBERED[table.name]
    at = literal(now, type_=kept.c.deleted_at.type)
    gone = select(*columns, at).where(*which)
    connection.execute(insert(kept).from_select([*kept.c.keys()], gone))
