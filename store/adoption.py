"""Adopted documents: rows that say that another tool has processed a document."""

from collections.abc import Mapping
from datetime import datetime

from sqlalchemy import Connection, delete, select, update

from core.documents import DocumentRef, DocumentState
from store import scan_moves
from store.database import Database
from store.documents import get_states
from store.engine import insert_into
from store.rows import new_document_row
from store.tables import documents

_ADOPTED = DocumentState.ADOPTED.value


class Adoption:
    """Adopted documents. Each method is one transaction."""

    def __init__(self, database: Database) -> None:
        write, read = database.as_write, database.as_read
        self.adopt = write(adopt)
        self.list_adopted = read(list_adopted)
        self.withdraw = write(withdraw)


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


def withdraw(connection: Connection, instance: str, ids: frozenset[int]) -> int:
    """Forget adopted documents, so that the next scan may select them; return how many."""
    among = documents.c.instance == instance, documents.c.document_id.in_(ids)
    forgotten = connection.execute(delete(documents).where(*among, documents.c.state == _ADOPTED))
    was_adopted = documents.c.state_before_ignored == _ADOPTED
    connection.execute(
        update(documents).where(*among, was_adopted).values(state_before_ignored=None)
    )
    scan_moves.forget_mark(connection, instance)
    return forgotten.rowcount
