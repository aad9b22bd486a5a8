"""Documents: what we remember of them, and which of them the owner wants left alone."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from itertools import islice

from sqlalchemy import (
    ColumnElement,
    Connection,
    Table,
    and_,
    delete,
    false,
    or_,
    select,
    text,
    update,
)

from core.documents import (
    DocumentFilter,
    DocumentRef,
    DocumentState,
    FoundDocuments,
    KnownDocument,
)
from core.jobs import ANALYZE, Job
from store import document_rows, document_search, scan_marks, vanished
from store.changes import decisions
from store.database import Database
from store.document_rows import is_document
from store.engine import insert_into
from store.errors import NotIgnored
from store.queue import moves
from store.queue.fence import require_claim
from store.rows import Values, document_of, new_document_row, ref_of, title_columns
from store.tables import PENDING, PROCESSING, WAITS, changes, documents, jobs

CHUNK = 1_000
ANY_DOCUMENT = DocumentFilter()


class Documents:
    """The permanent rows of documents. Each method is one transaction."""

    def __init__(self, database: Database) -> None:
        self._write = database.write
        self._read = database.read

    async def get(self, ref: DocumentRef) -> KnownDocument | None:
        """Return what we know of a document; None if we have never had to do with it."""
        return await self._read(document_rows.find, ref)

    async def get_many(self, instance: str, ids: Iterable[int]) -> Mapping[int, KnownDocument]:
        """Return those of the documents that we know, by their Paperless id."""
        return await self._read(_known, instance, tuple(ids))

    async def get_many_by_ref(
        self, refs: Iterable[DocumentRef]
    ) -> Mapping[DocumentRef, KnownDocument]:
        """Return those of the documents that we know, of any instances; not for thousands."""
        return await self._read(get_many_by_ref, tuple(refs))

    async def find(self, instances: Sequence[str], words: str, *, limit: int) -> FoundDocuments:
        """Find documents by their number, or by a part of their title, the newest first.

        For very few letters only the newest are looked through.
        """
        return await self._read(document_search.find, instances, words, limit)

    async def list(
        self, wanted: DocumentFilter = ANY_DOCUMENT, limit: int = 100
    ) -> tuple[KnownDocument, ...]:
        """List documents by instance and number, the greatest first; all titles are searched."""
        return await self._read(document_search.list_documents, wanted, limit)

    async def ignore(self, ref: DocumentRef, *, by: str, now: datetime) -> KnownDocument:
        """Leave a document alone from now on.

        Its live analysis is cancelled, and what waits of it for a person is rejected.
        """
        return await self._write(_ignore, ref, by, now)

    async def unignore(self, ref: DocumentRef, *, now: datetime) -> KnownDocument | None:
        """Restore the row to its previous state; None if a scan may select the document again.

        Changes that were rejected because the document was ignored return to review. Raise
        NotIgnored.
        """
        return await self._write(_unignore, ref, now)

    async def list_ids_for_review(self, instance: str) -> frozenset[int]:
        """Return the numbers of the documents of which something waits for a person."""
        return await self._read(vanished.list_ids_for_review, instance)

    async def filter_for_review(self, refs: Iterable[DocumentRef]) -> frozenset[DocumentRef]:
        """Return the documents with changes for review."""
        wanted = tuple(refs)
        return await self._read(filter_for_review, wanted) if wanted else frozenset()

    async def withdraw_gone(self, instance: str, ids: Iterable[int], *, now: datetime) -> int:
        """Withdraw what waits for a person of documents that are gone from Paperless.

        Return how many there were; one that has a job is left to it.
        """
        return await self._write(vanished.withdraw_gone, instance, tuple(ids), now)

    async def record_fetched(
        self, job: Job, *, title: str, content_hash: str, now: datetime
    ) -> None:
        """Remember title and hash as they were fetched for an analysis. Raise NotOurs."""
        await self._write(_note, job, title, content_hash, now)

    async def mark_trigger_removed(self, ref: DocumentRef, *, now: datetime) -> None:
        """Remember that we took the trigger tag away: if it is back, a person put it back."""
        await self._write(_set, ref, {"trigger_removed": True, "updated_at": now})

    async def clear_trigger_removed(self, ref: DocumentRef, *, now: datetime) -> None:
        """Remember that the trigger tag is where it belongs."""
        await self._write(_set, ref, {"trigger_removed": False, "updated_at": now})


def get_states(
    connection: Connection, instance: str, ids: Iterable[int]
) -> Mapping[int, DocumentState]:
    known = _known(connection, instance, tuple(ids))
    return {number: document.state for number, document in known.items()}


def _known(
    connection: Connection, instance: str, ids: tuple[int, ...]
) -> Mapping[int, KnownDocument]:
    found: dict[int, KnownDocument] = {}
    rest = iter(ids)
    while chunk := tuple(islice(rest, CHUNK)):
        of_chunk = select(documents).where(
            documents.c.instance == instance, documents.c.document_id.in_(chunk)
        )
        for row in connection.execute(of_chunk).mappings():
            found[row["document_id"]] = document_of(row)
    return found


def get_many_by_ref(
    connection: Connection, refs: tuple[DocumentRef, ...]
) -> Mapping[DocumentRef, KnownDocument]:
    found = connection.execute(select(documents).where(_is_among(documents, refs))).mappings()
    return {ref_of(row): document_of(row) for row in found}


def filter_for_review(
    connection: Connection, refs: tuple[DocumentRef, ...]
) -> frozenset[DocumentRef]:
    waiting = select(changes.c.instance, changes.c.document_id).distinct()
    found = connection.execute(waiting.where(text(WAITS), _is_among(changes, refs))).mappings()
    return frozenset(ref_of(row) for row in found)


def _is_among(table: Table, refs: tuple[DocumentRef, ...]) -> ColumnElement[bool]:
    """Build the condition that a row belongs to one of these documents."""
    by_instance: defaultdict[str, list[int]] = defaultdict(list)
    for ref in refs:
        by_instance[ref.instance].append(ref.id)
    these = [
        and_(table.c.instance == instance, table.c.document_id.in_(ids))
        for instance, ids in by_instance.items()
    ]
    return or_(false(), *these)


def _ignore(connection: Connection, ref: DocumentRef, by: str, now: datetime) -> KnownDocument:
    known = document_rows.find(connection, ref)
    if known is None or known.state is not DocumentState.IGNORED:
        _set_ignored(connection, ref, known, now)
    # The row first: it must not be said to be queued or cancelled by what follows.
    for job_id in _live_analyses(connection, ref):
        moves.cancel(connection, job_id, by, now)
    decisions.reject_all(connection, ref, by, now)
    return _reread(connection, ref)


def _set_ignored(
    connection: Connection, ref: DocumentRef, known: KnownDocument | None, now: datetime
) -> None:
    on_its_way = known is None or known.state is DocumentState.QUEUED
    ignored: Values = {
        "state": DocumentState.IGNORED.value,
        "state_before_ignored": None if on_its_way or known is None else known.state.value,
        "updated_at": now,
    }
    new = new_document_row(ref, DocumentState.IGNORED, title="", now=now)
    connection.execute(
        insert_into(connection, documents)
        .values(new)
        .on_conflict_do_update(index_elements=["instance", "document_id"], set_=ignored)
    )


def _unignore(connection: Connection, ref: DocumentRef, now: datetime) -> KnownDocument | None:
    row = connection.execute(select(documents).where(is_document(ref))).mappings().first()
    if row is None or row["state"] != DocumentState.IGNORED.value:
        raise NotIgnored(ref)
    decisions.restore_ignored(connection, ref, now)
    state = row["state_before_ignored"]
    if state is None and _live_analyses(connection, ref):
        # Its analysis has not heard of the cancel yet; the row will follow it to its end.
        state = DocumentState.QUEUED.value
    if state is None:
        connection.execute(delete(documents).where(is_document(ref)))
        scan_marks.forget(connection, ref.instance)
        return None
    _set(connection, ref, {"state": state, "state_before_ignored": None, "updated_at": now})
    return _reread(connection, ref)


def _live_analyses(connection: Connection, ref: DocumentRef) -> tuple[int, ...]:
    live = select(jobs.c.id).where(
        jobs.c.instance == ref.instance,
        jobs.c.document_id == ref.id,
        jobs.c.kind == ANALYZE,
        jobs.c.status.in_([PENDING, PROCESSING]),
    )
    return tuple(connection.scalars(live))


def _note(connection: Connection, job: Job, title: str, content_hash: str, now: datetime) -> None:
    require_claim(connection, job)
    if job.kind == ANALYZE:
        noted = {**title_columns(title), "content_hash": content_hash, "updated_at": now}
        _set(connection, job.document, noted)


def _set(connection: Connection, ref: DocumentRef, values: Values) -> None:
    connection.execute(update(documents).where(is_document(ref)).values(**values))


def _reread(connection: Connection, ref: DocumentRef) -> KnownDocument:
    known = document_rows.find(connection, ref)
    assert known is not None
    return known
