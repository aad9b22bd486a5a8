"""Queries about changes: lists for pages, history, and what a job writes."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from functools import partial
from typing import TypeAlias

from sqlalchemy import (
    ColumnElement,
    Connection,
    RowMapping,
    Select,
    TextClause,
    and_,
    false,
    literal_column,
    select,
    text,
    tuple_,
)

from core.changes import (
    RULE,
    SYSTEM_ACTORS,
    UNDOABLE,
    AutomaticValue,
    Change,
    ChangeFilter,
    ChangeState,
)
from core.documents import DocumentRef
from core.jobs import Job
from store.document_search import filter_instances, ids_of_heads
from store.errors import ChangeNotFound
from store.rows import automatic_value_of, change_of, read_or_warn
from store.tables import BEGUN, WRITTEN, changes, results

Found: TypeAlias = Select[*tuple[object, ...]]
"""A query for changes."""

DONE_TO_PAPERLESS = frozenset(
    {
        ChangeState.APPLIED,
        ChangeState.UNDONE,
        ChangeState.OVERRIDDEN,
        ChangeState.UNCONFIRMED,
    }
)
"""States of changes that were written at some time, as far as known."""

_instance: ColumnElement[str] = literal_column("(changes.instance || '')")
"""For the bare column SQLite may use an index with all changes of an instance."""
_LAST_WRITTEN_FIRST = (changes.c.settled_at.desc(), changes.c.id.desc())


class DecidedBy(StrEnum):
    """Who decided about a change."""

    RULE = "rule"
    """The settings: it was written automatically."""
    PERSON = "person"


@dataclass(frozen=True, slots=True)
class HistoryFilter:
    """Which part of the history to list; None means any."""

    instance: str | None = None
    document: DocumentRef | None = None
    since: datetime | None = None
    """Settled at this time or later."""
    until: datetime | None = None
    """Settled before this time."""
    before_id: int | None = None
    """Only what comes after this change: the next page."""
    states: frozenset[ChangeState] = DONE_TO_PAPERLESS
    instances: frozenset[str] | None = None
    """Only changes of these instances."""
    documents: frozenset[DocumentRef] | None = None
    """Only changes of these documents; not meant for thousands."""
    field: str | None = None
    """Only changes of this field."""
    by: DecidedBy | None = None
    only_changed_since: bool = False
    """Only written values that someone changed since."""


ALL_HISTORY = HistoryFilter()


def read_page(
    connection: Connection, limit: int, first: Callable[[int], Found]
) -> tuple[Change, ...]:
    """Return `limit` readable changes; `first` builds the query for the first n of all.

    Unreadable rows are replaced by the next ones, so a page that is not full is the last.
    """
    found: tuple[Change, ...] = ()
    skipped = 0
    while (missing := limit - len(found)) > 0:
        statement = first(skipped + missing).limit(missing).offset(skipped)
        rows = connection.execute(statement).mappings().all()
        found += readable_changes(rows)
        skipped += len(rows)
        if len(rows) < missing:
            break
    return found


def readable_changes(rows: Sequence[RowMapping]) -> tuple[Change, ...]:
    """Return the readable changes of rows: a damaged row must not hide all the others."""
    read = (read_or_warn(partial(change_of, row), change=row["id"]) for row in rows)
    return tuple(change for change in read if change is not None)


def is_of_document(document: DocumentRef) -> ColumnElement[bool]:
    return and_(changes.c.instance == document.instance, changes.c.document_id == document.id)


def get(connection: Connection, change_id: int) -> Change:
    """Return the change, or raise ChangeNotFound."""
    row = connection.execute(select(changes).where(changes.c.id == change_id)).mappings().first()
    if row is None:
        raise ChangeNotFound(change_id)
    return change_of(row)


def list_to_apply(connection: Connection, job: Job) -> tuple[Change, ...]:
    """List the accepted changes that this apply job writes, and those that accompany them."""
    intended = changes.c.state == ChangeState.INTENDED.value
    return list_where(connection, changes.c.apply_job_id == job.id, intended)


def list_for_apply_job(connection: Connection, job_id: int) -> tuple[Change, ...]:
    """List the changes that a person accepted for this apply job, in any state, oldest first."""
    return list_where(connection, changes.c.apply_job_id == job_id)


def list_begun(connection: Connection, document: DocumentRef) -> tuple[Change, ...]:
    """List the document's changes with a write or undo whose effect is unknown."""
    return list_where(connection, is_of_document(document), text(f"({BEGUN})"))


def list_written_automatically(
    connection: Connection, instance: str, ids: Sequence[int]
) -> tuple[AutomaticValue, ...]:
    """List automatically written values of these documents that are, or may be, in Paperless.

    This includes writes that another job has begun: their values are in Paperless before they
    are settled here.
    """
    of_these = (changes.c.instance == instance, changes.c.document_id.in_(ids))
    may_be_there = changes.c.state.in_(
        [ChangeState.INTENDED.value, ChangeState.APPLIED.value, ChangeState.UNCONFIRMED.value]
    )
    # Only these columns: every job reads the values of many documents.
    c = changes.c
    found = select(c.id, c.instance, c.document_id, c.field, c.after).where(
        *of_these, may_be_there, c.decided_by == RULE
    )
    rows = connection.execute(found.order_by(c.id)).mappings()
    read = (read_or_warn(partial(automatic_value_of, row), change=row["id"]) for row in rows)
    return tuple(value for value in read if value is not None)


def list_for_job(connection: Connection, job_id: int) -> tuple[Change, ...]:
    """List a job's changes, oldest first."""
    return list_where(connection, changes.c.job_id == job_id)


def list_for_document(connection: Connection, document: DocumentRef) -> tuple[Change, ...]:
    """List a document's changes, oldest first."""
    return list_where(connection, is_of_document(document))


def list_for_scan(connection: Connection, scan_id: int) -> tuple[Change, ...]:
    """List the changes of all jobs of a scan, oldest first."""
    return list_where(connection, changes.c.scan_id == scan_id)


def list_by_ids(connection: Connection, ids: Sequence[int]) -> tuple[Change, ...]:
    """Return these changes, oldest first; ids that do not exist are left out."""
    return list_where(connection, changes.c.id.in_(ids))


def list_applied(connection: Connection, cause: ChangeFilter) -> tuple[Change, ...]:
    """List the applied changes that match a filter, oldest first."""
    written = HistoryFilter(
        cause.instance,
        since=cause.since,
        until=cause.until,
        states=UNDOABLE,
    )
    result_jobs = select(results.c.job_id)
    if cause.model is not None:
        result_jobs = result_jobs.where(results.c.model == cause.model)
    if cause.prompt_version is not None:
        result_jobs = result_jobs.where(results.c.prompt_version == cause.prompt_version)
    # Results are read only if the filter needs them: retention deletes old ones.
    by_model = cause.model is not None or cause.prompt_version is not None
    conditions = [changes.c.job_id.in_(result_jobs)] if by_model else []
    return list_where(connection, *_conditions(written), *conditions)


def list_history(
    connection: Connection, wanted: HistoryFilter = ALL_HISTORY, limit: int = 100
) -> tuple[Change, ...]:
    """List changes, newest first: written ones by time of the write, others by id.

    Fewer than `limit` means the last page: unreadable changes are not counted.
    """
    if wanted.document is not None or not wanted.states <= DONE_TO_PAPERLESS:
        found = select(changes).where(*_conditions(wanted))
        if wanted.before_id is not None:
            found = found.where(changes.c.id < wanted.before_id)
        return read_page(connection, limit, lambda _: found.order_by(changes.c.id.desc()))
    return read_page(connection, limit, partial(_select_last_written, connection, wanted))


def list_latest(connection: Connection, instances: Sequence[str], limit: int) -> tuple[Change, ...]:
    """List the changes that were written or undone last, the latest first."""
    written = list_history(connection, HistoryFilter(instances=frozenset(instances)), limit)
    undone = (
        select(changes)
        .where(changes.c.undone_at.is_not(None), _instance.in_(instances))
        .order_by(changes.c.undone_at.desc(), changes.c.id.desc())
        .limit(limit)
    )
    found = {
        change.id: change
        for change in (*written, *readable_changes(connection.execute(undone).mappings().all()))
    }
    latest = sorted(
        found.values(),
        key=lambda change: (change.last_event_at or change.created_at, change.id),
        reverse=True,
    )
    return tuple(latest[:limit])


def list_where(
    connection: Connection, *conditions: ColumnElement[bool] | TextClause
) -> tuple[Change, ...]:
    found = select(changes).where(*conditions).order_by(changes.c.id)
    return readable_changes(connection.execute(found).mappings().all())


def _select_last_written(connection: Connection, wanted: HistoryFilter, limit: int) -> Found:
    """Build a query for the changes that were written last."""
    heads = ids_of_heads(_select_heads(connection, wanted, limit))
    among = false() if heads is None else changes.c.id.in_(select(heads.c.id))
    return select(changes).where(among).order_by(*_LAST_WRITTEN_FIRST)


def _select_heads(
    connection: Connection, wanted: HistoryFilter, limit: int
) -> Iterator[Select[tuple[int]]]:
    """Build a query for the last written changes of each instance: each reads an index in order."""
    only = None if wanted.instance is None else {wanted.instance}
    for instance in filter_instances(connection, changes, only, wanted.instances):
        head = replace(wanted, instance=instance, instances=None)
        found = select(changes.c.id).where(*_conditions(head), *_written_before(wanted))
        yield found.order_by(*_LAST_WRITTEN_FIRST).limit(limit)


def _written_before(wanted: HistoryFilter) -> Iterator[ColumnElement[bool]]:
    if wanted.before_id is not None:
        last = changes.alias("last")
        when = select(last.c.settled_at).where(last.c.id == wanted.before_id).scalar_subquery()
        yield tuple_(changes.c.settled_at, changes.c.id) < tuple_(when, wanted.before_id)


def _conditions(wanted: HistoryFilter) -> Iterator[ColumnElement[bool]]:
    if wanted.states <= DONE_TO_PAPERLESS:
        # Exactly as in the condition of its index; otherwise the index is not used.
        yield text(WRITTEN)  # type: ignore[misc]  # a condition like any other
    if wanted.states != DONE_TO_PAPERLESS:
        yield changes.c.state.in_([state.value for state in wanted.states])
    if wanted.instance is not None:
        yield changes.c.instance == wanted.instance
    if wanted.document is not None:
        yield is_of_document(wanted.document)
    if wanted.since is not None:
        yield changes.c.settled_at >= wanted.since
    if wanted.until is not None:
        yield changes.c.settled_at < wanted.until
    if wanted.instances is not None:
        yield changes.c.instance.in_(wanted.instances)
    yield from _narrower_conditions(wanted)


def _narrower_conditions(wanted: HistoryFilter) -> Iterator[ColumnElement[bool]]:
    """Yield the conditions that no index serves: they are checked row by row."""
    if wanted.documents is not None:
        refs = [(ref.instance, ref.id) for ref in wanted.documents]
        yield tuple_(changes.c.instance, changes.c.document_id).in_(refs)
    if wanted.field is not None:
        yield changes.c.field == wanted.field
    if wanted.by is DecidedBy.RULE:
        yield changes.c.decided_by == RULE
    elif wanted.by is DecidedBy.PERSON:
        yield changes.c.decided_by.not_in(["", *sorted(SYSTEM_ACTORS)])
    if wanted.only_changed_since:
        yield changes.c.changed_seen_at.is_not(None)
