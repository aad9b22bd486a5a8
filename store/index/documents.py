"""Documents and state of the archive index: how they are written, removed and read.

Transactions are short: a long document is written by chunk.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from sqlalchemy import ColumnElement, Connection, RowMapping, and_, delete, func, select, update

from core.archive import (
    ArchiveDocument,
    ArchiveFields,
    ArchiveName,
    ArchiveState,
    IndexMode,
)
from core.documents import DocumentRef, content_hash
from store.columns import clean
from store.engine import insert_into, replace_into
from store.index.tables import (
    FullTextEngine,
    archive_chunks,
    archive_documents,
    archive_names,
    archive_states,
)
from store.index.text import (
    ChunkWords,
    TextChunk,
    compress,
    count_indexed_words,
    decompress,
    detect_language,
    drop_stop_words,
    fold_words,
    is_counted,
    split_chunks,
    vocabulary,
)

HASH_LENGTH = 24
"""Characters of the hash of a text that are stored."""


@dataclass(frozen=True, slots=True)
class PreparedChunk:
    """A chunk with everything that is stored of it."""

    chunk: TextChunk
    words: Mapping[str, int]
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


@dataclass(frozen=True, slots=True)
class Unfinished:
    """A long document: chunks that must be removed first, or else the row for the new ones."""

    document: PreparedDocument
    former_chunks: tuple[int, ...] = ()
    row: int = 0


def prepare(document: ArchiveDocument) -> PreparedDocument:
    """Split, fold and compress a text; outside of any transaction, because it takes longest."""
    text = clean(document.text)
    chunks = tuple(_prepare_chunk(chunk) for chunk in split_chunks(text))
    return PreparedDocument(document.fields, content_hash(text)[:HASH_LENGTH], len(text), chunks)


def write_documents(
    connection: Connection, engine: FullTextEngine, prepared: Collection[PreparedDocument]
) -> tuple[Unfinished, ...]:
    """Write documents of one chunk; return the long ones, which need transactions of their own."""
    known = _find_all(connection, [document.fields.ref for document in prepared])
    unfinished, ready = list[Unfinished](), list[PreparedDocument]()
    for document in prepared:
        former = known.get(document.fields.ref)
        if former is None:
            ready.append(document)
        elif _has_same_text(former, document):
            _change_fields(connection, engine, former, document)
        elif chunks := _remove_short(connection, engine, former):
            unfinished.append(Unfinished(document, former_chunks=chunks))
        else:
            ready.append(document)
    rows = _write_rows(connection, ready)
    short = [(rows[d.fields.ref], d, d.chunks[0]) for d in ready if not d.is_long]
    write_chunks(connection, engine, short)
    long = (Unfinished(d, row=rows[d.fields.ref]) for d in ready if d.is_long)
    return (*unfinished, *long)


def write_chunks(
    connection: Connection,
    engine: FullTextEngine,
    chunks: Sequence[tuple[int, PreparedDocument, PreparedChunk]],
) -> None:
    """Write chunks, each with the row of its document, and index their words."""
    if not chunks:
        return
    rows, indexed, words = list[dict[str, object]](), list[ChunkWords](), set[str]()
    for row, document, prepared in chunks:
        chunk = prepared.chunk
        id_ = engine.chunk_id(row, chunk.number, is_long=document.is_long)
        position = {"page": chunk.page, "position": chunk.position}
        rows.append({"id": id_, "document": row, **position, "text": prepared.compressed})
        title = _title_words(document.fields.title) if chunk.number == 0 else []
        indexed.append(ChunkWords(id_, title, prepared.words, prepared.language))
        words.update(prepared.words, title)
    # Replaces a row on PostgreSQL if another process is writing the same document.
    connection.execute(replace_into(connection, archive_chunks, "id"), rows)
    engine.add_chunks(connection, indexed)
    engine.add_words(connection, vocabulary(words))
    for (row, *_), chunk_words in zip(chunks, indexed, strict=True):
        if is_counted(row):
            both = [*chunk_words.words, *chunk_words.title]
            engine.count_words(connection, vocabulary(both), 1)


def complete(connection: Connection, row: int) -> None:
    """Mark a long document as complete."""
    this = update(archive_documents).where(archive_documents.c.id == row)
    connection.execute(this.values(complete=True))


def list_chunks(connection: Connection, ref: DocumentRef) -> tuple[int, ...]:
    """Return the chunks of a document, the first of them last."""
    former = _find(connection, ref)
    return () if former is None else _list_chunks_of(connection, former["id"])


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
    words = count_indexed_words(Counter(fold_words(decompress(row["text"]))))
    title = _title_words(row["title"]) if row["position"] == 0 else []
    engine.remove_chunk(connection, ChunkWords(id_, title, words))
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
    for id_ in _list_chunks_of(connection, former["id"]):
        remove_chunk(connection, engine, id_)
    connection.execute(delete(archive_documents).where(archive_documents.c.id == former["id"]))
    return True


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


def set_excluded_tags(connection: Connection, instance: str, tags: Iterable[str]) -> None:
    """Store the excluded tags that the documents of an instance were checked against."""
    _set_state(connection, instance, {"excluded_tags": json.dumps(sorted(tags))})


def set_passed(connection: Connection, instance: str, at: datetime, scope: str) -> None:
    """Store when the whole archive was compared with the index, and for which documents."""
    _set_state(connection, instance, {"passed_at": at, "scope": scope})


def forget_instance(connection: Connection, instance: str) -> None:
    """Delete the state and the names of an instance whose documents were removed."""
    for table in (archive_names, archive_states):
        connection.execute(delete(table).where(table.c.instance == instance))


def _prepare_chunk(chunk: TextChunk) -> PreparedChunk:
    counts = Counter(fold_words(chunk.text))
    words, language = count_indexed_words(counts), detect_language(counts)
    return PreparedChunk(chunk, words, language, compress(chunk.text))


def _remove_short(
    connection: Connection, engine: FullTextEngine, former: RowMapping
) -> tuple[int, ...]:
    """Remove the only chunk of a document; only return the chunks of a long one."""
    chunks = _list_chunks_of(connection, former["id"])
    if former["chunks"] > 1:
        return chunks
    for id_ in chunks:
        remove_chunk(connection, engine, id_)
    return ()


def _list_chunks_of(connection: Connection, row: int) -> tuple[int, ...]:
    of_document = select(archive_chunks.c.id).where(archive_chunks.c.document == row)
    return tuple(connection.scalars(of_document.order_by(archive_chunks.c.id.desc())))


def _find(connection: Connection, ref: DocumentRef) -> RowMapping | None:
    return _find_all(connection, [ref]).get(ref)


def _find_all(
    connection: Connection, refs: Iterable[DocumentRef]
) -> Mapping[DocumentRef, RowMapping]:
    by_instance: defaultdict[str, list[int]] = defaultdict(list)
    for ref in refs:
        by_instance[ref.instance].append(ref.id)
    c = archive_documents.c
    found: dict[DocumentRef, RowMapping] = {}
    for instance, ids in by_instance.items():
        these = select(archive_documents).where(c.instance == instance, c.document_id.in_(ids))
        for row in connection.execute(these).mappings():
            found[DocumentRef(instance, row["document_id"])] = row
    return found


def _has_same_text(former: RowMapping, document: PreparedDocument) -> bool:
    return bool(former["complete"]) and former["content_hash"].startswith(document.content_hash)


def _change_fields(
    connection: Connection, engine: FullTextEngine, former: RowMapping, document: PreparedDocument
) -> None:
    before, after = (_title_words(title) for title in (former["title"], document.fields.title))
    if before != after:
        first = document.chunks[0]
        id_ = engine.chunk_id(former["id"], 0, is_long=document.is_long)
        engine.remove_chunk(connection, ChunkWords(id_, before, first.words))
        engine.add_chunks(connection, [ChunkWords(id_, after, first.words, first.language)])
        engine.add_words(connection, vocabulary(after))
        engine.drop_words(connection, vocabulary(before))
    this = update(archive_documents).where(archive_documents.c.id == former["id"])
    connection.execute(this.values(**_columns(document.fields)))


def _write_rows(
    connection: Connection, documents: Collection[PreparedDocument]
) -> Mapping[DocumentRef, int]:
    """Write the rows of documents; return their ids."""
    if not documents:
        return {}
    values = [
        {
            "instance": document.fields.ref.instance,
            "document_id": document.fields.ref.id,
            **_columns(document.fields),
            "content_hash": document.content_hash,
            "length": document.length,
            "chunks": len(document.chunks),
            "complete": not document.is_long,
        }
        for document in documents
    ]
    c = archive_documents.c
    new = replace_into(connection, archive_documents, "instance", "document_id")
    written = connection.execute(new.returning(c.id, c.instance, c.document_id), values)
    return {DocumentRef(row.instance, row.document_id): row.id for row in written}


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


def _title_words(title: str) -> list[str]:
    """Return the words of a title, which are indexed with the first chunk."""
    return drop_stop_words(fold_words(clean(title)))


def _set_state(connection: Connection, instance: str, values: Mapping[str, object]) -> None:
    new = insert_into(connection, archive_states).values(instance=instance, **values)
    connection.execute(new.on_conflict_do_update(index_elements=["instance"], set_=dict(values)))


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


def _read_text(connection: Connection, row: int, chunks: int) -> str:
    c = archive_chunks.c
    ids = connection.scalars(select(c.id).where(c.document == row).order_by(c.id)).all()
    wanted = {*ids[:chunks], *ids[-1:]}
    texts = connection.scalars(select(c.text).where(c.id.in_(wanted)).order_by(c.id))
    return "\n".join(map(decompress, texts))
