"""Read documents and their texts from the archive index."""

from collections.abc import Collection, Mapping
from datetime import datetime

from sqlalchemy import Connection, select

from core.archive import ArchiveDocument
from store.index.documents import fields_of
from store.index.tables import archive_chunks, archive_documents
from store.index.text import decompress


def list_all_modified(connection: Connection, instance: str) -> Mapping[int, datetime]:
    """Return Paperless's `modified` of all documents that are completely indexed."""
    c = archive_documents.c
    rows = connection.execute(
        select(c.document_id, c.modified).where(c.instance == instance, c.complete)
    )
    return {row.document_id: row.modified for row in rows}


def get_documents(
    connection: Connection, instance: str, ids: Collection[int], *, chunks: int
) -> tuple[ArchiveDocument, ...]:
    """Return documents with their texts; of a long text the first chunks and the last one."""
    c = archive_documents.c
    these = select(archive_documents).where(
        c.instance == instance, c.document_id.in_(ids), c.complete
    )
    rows = connection.execute(these.order_by(c.document_id)).mappings().all()
    return tuple(
        ArchiveDocument(fields_of(row), _read_text(connection, row["id"], chunks)) for row in rows
    )


def _read_text(connection: Connection, row: int, chunks: int) -> str:
    c = archive_chunks.c
    ids = connection.scalars(select(c.id).where(c.document == row).order_by(c.id)).all()
    wanted = {*ids[:chunks], *ids[-1:]}
    texts = connection.scalars(select(c.text).where(c.id.in_(wanted)).order_by(c.id))
    return "\n".join(map(decompress, texts))
