"""Read from the archive index: documents and texts, its progress, frequencies of words."""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime

from sqlalchemy import ColumnElement, Connection, RowMapping, and_, func, select

from core.archive import ArchiveDocument, ArchiveFields, ArchiveName, ArchiveState, IndexMode
from core.documents import DocumentRef
from store.index.tables import (
    archive_chunks,
    archive_documents,
    archive_states,
    archive_words,
)
from store.index.text import counted_rows, decompress

_MAX_VALUES = 500
"""Values in one query."""


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


def list_filed(
    connection: Connection,
    instance: str,
    kind: ArchiveName,
    id_: int,
    *,
    without_tags: Collection[int],
    limit: int,
) -> tuple[ArchiveDocument, ...]:
    """Return the documents of a name that came last, with the first chunk of their texts."""
    c = archive_documents.c
    query = (
        select(archive_documents, archive_chunks.c.text.label("beginning"))
        .join(archive_chunks, archive_chunks.c.document == c.id)
        .where(has_name(kind, instance, id_), archive_chunks.c.position == 0)
        .where(*(~has_tag(tag) for tag in sorted(without_tags)))
        .order_by(c.id.desc())
        .limit(limit)
    )
    return tuple(
        ArchiveDocument(fields_of(row), decompress(row["beginning"]))
        for row in connection.execute(query).mappings()
    )


def list_modified(
    connection: Connection, instance: str, ids: Collection[int]
) -> Mapping[int, datetime]:
    """Return Paperless's `modified` of those documents that are completely indexed."""
    c = archive_documents.c
    these = select(c.document_id, c.modified).where(
        c.instance == instance, c.document_id.in_(ids), c.complete
    )
    return {row.document_id: row.modified for row in connection.execute(these)}


def list_all_modified(connection: Connection, instance: str) -> Mapping[int, datetime]:
    """Return Paperless's `modified` of all documents that are completely indexed."""
    c = archive_documents.c
    rows = connection.execute(
        select(c.document_id, c.modified).where(c.instance == instance, c.complete)
    )
    return {row.document_id: row.modified for row in rows}


def list_ids(connection: Connection, instance: str) -> frozenset[int]:
    """Return the ids of all documents of an instance in the index."""
    of_instance = archive_documents.c.instance == instance
    return frozenset(connection.scalars(select(archive_documents.c.document_id).where(of_instance)))


def list_with_tags(
    connection: Connection, instance: str, tags: Iterable[int]
) -> tuple[DocumentRef, ...]:
    """Return the documents of an instance that have one of the tags."""
    excluded = [f",{tag}," for tag in tags]
    c = archive_documents.c
    rows = connection.execute(
        select(c.document_id, c.tags).where(c.instance == instance, c.tags != "")
    )
    return tuple(
        DocumentRef(instance, row.document_id)
        for row in rows
        if any(tag in row.tags for tag in excluded)
    )


def has_name(kind: ArchiveName, instance: str, id_: int) -> ColumnElement[bool]:
    """Return the condition that a document of an instance has a name."""
    of_kind = (
        archive_documents.c[kind.value] == id_ if kind is not ArchiveName.TAG else has_tag(id_)
    )
    return and_(archive_documents.c.instance == instance, of_kind)


def has_tag(id_: int) -> ColumnElement[bool]:
    """Return the condition that a document has a tag."""
    return archive_documents.c.tags.contains(f",{id_},")


def fields_of(row: RowMapping) -> ArchiveFields:
    return ArchiveFields(
        ref=DocumentRef(row["instance"], row["document_id"]),
        title=row["title"],
        correspondent=row["correspondent"],
        document_type=row["document_type"],
        tags=frozenset(int(tag) for tag in row["tags"].split(",") if tag),
        created=date.fromisoformat(row["created"]),
        added=row["added"],
        modified=row["modified"],
        original_file_name=row["original_file_name"],
        page_count=row["page_count"],
    )


def get_state(connection: Connection, instance: str) -> ArchiveState:
    """Return how far the index of an instance is."""
    of_instance = archive_states.c.instance == instance
    row = connection.execute(select(archive_states).where(of_instance)).mappings().first()
    c = archive_documents.c
    figures = select(func.count(), func.max(c.modified)).where(c.instance == instance)
    documents, newest = connection.execute(figures).one()
    return ArchiveState(
        instance,
        documents,
        frozenset(json.loads(row["excluded_tags"])) if row and row["excluded_tags"] else None,
        row["passed_at"] if row else None,
        (row["scope"] or "") if row else "",
        newest,
    )


def covers_archive(connection: Connection, instance: str) -> bool:
    """Return whether the whole archive was compared, to index all of it."""
    c = archive_states.c
    compared = select(c.scope).where(c.instance == instance, c.passed_at.is_not(None))
    return (connection.scalar(compared) or "").startswith(IndexMode.ALL.value)


def list_excluded_tags(connection: Connection) -> Mapping[str, frozenset[str]]:
    """Return the excluded tags that each instance's documents were checked against."""
    checked = select(archive_states).where(archive_states.c.excluded_tags.is_not(None))
    return {
        row["instance"]: frozenset(json.loads(row["excluded_tags"]))
        for row in connection.execute(checked).mappings()
    }


def is_empty(connection: Connection) -> bool:
    """Return whether the index has no documents, and no instance uses it."""
    tables = (archive_documents, archive_states)
    return not any(connection.scalar(select(table.c.instance).limit(1)) for table in tables)


def find_word_shares(connection: Connection, words: Sequence[str]) -> Mapping[str, float]:
    """Return the share of all documents that each word occurs in, as far as it is counted."""
    total = count_counted_documents(connection)
    return {word: chunks / max(1, total) for word, chunks in read_word_counts(connection, words)}


def read_word_counts(connection: Connection, words: Sequence[str]) -> Iterator[tuple[str, int]]:
    """Yield the known words among these, each with the number of counted chunks that contain it."""
    for start in range(0, len(words), _MAX_VALUES):
        part = words[start : start + _MAX_VALUES]
        known = select(archive_words.c.word, archive_words.c.chunks)
        yield from connection.execute(known.where(archive_words.c.word.in_(part)))


def count_counted_documents(connection: Connection) -> int:
    """Return the number of documents whose words are counted."""
    return counted_rows(connection.scalar(select(func.max(archive_documents.c.id))) or 0)


def _read_text(connection: Connection, row: int, chunks: int) -> str:
    c = archive_chunks.c
    ids = connection.scalars(select(c.id).where(c.document == row).order_by(c.id)).all()
    wanted = {*ids[:chunks], *ids[-1:]}
    texts = connection.scalars(select(c.text).where(c.id.in_(wanted)).order_by(c.id))
    return "\n".join(map(decompress, texts))
