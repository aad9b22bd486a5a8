"""Documents: which are known, ignored, adopted from another tool, or gone from Paperless."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import datetime

from sqlalchemy import (
    ColumnElement,
    Connection,
    Table,
    and_,
    delete,
    exists,
    false,
    or_,
    select,
    text,
    update,
)

from core.changes import UNDOABLE, VANISHED, WAITING, ChangeState
from core.documents import (
    DocumentRef,
    DocumentState,
    KnownDocument,
)
from core.jobs import ANALYZE
from store import document_rows, document_search
from store.changes import decisions
from store.changes.plans import withdraw_waiting
from store.database import Database
from store.document_rows import get_states, is_document
from store.engine import insert_into
from store.errors import NotIgnored
from store.queue import moves
from store.queue.reads import has_live_job
from store.rows import Values, document_of, new_document_row, ref_of
from store.scans import forget_mark
from store.tables import PENDING, PROCESSING, WAITS, changes, documents, jobs

_ADOPTED = DocumentState.ADOPTED.value


class Documents:
    """The permanent rows of documents. Each method is one transaction."""

    def __init__(self, database: Database) -> None:
        write, read = database.as_write, database.as_read
        self.get = read(document_rows.find)
        self.get_many = read(document_rows.get_many)
        self.get_states = read(document_rows.get_states)
        self.get_many_by_ref = read(get_many_by_ref)
        self.list_tried_titles = read(list_tried_titles)
        self.find = read(document_search.find)
        self.list = read(document_search.list_documents)
        self.ignore = write(ignore)
        self.unignore = write(unignore)
        self.list_ids_for_review = read(list_ids_for_review)
        self.filter_for_review = read(filter_for_review)
        self.filter_undone = read(filter_undone)
        self.withdraw_gone = write(withdraw_gone)
        self.record_fetched = write(document_rows.record_fetched)
        self.list_latest_read = read(list_latest_read)
        self.mark_trigger_removed = write(document_rows.mark_trigger_removed)
        self.clear_trigger_removed = write(document_rows.clear_trigger_removed)


class Adoption:
    """Adopted documents. Each method is one transaction."""

    def __init__(self, database: Database) -> None:
        write, read = database.as_write, database.as_read
        self.adopt = write(adopt)
        self.list_adopted = read(list_adopted)
        self.withdraw = write(withdraw_adopted)


def list_latest_read(
    connection: Connection, instance: str, limit: int
) -> tuple[KnownDocument, ...]:
    """List the documents with the highest ids whose text was read, without those that are gone."""
    was_read = (
        documents.c.content_hash.is_not(None),
        documents.c.state != DocumentState.GONE.value,
    )
    found = select(documents).where(documents.c.instance == instance, *was_read)
    rows = connection.execute(found.order_by(documents.c.document_id.desc()).limit(limit))
    return tuple(document_of(row) for row in rows.mappings())


def get_many_by_ref(
    connection: Connection, refs: Iterable[DocumentRef]
) -> Mapping[DocumentRef, KnownDocument]:
    """Return those of the documents that are known, of any instances; not meant for thousands."""
    found = connection.execute(select(documents).where(_is_among(documents, refs))).mappings()
    return {ref_of(row): document_of(row) for row in found}


def list_tried_titles(
    connection: Connection, refs: Iterable[DocumentRef]
) -> Mapping[DocumentRef, str]:
    """Return the titles of documents that were fetched by a dry run."""
    tried = select(jobs.c.instance, jobs.c.document_id, jobs.c.title).where(
        _is_among(jobs, refs), jobs.c.title.is_not(None)
    )
    rows = connection.execute(tried.order_by(jobs.c.id)).mappings()
    return {ref_of(row): row["title"] for row in rows}


def filter_for_review(
    connection: Connection, refs: Iterable[DocumentRef]
) -> frozenset[DocumentRef]:
    """Return those of the documents that have changes for review."""
    waiting = select(changes.c.instance, changes.c.document_id).distinct()
    found = connection.execute(waiting.where(text(WAITS), _is_among(changes, refs))).mappings()
    return frozenset(ref_of(row) for row in found)


def filter_undone(connection: Connection, refs: Iterable[DocumentRef]) -> frozenset[DocumentRef]:
    """Return the documents whose last analysis was undone completely."""
    other = changes.alias()
    is_kept = other.c.state.in_([state.value for state in UNDOABLE | WAITING])
    is_outdated = exists().where(
        other.c.instance == changes.c.instance,
        other.c.document_id == changes.c.document_id,
        or_(other.c.job_id > changes.c.job_id, and_(other.c.job_id == changes.c.job_id, is_kept)),
    )
    is_analyzed_again = exists().where(
        jobs.c.instance == changes.c.instance,
        jobs.c.document_id == changes.c.document_id,
        jobs.c.kind == ANALYZE,
        jobs.c.id > changes.c.job_id,
    )
    undone = (
        select(changes.c.instance, changes.c.document_id)
        .distinct()
        .where(
            changes.c.state == ChangeState.UNDONE.value,
            _is_among(changes, refs),
            ~is_outdated,
            ~is_analyzed_again,
        )
    )
    return frozenset(ref_of(row) for row in connection.execute(undone).mappings())


def ignore(connection: Connection, ref: DocumentRef, *, by: str, now: datetime) -> KnownDocument:
    """Ignore a document from now on.

    Its live analysis is cancelled, and its changes for review are rejected.
    """
    known = document_rows.find(connection, ref)
    if known is None or known.state is not DocumentState.IGNORED:
        _set_ignored(connection, ref, known, now)
    # The row first: otherwise the cancel below would set its state.
    for job_id in _list_live_analyses(connection, ref):
        moves.cancel(connection, job_id, by=by, now=now)
    decisions.reject_all(connection, ref, by, now)
    return _read_again(connection, ref)


def unignore(connection: Connection, ref: DocumentRef, *, now: datetime) -> KnownDocument | None:
    """Restore the row to its previous state; None if a scan may select the document again.

    Changes that were rejected because the document was ignored return to review. Raise
    NotIgnored.
    """
    row = connection.execute(select(documents).where(is_document(ref))).mappings().first()
    if row is None or row["state"] != DocumentState.IGNORED.value:
        raise NotIgnored(ref)
    decisions.restore_ignored(connection, ref, now)
    state = row["state_before_ignored"]
    if state is None and _list_live_analyses(connection, ref):
        # Its analysis has not been cancelled yet; the row will get its final state.
        state = DocumentState.QUEUED.value
    if state is None:
        connection.execute(delete(documents).where(is_document(ref)))
        forget_mark(connection, ref.instance)
        return None
    values = {"state": state, "state_before_ignored": None, "updated_at": now}
    connection.execute(update(documents).where(is_document(ref)).values(values))
    return _read_again(connection, ref)


def list_ids_for_review(connection: Connection, instance: str) -> frozenset[int]:
    """Return the ids of the documents with changes for review."""
    waiting = select(changes.c.document_id).where(changes.c.instance == instance, text(WAITS))
    return frozenset(connection.scalars(waiting.distinct()))


def withdraw_gone(
    connection: Connection, instance: str, ids: Iterable[int], *, now: datetime
) -> int:
    """Withdraw the changes for review of documents that are gone from Paperless.

    Return the number of documents. A document with a live job is left to that job.
    """
    withdrawn = 0
    for ref in (DocumentRef(instance, id_) for id_ in sorted(ids)):
        # A live job notices it and writes its own event.
        if not has_live_job(connection, ref) and withdraw_waiting(connection, ref, VANISHED, now):
            document_rows.update_state(connection, ref, DocumentState.GONE, now=now)
            withdrawn += 1
    return withdrawn


def adopt(
    connection: Connection, instance: str, titles: Mapping[int, str], *, now: datetime
) -> int:
    """Adopt documents that are not known, given with their titles; return how many."""
    known = get_states(connection, instance, titles)
    rows = [
        new_document_row(DocumentRef(instance, id_), DocumentState.ADOPTED, title=title, now=now)
        for id_, title in titles.items()
        if id_ not in known
    ]
    if rows:
        connection.execute(insert_into(connection, documents).on_conflict_do_nothing(), rows)
    return len(rows)


def list_adopted(connection: Connection, instance: str) -> frozenset[int]:
    """Return the adopted documents, without those that have been processed since."""
    adopted = select(documents.c.document_id).where(
        documents.c.instance == instance, documents.c.state == _ADOPTED
    )
    return frozenset(connection.scalars(adopted))


def withdraw_adopted(connection: Connection, instance: str, ids: frozenset[int]) -> int:
    """Forget adopted documents, so that the next scan may select them; return how many."""
    among = documents.c.instance == instance, documents.c.document_id.in_(ids)
    forgotten = connection.execute(delete(documents).where(*among, documents.c.state == _ADOPTED))
    was_adopted = documents.c.state_before_ignored == _ADOPTED
    connection.execute(
        update(documents).where(*among, was_adopted).values(state_before_ignored=None)
    )
    forget_mark(connection, instance)
    return forgotten.rowcount


def _is_among(table: Table, refs: Iterable[DocumentRef]) -> ColumnElement[bool]:
    """Build the condition that a row belongs to one of these documents."""
    by_instance: defaultdict[str, list[int]] = defaultdict(list)
    for ref in refs:
        by_instance[ref.instance].append(ref.id)
    these = [
        and_(table.c.instance == instance, table.c.document_id.in_(ids))
        for instance, ids in by_instance.items()
    ]
    return or_(false(), *these)


def _set_ignored(
    connection: Connection, ref: DocumentRef, known: KnownDocument | None, now: datetime
) -> None:
    was_queued = known is None or known.state is DocumentState.QUEUED
    ignored: Values = {
        "state": DocumentState.IGNORED.value,
        "state_before_ignored": None if was_queued or known is None else known.state.value,
        "updated_at": now,
    }
    new = new_document_row(ref, DocumentState.IGNORED, title="", now=now)
    connection.execute(
        insert_into(connection, documents)
        .values(new)
        .on_conflict_do_update(index_elements=["instance", "document_id"], set_=ignored)
    )


def _list_live_analyses(connection: Connection, ref: DocumentRef) -> tuple[int, ...]:
    live = select(jobs.c.id).where(
        jobs.c.instance == ref.instance,
        jobs.c.document_id == ref.id,
        jobs.c.kind == ANALYZE,
        jobs.c.status.in_([PENDING, PROCESSING]),
    )
    return tuple(connection.scalars(live))


def _read_again(connection: Connection, ref: DocumentRef) -> KnownDocument:
    known = document_rows.find(connection, ref)
    assert known is not None
    return known
