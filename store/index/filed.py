"""Read what the archive index has of the documents that are filed under a name."""

from collections.abc import Collection, Mapping, Sequence

from sqlalchemy import Connection, func, select

from core.archive import ArchiveDocument, ArchiveName
from store.index.documents import fields_of
from store.index.search import has_name, has_tag
from store.index.tables import archive_chunks, archive_documents, archive_words, counted_rows
from store.index.text import decompress

_MAX_VALUES = 500
"""Values in one query."""


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


def find_word_shares(connection: Connection, words: Sequence[str]) -> Mapping[str, float]:
    """Return the share of all documents that each word occurs in, as far as it is counted."""
    total = counted_rows(connection.scalar(select(func.max(archive_documents.c.id))) or 0)
    shares: dict[str, float] = {}
    for start in range(0, len(words), _MAX_VALUES):
        part = words[start : start + _MAX_VALUES]
        known = select(archive_words.c.word, archive_words.c.chunks)
        for word, chunks in connection.execute(known.where(archive_words.c.word.in_(part))):
            shares[word] = chunks / max(1, total)
    return shares
