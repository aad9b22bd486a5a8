"""Documents with changes for review that are gone from Paperless."""

from collections.abc import Iterable
from datetime import datetime

from sqlalchemy import Connection, select, text

from core.changes import VANISHED
from core.documents import DocumentRef, DocumentState
from store import document_rows
from store.changes import moves as change_moves
from store.queue.reads import has_live_job
from store.tables import WAITS, changes


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
    refs = [DocumentRef(instance, id_) for id_ in sorted(ids)]
    return sum(_mark_gone(connection, ref, now) for ref in refs)


def _mark_gone(connection: Connection, ref: DocumentRef, now: datetime) -> bool:
    # Its job will notice by itself and write an event.
    if has_live_job(connection, ref):
        return False
    if not change_moves.withdraw_waiting(connection, ref, VANISHED, now):
        return False
    document_rows.update_state(connection, ref, DocumentState.GONE, now=now)
    return True
