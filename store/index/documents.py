"""Write documents to the archive index: one transaction per chunk, so that none takes long."""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Protocol

from sqlalchemy import Connection, RowMapping, delete, func, select, update

from core.archive import (
    ArchiveDocument,
    ArchiveFields,
    ArchiveName,
    ArchiveState,
    IndexMode,
)
from core.documents import DocumentRef, content_hash
from store.columns import clean
from store.engine import insert_into
from store.index.query import TermGroup
from store.index.tables import (
    archive_chunks,
    archive_documents,
    archive_names,
    archive_states,
    chunk_id,
    is_counted,
)
from store.index.text import (
    TextChunk,
    compress,
    decompress,
    detect_language,
    drop_stop_words,
    fold_words,
    split_chunks,
    vocabulary,
)


class FullTextEngine(Protocol):
    """What differs between the engines; see the modules `sqlite` and `postgres`."""

    def is_supported(self, connection: Connection) -> bool: ...
    def add_chunk(
        self,
        connection: Connection,
        chunk: int,
        title: Sequence[str],
        words: Sequence[str],
        language: str,
    ) -> None: ...
    def remove_chunk(
        self, connection: Connection, chunk: int, title: Sequence[str], words: Sequence[str]
    ) -> None: ...
    def add_words(self, connection: Connection, words: Sequence[str]) -> None: ...
    def count_words(self, connection: Connection, words: Sequence[str], count: int) -> None: ...
    def drop_words(self, connection: Connection, words: Sequence[str]) -> None: ...
    def find_words(self, connection: Connection, part: str, limit: int) -> Sequence[str]: ...
    def hits_query(
        self, connection: Connection, groups: Sequence[TermGroup]
    ) -> tuple[str, dict[str, object]]: ...
    def similar_query(self, words: Sequence[str]) -> tuple[str, dict[str, object]]: ...
    def merge_step(self, connection: Connection) -> bool: ...
    def begin_purge(self, connection: Connection) -> None: ...


@dataclass(frozen=True, slots=True)
class PreparedChunk:
    """A chunk with everything that is stored of it."""

    chunk: TextChunk
    words: list[str]
    language: str
    compressed: bytes


@dataclass(frozen=True, slots=True)
class PreparedDocument:
    """A document, ready to be written without further computing."""

    fields: ArchiveFields
    content_hash: str
    length: int
    chunks: tuple[PreparedChunk, ...]

    @property
    def is_long(self) -> bool:
        return len(self.chunks) > 1


def prepare(document: ArchiveDocument) -> PreparedDocument:
    """Split, fold and compress a text; outside of any transaction, because it takes longest."""
    text = clean(document.text)
    chunks = tuple(_prepare_chunk(chunk) for chunk in split_chunks(text))
    return PreparedDocument(document.fields, content_hash(text), len(text), chunks)


def _prepare_chunk(chunk: TextChunk) -> PreparedChunk:
    words = fold_words(chunk.text)
    language = detect_language(words)
    return PreparedChunk(chunk, drop_stop_words(words), language, compress(chunk.text))


@dataclass(frozen=True, slots=True)
class Unfinished:
    """A long document: chunks that must be removed first, or else the row for the new ones."""

    document: PreparedDocument
    former_chunks: tuple[int, ...] = ()
    row: int = 0


def write_documents(
    connection: Connection, engine: FullTextEngine, prepared: Iterable[PreparedDocument]
) -> tuple[Unfinished, ...]:
    """Write documents of one chunk; return the long ones, which need transactions of their own."""
    written = (_write_document(connection, engine, document) for document in prepared)
    return tuple(unfinished for unfinished in written if unfinished is not None)


def _write_document(
    connection: Connection, engine: FullTextEngine, document: PreparedDocument
) -> Unfinished | None:
    former = _find(connection, document.fields.ref)
    if former is not None and _has_same_text(former, document):
        _change_fields(connection, engine, former, document)
        return None
    if former is not None and former["chunks"] > 1:
        if chunks := list_chunks(connection, document.fields.ref):
            return Unfinished(document, former_chunks=chunks)
    elif former is not None:
        _remove_chunks(connection, engine, former)
    row = _write_row(connection, document)
    if document.is_long:
        return Unfinished(document, row=row)
    write_chunk(connection, engine, row, document, document.chunks[0])
    return None


def write_chunk(
    connection: Connection,
    engine: FullTextEngine,
    row: int,
    document: PreparedDocument,
    prepared: PreparedChunk,
) -> None:
    """Write one chunk and index its words."""
    chunk = prepared.chunk
    id_ = chunk_id(row, chunk.number, is_long=document.is_long)
    values = {"page": chunk.page, "position": chunk.position, "text": prepared.compressed}
    new = insert_into(connection, archive_chunks).values(id=id_, document=row, **values)
    # On PostgreSQL another process may be writing the same document.
    connection.execute(new.on_conflict_do_update(index_elements=["id"], set_=values))
    title = _title_words(document.fields.title) if chunk.number == 0 else []
    engine.add_chunk(connection, id_, title, prepared.words, prepared.language)
    words = vocabulary([*prepared.words, *title])
    engine.add_words(connection, words)
    if is_counted(row):
        engine.count_words(connection, words, 1)


def complete(connection: Connection, row: int) -> None:
    """Mark a long document as complete."""
    this = update(archive_documents).where(archive_documents.c.id == row)
    connection.execute(this.values(complete=True))


def list_chunks(connection: Connection, ref: DocumentRef) -> tuple[int, ...]:
    """Return the chunks of a document, the first of them last."""
    former = _find(connection, ref)
    if former is None:
        return ()
    of_document = select(archive_chunks.c.id).where(archive_chunks.c.document == former["id"])
    return tuple(connection.scalars(of_document.order_by(archive_chunks.c.id.desc())))


def remove_chunk(connection: Connection, engine: FullTextEngine, id_: int) -> None:
    """Remove a chunk and its words."""
    query = (
        select(archive_chunks, archive_documents.c.title)
        .join(archive_documents, archive_documents.c.id == archive_chunks.c.document)
        .where(archive_chunks.c.id == id_)
    )
    row = connection.execute(query).mappings().first()
    if row is None:
        return
    words = drop_stop_words(fold_words(decompress(row["text"])))
    title = _title_words(row["title"]) if row["position"] == 0 else []
    engine.remove_chunk(connection, id_, title, words)
    known = vocabulary([*words, *title])
    connection.execute(delete(archive_chunks).where(archive_chunks.c.id == id_))
    if is_counted(row["document"]):
        engine.count_words(connection, known, -1)
    engine.drop_words(connection, known)
    # Until its chunks are written again, the text of the document is not whole.
    this = update(archive_documents).where(archive_documents.c.id == row["document"])
    connection.execute(this.values(complete=False))


def remove_document(connection: Connection, engine: FullTextEngine, ref: DocumentRef) -> bool:
    """Remove a document and its chunks; return whether it was there."""
    former = _find(connection, ref)
    if former is None:
        return False
    _remove_chunks(connection, engine, former)
    connection.execute(delete(archive_documents).where(archive_documents.c.id == former["id"]))
    return True


def _remove_chunks(connection: Connection, engine: FullTextEngine, former: RowMapping) -> None:
    of_document = select(archive_chunks.c.id).where(archive_chunks.c.document == former["id"])
    for id_ in connection.scalars(of_document).all():
        remove_chunk(connection, engine, id_)


def _find(connection: Connection, ref: DocumentRef) -> RowMapping | None:
    this = select(archive_documents).where(
        archive_documents.c.instance == ref.instance, archive_documents.c.document_id == ref.id
    )
    return connection.execute(this).mappings().first()


def _has_same_text(former: RowMapping, document: PreparedDocument) -> bool:
    return bool(former["complete"]) and former["content_hash"] == document.content_hash


def _change_fields(
    connection: Connection, engine: FullTextEngine, former: RowMapping, document: PreparedDocument
) -> None:
    before, after = (_title_words(title) for title in (former["title"], document.fields.title))
    if before != after:
        first = document.chunks[0]
        id_ = chunk_id(former["id"], 0, is_long=document.is_long)
        engine.remove_chunk(connection, id_, before, first.words)
        engine.add_chunk(connection, id_, after, first.words, first.language)
        engine.add_words(connection, vocabulary(after))
        engine.drop_words(connection, vocabulary(before))
    this = update(archive_documents).where(archive_documents.c.id == former["id"])
    connection.execute(this.values(**_columns(document.fields)))


def _write_row(connection: Connection, document: PreparedDocument) -> int:
    values = {
        **_columns(document.fields),
        "content_hash": document.content_hash,
        "length": document.length,
        "chunks": len(document.chunks),
        "complete": not document.is_long,
    }
    ref = document.fields.ref
    new = insert_into(connection, archive_documents).values(
        instance=ref.instance, document_id=ref.id, **values
    )
    written = new.on_conflict_do_update(index_elements=["instance", "document_id"], set_=values)
    return int(connection.scalars(written.returning(archive_documents.c.id)).one())


def _columns(fields: ArchiveFields) -> dict[str, object]:
    return {
        "title": fields.title,
        "correspondent": fields.correspondent,
        "document_type": fields.document_type,
        "tags": "".join(f",{tag}" for tag in sorted(fields.tags)) + "," if fields.tags else "",
        "created": fields.created.isoformat(),
        "added": fields.added,
        "modified": fields.modified,
        "original_file_name": fields.original_file_name,
        "page_count": fields.page_count,
    }


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


def _title_words(title: str) -> list[str]:
    """Return the words of a title, which are indexed with the first chunk."""
    return drop_stop_words(fold_words(clean(title)))


def list_modified(
    connection: Connection, instance: str, ids: Collection[int]
) -> Mapping[int, datetime]:
    """Return Paperless's `modified` of those documents that are completely indexed."""
    c = archive_documents.c
    these = select(c.document_id, c.modified).where(
        c.instance == instance, c.document_id.in_(ids), c.complete
    )
    return {row.document_id: row.modified for row in connection.execute(these)}


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


def replace_names(
    connection: Connection, instance: str, names: Mapping[ArchiveName, Mapping[int, str]]
) -> None:
    """Store the names of an instance as Paperless has them now."""
    connection.execute(delete(archive_names).where(archive_names.c.instance == instance))
    rows = [
        {"instance": instance, "kind": kind.value, "name_id": id_, "name": name}
        for kind, by_id in names.items()
        for id_, name in by_id.items()
    ]
    if rows:
        connection.execute(archive_names.insert(), rows)


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


def set_excluded_tags(connection: Connection, instance: str, tags: Iterable[str]) -> None:
    """Store the excluded tags that the documents of an instance were checked against."""
    _set_state(connection, instance, {"excluded_tags": json.dumps(sorted(tags))})


def set_passed(connection: Connection, instance: str, at: datetime, scope: str) -> None:
    """Store when the whole archive was compared with the index, and for which documents."""
    _set_state(connection, instance, {"passed_at": at, "scope": scope})


def _set_state(connection: Connection, instance: str, values: Mapping[str, object]) -> None:
    new = insert_into(connection, archive_states).values(instance=instance, **values)
    connection.execute(new.on_conflict_do_update(index_elements=["instance"], set_=dict(values)))


def forget_instance(connection: Connection, instance: str) -> None:
    """Delete the state and the names of an instance whose documents were removed."""
    for table in (archive_names, archive_states):
        connection.execute(delete(table).where(table.c.instance == instance))


def is_empty(connection: Connection) -> bool:
    """Return whether the index has no documents, and no instance uses it."""
    tables = (archive_documents, archive_states)
    return not any(connection.scalar(select(table.c.instance).limit(1)) for table in tables)
