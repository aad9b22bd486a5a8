"""The permanent row of a document, as the moves of its jobs leave it."""

from datetime import datetime

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
from store.columns import CleanText
from store.engine import Step, execute_step, insert_into
from store.errors import DocumentIgnored
from store.rows import document_of, new_document_row, title_columns
from store.tables import documents

# An ignored document that was on its way is forgotten when it is no longer ignored, so that the
# next scan may select it anew; an end that its job reached by itself is remembered.
_REMEMBERED = frozenset({DocumentState.DONE, DocumentState.FAILED, DocumentState.GONE})

_IGNORED = documents.c.state == DocumentState.IGNORED.value


def is_document(ref: DocumentRef) -> ColumnElement[bool]:
    return and_(documents.c.instance == ref.instance, documents.c.document_id == ref.id)


def find(connection: Connection, ref: DocumentRef) -> KnownDocument | None:
    """Return what we know of a document; None if we have never had to do with it."""
    row = connection.execute(select(documents).where(is_document(ref))).mappings().first()
    return None if row is None else document_of(row)


def is_ignored(connection: Connection, ref: DocumentRef) -> bool:
    known = find(connection, ref)
    return known is not None and known.state is DocumentState.IGNORED


def refuse_ignored(connection: Connection, ref: DocumentRef) -> None:
    if is_ignored(connection, ref):
        raise DocumentIgnored(ref)


def mark_queued(connection: Connection, ref: DocumentRef, *, now: datetime) -> None:
    """Let the row say `queued`, and make it if the document is new."""
    new = new_document_row(ref, DocumentState.QUEUED, title="", now=now)
    connection.execute(
        insert_into(connection, documents)
        .values(new)
        .on_conflict_do_update(
            index_elements=["instance", "document_id"],
            set_={"state": DocumentState.QUEUED.value, "updated_at": now},
        )
    )


def set_title(connection: Connection, ref: DocumentRef, title: str) -> None:
    """Remember the title that Paperless has, so that people find the document by it."""
    connection.execute(update(documents).where(is_document(ref)).values(title_columns(title)))


def update_state(
    connection: Connection, ref: DocumentRef, state: DocumentState, *, now: datetime
) -> None:
    """Let the row follow its job. An ignored one stays so, and remembers how the job ended."""
    execute_step(connection, build_state_update(ref, state, now=now))


def build_state_update(ref: DocumentRef, state: DocumentState, *, now: datetime) -> Step:
    """Build the step by which the row follows its job."""
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
