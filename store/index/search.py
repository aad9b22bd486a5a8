"""Search the archive index, and find the documents most similar to a text."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial
from math import log

from sqlalchemy import (
    BigInteger,
    Column,
    ColumnElement,
    Connection,
    Float,
    RowMapping,
    Subquery,
    and_,
    column,
    func,
    or_,
    select,
    text,
    tuple_,
)

from core.archive import (
    ArchiveCursor,
    ArchiveFields,
    ArchiveHit,
    ArchiveHits,
    ArchiveName,
    ArchiveSearch,
)
from core.documents import DocumentRef
from core.text import fold
from store.index.documents import FullTextEngine, fields_of
from store.index.query import Snippet, TermGroup, build_groups, build_snippet
from store.index.tables import (
    archive_chunks,
    archive_documents,
    archive_names,
    archive_states,
    archive_words,
    counted_rows,
)
from store.index.text import decompress, drop_stop_words, fold_words, vocabulary

SIMILAR_WORDS = 40
"""Words by which similar documents are found."""
_COMMON = 4
"""A word in more than a quarter of all documents says nothing about similarity."""
_FEW = 40
"""Documents; in a smaller archive every word counts."""
_MAX_VALUES = 500
"""Values in one query."""

_Names = Mapping[tuple[str, ArchiveName, int], str]


def search(connection: Connection, engine: FullTextEngine, wanted: ArchiveSearch) -> ArchiveHits:
    """Return one page of the documents that contain all words, the best first."""
    groups = build_groups(wanted.words, partial(engine.find_words, connection))
    conditions = _build_conditions(connection, wanted)
    if not groups or conditions is None:
        return ArchiveHits()
    hits = _hits_subquery(*engine.hits_query(connection, groups))
    query = select(hits).order_by(hits.c.score, hits.c.document).limit(wanted.limit + 1)
    if conditions:
        # Otherwise the rows of documents are not read: there may be a hundred thousand.
        query = query.join(archive_documents, archive_documents.c.id == hits.c.document)
        query = query.where(*conditions)
    if wanted.after is not None:
        reached = (wanted.after.score, wanted.after.row)
        query = query.where(tuple_(hits.c.score, hits.c.document) > reached)
    found = connection.execute(query).mappings().all()
    built = tuple(_build_hits(connection, found[: wanted.limit], groups))
    return ArchiveHits(built, built[-1].cursor if built and len(found) > wanted.limit else None)


def find_similar(
    connection: Connection,
    engine: FullTextEngine,
    ref: DocumentRef,
    content: str,
    *,
    without_tags: Collection[int],
    limit: int,
) -> tuple[ArchiveFields, ...]:
    """Return the documents of the same instance that are most similar to a text.

    The document itself and those with one of `without_tags` are left out.
    """
    words = _choose_words(connection, content)
    if not words:
        return ()
    hits = _hits_subquery(*engine.similar_query(words))
    c = archive_documents.c
    query = (
        select(archive_documents)
        .join(hits, hits.c.document == c.id)
        .where(c.instance == ref.instance, c.document_id != ref.id)
        .where(*(~has_tag(tag) for tag in sorted(without_tags)))
        .order_by(hits.c.score, c.id)
        .limit(limit)
    )
    return tuple(fields_of(row) for row in connection.execute(query).mappings())


def _hits_subquery(query: str, values: Mapping[str, object]) -> Subquery:
    columns = (column("document", BigInteger), column("chunk", BigInteger), column("score", Float))
    return text(query).bindparams(**values).columns(*columns).subquery("hits")


def _build_conditions(
    connection: Connection, wanted: ArchiveSearch
) -> list[ColumnElement[bool]] | None:
    """Build the conditions on the rows of documents; None if no document can fulfil them."""
    if not wanted.instances:
        return None
    c = archive_documents.c
    conditions: list[ColumnElement[bool]] = []
    if not set(connection.scalars(select(archive_states.c.instance))) <= wanted.instances:
        conditions.append(c.instance.in_(sorted(wanted.instances)))
    if wanted.created_since is not None:
        conditions.append(c.created >= wanted.created_since.isoformat())
    if wanted.created_until is not None:
        conditions.append(c.created <= wanted.created_until.isoformat())
    for kind, name in (
        (ArchiveName.CORRESPONDENT, wanted.correspondent),
        (ArchiveName.DOCUMENT_TYPE, wanted.document_type),
        (ArchiveName.TAG, wanted.tag),
    ):
        if name is not None:
            ids = _find_names(connection, kind, name, wanted.instances)
            if not ids:
                return None
            conditions.append(or_(*(has_name(kind, instance, id_) for instance, id_ in ids)))
    return conditions


def _find_names(
    connection: Connection, kind: ArchiveName, name: str, instances: Collection[str]
) -> list[tuple[str, int]]:
    """Return instance and id of the names that are spelled so, in any case."""
    c, key = archive_names.c, fold(name)
    of_kind = select(archive_names).where(c.kind == kind.value, c.instance.in_(instances))
    rows = connection.execute(of_kind).mappings()
    return [(row["instance"], row["name_id"]) for row in rows if fold(row["name"]) == key]


def has_name(kind: ArchiveName, instance: str, id_: int) -> ColumnElement[bool]:
    """Return the condition that a document of an instance has a name."""
    of_kind = (
        archive_documents.c[kind.value] == id_ if kind is not ArchiveName.TAG else has_tag(id_)
    )
    return and_(archive_documents.c.instance == instance, of_kind)


def has_tag(id_: int) -> ColumnElement[bool]:
    """Return the condition that a document has a tag."""
    return archive_documents.c.tags.contains(f",{id_},")


def _build_hits(
    connection: Connection, found: Sequence[RowMapping], groups: Sequence[TermGroup]
) -> Iterator[ArchiveHit]:
    documents = _read_rows(connection, archive_documents.c.id, [row["document"] for row in found])
    chunks = _read_rows(connection, archive_chunks.c.id, [row["chunk"] for row in found])
    fields_by_row = {id_: fields_of(row) for id_, row in documents.items()}
    names = _read_names(connection, fields_by_row.values())
    for hit in found:
        document, chunk = documents[hit["document"]], chunks[hit["chunk"]]
        content = decompress(chunk["text"])
        snippet = build_snippet(content, groups)
        page, is_estimated = _find_page(document, chunk, content, snippet)
        fields = fields_by_row[hit["document"]]
        instance = fields.ref.instance
        yield ArchiveHit(
            fields=fields,
            score=-hit["score"],
            cursor=ArchiveCursor(hit["score"], hit["document"]),
            snippet=snippet.parts,
            page=page,
            is_page_estimated=is_estimated,
            correspondent=names.get(
                (instance, ArchiveName.CORRESPONDENT, fields.correspondent or 0)
            ),
            document_type=names.get(
                (instance, ArchiveName.DOCUMENT_TYPE, fields.document_type or 0)
            ),
            tags=tuple(
                sorted(
                    name
                    for tag in fields.tags
                    if (name := names.get((instance, ArchiveName.TAG, tag)))
                )
            ),
        )


def _find_page(
    document: RowMapping, chunk: RowMapping, content: str, snippet: Snippet
) -> tuple[int | None, bool]:
    """Return the page of a snippet, and whether it is an estimate.

    Paperless removes the page breaks of most texts, but knows the number of pages.
    """
    breaks = content[: snippet.position].count("\f")
    if chunk["page"] > 1 or "\f" in content:
        return chunk["page"] + breaks, False
    pages = document["page_count"]
    if not pages or pages == 1:
        return pages, False
    share = (chunk["position"] + snippet.position) / max(1, document["length"])
    return min(pages, 1 + int(share * pages)), True


def _read_rows(
    connection: Connection, id_column: Column[int], ids: Collection[int]
) -> Mapping[int, RowMapping]:
    query = select(id_column.table).where(id_column.in_(ids))
    return {row["id"]: row for row in connection.execute(query).mappings()}


def _read_names(connection: Connection, documents: Collection[ArchiveFields]) -> _Names:
    """Return the names of these documents."""
    wanted: defaultdict[str, set[int]] = defaultdict(set)
    for fields in documents:
        used = {fields.correspondent, fields.document_type, *fields.tags}
        wanted[fields.ref.instance] |= {id_ for id_ in used if id_ is not None}
    c = archive_names.c
    these = [and_(c.instance == name, c.name_id.in_(ids)) for name, ids in wanted.items() if ids]
    if not these:
        return {}
    rows = connection.execute(select(archive_names).where(or_(*these))).mappings()
    return {
        (row["instance"], ArchiveName(row["kind"]), row["name_id"]): row["name"] for row in rows
    }


def _choose_words(connection: Connection, content: str) -> list[str]:
    """Return the words that distinguish a text from others in the index, the best first."""
    counts = Counter(drop_stop_words(fold_words(content)))
    words = vocabulary(list(counts))
    total = counted_rows(connection.scalar(select(func.max(archive_documents.c.id))) or 0)
    most = total if total < _FEW else total // _COMMON
    weights: dict[str, float] = {}
    for start in range(0, len(words), _MAX_VALUES):
        part = words[start : start + _MAX_VALUES]
        known = select(archive_words.c.word, archive_words.c.chunks)
        for word, chunks in connection.execute(known.where(archive_words.c.word.in_(part))):
            if chunks <= most:
                weights[word] = (1 + log(counts[word])) * log((total + 1) / (chunks + 1))
    return sorted(weights, key=lambda word: (-weights[word], word))[:SIMILAR_WORDS]
