"""Lists of documents, page by page."""

from collections.abc import Iterator

from sqlalchemy import ColumnElement, Connection, select, tuple_

from core.documents import DocumentFilter, KnownDocument
from store.rows import document_of
from store.tables import documents


def listed(connection: Connection, wanted: DocumentFilter, limit: int) -> tuple[KnownDocument, ...]:
    order = (documents.c.instance.desc(), documents.c.document_id.desc())
    found = select(documents).where(*_conditions(wanted)).order_by(*order).limit(limit)
    return tuple(document_of(row) for row in connection.execute(found).mappings())


def _conditions(wanted: DocumentFilter) -> Iterator[ColumnElement[bool]]:
    if wanted.state is not None:
        yield documents.c.state == wanted.state.value
    if wanted.instances is not None:
        yield documents.c.instance.in_(wanted.instances)
    if wanted.title:
        yield documents.c.title.icontains(wanted.title, autoescape=True)
    if wanted.before is not None:
        reached = tuple_(documents.c.instance, documents.c.document_id)
        yield reached < (wanted.before.instance, wanted.before.id)
