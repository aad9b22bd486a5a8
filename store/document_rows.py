"""The permanent row of a document and how jobs change it."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from itertools import islice

from sqlalchemy import (
    ColumnElement,
    Connection,
    Update,
    and_,
    bindparam,
    case,
    null,
    select,
    update,
)

from core.documents import DocumentRef, DocumentState, KnownDocument
from core.jobs import ANALYZE, DRY_RUN, Job
from store.columns import CleanText
from store.engine import Step, execute_step, insert_into
from store.errors import DocumentIgnored
from store.queue.claims import update_claimed
from store.rows import Values, document_of, new_document_row, title_columns
from store.tables import documents

CHUNK = 1_000

# A queued document that was ignored is forgotten when it is no longer ignored, so that the
# next scan may select it again; a final state that its job reached is remembered.
_REMEMBERED = frozenset({DocumentState.DONE, DocumentState.FAILED, DocumentState.GONE})

_IGNORED = documents.c.state == DocumentState.IGNORED.value


def is_document(ref: DocumentRef) -> ColumnElement[bool]:
    return and_(documents.c.instance == ref.instance, documents.c.document_id == ref.id)


def find(connection: Connection, ref: DocumentRef) -> KnownDocument | None:
    """Return what is known of a document; None if it was never processed."""
    row = connection.execute(select(documents).where(is_document(ref))).mappings().first()
    return None if row is None else document_of(row)


def get_states(
    connection: Connection, instance: str, ids: Iterable[int]
) -> Mapping[int, DocumentState]:
    """Return the states of known documents, by Paperless id."""
    states: dict[int, DocumentState] = {}
    rest, c = iter(ids), documents.c
    while chunk := tuple(islice(rest, CHUNK)):
        of_chunk = select(c.document_id, c.state).where(
            c.instance == instance, c.document_id.in_(chunk)
        )
        for number, state in connection.execute(of_chunk):
            states[number] = DocumentState(state)
    return states


def get_many(
    connection: Connection, instance: str, ids: Iterable[int]
) -> Mapping[int, KnownDocument]:
    """Return those of the documents that are known, by Paperless id."""
    found: dict[int, KnownDocument] = {}
    rest = iter(ids)
    while chunk := tuple(islice(rest, CHUNK)):
        of_chunk = select(documents).where(
            documents.c.instance == instance, documents.c.document_id.in_(chunk)
        )
        for row in connection.execute(of_chunk).mappings():
            found[row["document_id"]] = document_of(row)
    return found


def is_ignored(connection: Connection, ref: DocumentRef) -> bool:
    known = find(connection, ref)
    return known is not None and known.state is DocumentState.IGNORED


def refuse_ignored(connection: Connection, ref: DocumentRef) -> None:
    if is_ignored(connection, ref):
        raise DocumentIgnored(ref)


def mark_queued(connection: Connection, ref: DocumentRef, *, now: datetime) -> None:
    """Set the row's state to queued, and create the row for a new document."""
    new = new_document_row(ref, DocumentState.QUEUED, title="", now=now)
    connection.execute(
        insert_into(connection, documents)
        .values(new)
        .on_conflict_do_update(
            index_elements=["instance", "document_id"],
            set_={"state": DocumentState.QUEUED.value, "updated_at": now},
        )
    )


def set_title(connection: Connection, ref: DocumentRef, title: str, *, now: datetime) -> None:
    """Store the title that Paperless has, so that the document is found by it."""
    columns = title_columns(title) | {"updated_at": now}
    connection.execute(update(documents).where(is_document(ref)).values(columns))


def record_fetched(
    connection: Connection,
    job: Job,
    *,
    title: str,
    content_hash: str,
    pages: int | None = None,
    now: datetime,
) -> None:
    """Store title, hash and pages as they were fetched for an analysis. Raise ClaimLost.

    For a dry run, the job keeps the title, because the document may have no row.
    """
    fetched: Values = {"pages": pages} | ({"title": title} if job.kind == DRY_RUN else {})
    update_claimed(connection, job, fetched)
    if job.kind == ANALYZE:
        columns = {**title_columns(title), "content_hash": content_hash, "updated_at": now}
        _update(connection, job.document, columns)


def mark_trigger_removed(connection: Connection, ref: DocumentRef, *, now: datetime) -> None:
    """Store that Paperclerk removed the trigger tag: if it is back, a person has put it back."""
    _update(connection, ref, {"trigger_removed": True, "updated_at": now})


def clear_trigger_removed(connection: Connection, ref: DocumentRef, *, now: datetime) -> None:
    """Store that the document has its trigger tag again."""
    _update(connection, ref, {"trigger_removed": False, "updated_at": now})


def _update(connection: Connection, ref: DocumentRef, values: Values) -> None:
    connection.execute(update(documents).where(is_document(ref)).values(**values))


def update_state(
    connection: Connection, ref: DocumentRef, state: DocumentState, *, now: datetime
) -> None:
    """Set the row's state after its job; an ignored row stays ignored and stores the job's end."""
    execute_step(connection, build_state_update(ref, state, now=now))


def build_state_update(ref: DocumentRef, state: DocumentState, *, now: datetime) -> Step:
    """Build the step that sets the row's state after its job."""
    values = {
        "of_instance": ref.instance,
        "of_document": ref.id,
        "job_state": state.value,
        "remembered": state.value if state in _REMEMBERED else None,
        "followed_at": now,
    }
    return Step(_state_update_if, values)


def _state_update_if(condition: ColumnElement[bool]) -> Update:
    its_row = and_(
        documents.c.instance == bindparam("of_instance"),
        documents.c.document_id == bindparam("of_document"),
    )
    remembered = bindparam("remembered", type_=CleanText)
    values = {
        "state": case((_IGNORED, documents.c.state), else_=bindparam("job_state", type_=CleanText)),
        "state_before_ignored": case((_IGNORED, remembered), else_=null()),
        "updated_at": bindparam("followed_at"),
    }
    return update(documents).where(its_row, condition).values(values)
