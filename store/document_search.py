"""Lists of documents, page by page, and the search for some of them."""

from collections.abc import Iterator, Sequence

from sqlalchemy import ColumnElement, Connection, FromClause, func, select, tuple_

from core.documents import DocumentFilter, FoundDocuments, KnownDocument
from store.columns import folded
from store.rows import document_of
from store.tables import documents
from store.title_index import SHORTEST, has_words, rows_with

NEWEST = 5_000
"""So many are looked through for what is in no trigram."""
_LONGEST_NUMBER = 18
"""More digits are no number of a document, and a database would stumble over them."""


def listed(connection: Connection, wanted: DocumentFilter, limit: int) -> tuple[KnownDocument, ...]:
    there = _with_title(connection, folded(wanted.title))
    order = (there.c.instance.desc(), there.c.document_id.desc())
    return _read(connection, there, tuple(_conditions(there, wanted)), order, limit)


def find(
    connection: Connection, instances: Sequence[str], words: str, limit: int
) -> FoundDocuments:
    """Find the document of a number first, and then by title, the newest first."""
    numbered, key = _numbered(connection, instances, words), folded(words)
    edge = _edge(connection) if 0 < len(key) < SHORTEST else None
    titled = _newest(connection, instances, key, edge, limit) if key else ()
    found = (*numbered, *(one for one in titled if one not in numbered))
    among = NEWEST if edge is not None and len(found) < limit else None
    return FoundDocuments(found[:limit], among)


def _numbered(
    connection: Connection, instances: Sequence[str], words: str
) -> tuple[KnownDocument, ...]:
    if not words.isdecimal() or len(words) >= _LONGEST_NUMBER:
        return ()
    of_number = (documents.c.instance.in_(instances), documents.c.document_id == int(words))
    return _read(connection, documents, of_number, (documents.c.instance,), len(instances))


def _edge(connection: Connection) -> int | None:
    """Return the newest row that is too old to be looked at; None if there are not so many."""
    newest = select(documents.c.id).order_by(documents.c.id.desc())
    return connection.scalar(newest.offset(NEWEST).limit(1))


def _newest(
    connection: Connection, instances: Sequence[str], key: str, edge: int | None, limit: int
) -> tuple[KnownDocument, ...]:
    there = _with_title(connection, key)
    # Hidden, so that SQLite does not read and sort all of them by the index of instances: from the
    # newest on, enough are mostly found soon.
    meant: list[ColumnElement[bool]] = [func.coalesce(there.c.instance, "").in_(instances)]
    if edge is not None:
        meant.append(there.c.id > edge)
    return _read(connection, there, meant, (there.c.id.desc(),), limit)


def _with_title(connection: Connection, key: str) -> FromClause:
    """Give the documents with this in their title, all of them if it is nothing."""
    if not key:
        return documents
    rows = rows_with(connection, key)
    if rows is None:
        return select(documents).where(has_words(key)).subquery()
    # With a limit, because SQLite would else read all documents in their order and leave most out.
    return select(documents).where(documents.c.id.in_(rows)).limit(len(rows)).subquery()


def _read(
    connection: Connection,
    there: FromClause,
    conditions: Sequence[ColumnElement[bool]],
    order: Sequence[ColumnElement[object]],
    limit: int,
) -> tuple[KnownDocument, ...]:
    found = select(there).where(*conditions).order_by(*order).limit(limit)
    return tuple(document_of(row) for row in connection.execute(found).mappings())


def _conditions(there: FromClause, wanted: DocumentFilter) -> Iterator[ColumnElement[bool]]:
    if wanted.state is not None:
        yield there.c.state == wanted.state.value
    if wanted.instances is not None:
        yield there.c.instance.in_(wanted.instances)
    if wanted.before is not None:
        reached = tuple_(there.c.instance, there.c.document_id)
        yield reached < (wanted.before.instance, wanted.before.id)
