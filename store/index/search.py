"""Search the archive index, build snippets, and find documents similar to a text."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import islice
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
    SnippetPart,
)
from core.documents import DocumentRef
from core.text import fold
from store.index.documents import (
    fields_of,
    has_name,
    has_tag,
)
from store.index.tables import (
    FullTextEngine,
    archive_chunks,
    archive_documents,
    archive_names,
    archive_states,
    archive_words,
)
from store.index.text import (
    MIN_VOCABULARY,
    TermGroup,
    counted_rows,
    decompress,
    drop_stop_words,
    fold_words,
    query_words,
    stem,
    vocabulary,
)

_MAX_VALUES = 500
"""Values in one query."""
MAX_WORDS = 10
"""Words of a search; more would not narrow the result."""
MAX_EXPANSIONS = 24
"""Indexed words that one word of a search may stand for."""
SNIPPET = 240
"""Characters of a snippet."""

SIMILAR_WORDS = 40
"""Words by which similar documents are found."""
_LEAD = 60
"""Characters of a snippet before its first match."""
_MIN_PART_LENGTH = 4
_BREAK = r"(?:[-\u00ad\u2010][^\S\n]*\n\s*)?"
"""A word may be hyphenated at a line end."""
_LETTERS = {
    "a": "[aàáâãäå]",
    "c": "[cç]",
    "e": "[eèéêë]",
    "i": "[iìíîï]",
    "n": "[nñ]",
    "o": "[oòóôõö]",
    "u": "[uùúûü]",
    "y": "[yýÿ]",
}
"""Letters that are folded to one."""
_MAX_MATCHES = 40
_COMMON = 4
"""A word in more than a quarter of all documents says nothing about similarity."""
_FEW = 40
"""Documents; in a smaller archive every word counts."""
_Names = Mapping[tuple[str, ArchiveName, int], str]


@dataclass(frozen=True, slots=True)
class Snippet:
    """A piece of a text around the words searched for."""

    parts: tuple[SnippetPart, ...]
    position: int
    """Of its first match in the chunk; 0 without a match."""


@dataclass(frozen=True, slots=True)
class _Match:
    begin: int
    end: int
    group: int


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


def find_word_shares(connection: Connection, words: Sequence[str]) -> Mapping[str, float]:
    """Return the share of all documents that each word occurs in, as far as it is counted."""
    total = _count_documents(connection)
    return {word: chunks / max(1, total) for word, chunks in _read_word_counts(connection, words)}


def _read_word_counts(connection: Connection, words: Sequence[str]) -> Iterator[tuple[str, int]]:
    """Yield the known words among these, each with the number of counted chunks that contain it."""
    for start in range(0, len(words), _MAX_VALUES):
        part = words[start : start + _MAX_VALUES]
        known = select(archive_words.c.word, archive_words.c.chunks)
        yield from connection.execute(known.where(archive_words.c.word.in_(part)))


def _count_documents(connection: Connection) -> int:
    """Return the number of documents whose words are counted."""
    return counted_rows(connection.scalar(select(func.max(archive_documents.c.id))) or 0)


def build_groups(
    words: str, find_words: Callable[[str, int], Sequence[str]]
) -> tuple[TermGroup, ...]:
    """Build a group for each word of a search; `find_words` looks up those that contain it."""
    return tuple(_build_group(word, find_words) for word in query_words(words)[:MAX_WORDS])


def build_snippet(text: str, groups: Iterable[TermGroup]) -> Snippet:
    """Return the part of the text with the most of the words, or its beginning."""
    groups = tuple(groups)
    matches = list(_find_matches(text, groups))
    start = _choose_start(matches)
    if start is None:
        return Snippet((SnippetPart(_tidy(text[:SNIPPET])),), 0)
    begin = _begin_of_word(text, max(0, matches[start].begin - _LEAD))
    end = min(len(text), begin + SNIPPET)
    shown = [match for match in matches[start:] if match.end <= end]
    return Snippet(tuple(_split(text, begin, end, shown)), matches[start].begin)


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
    total = _count_documents(connection)
    most = total if total < _FEW else total // _COMMON
    weights = {
        word: (1 + log(counts[word])) * log((total + 1) / (chunks + 1))
        for word, chunks in _read_word_counts(connection, words)
        if chunks <= most
    }
    return sorted(weights, key=lambda word: (-weights[word], word))[:SIMILAR_WORDS]


def _build_group(word: str, find_words: Callable[[str, int], Sequence[str]]) -> TermGroup:
    if not word.isalpha():
        return TermGroup(word, (word,), prefix=word if len(word) >= _MIN_PART_LENGTH else "")
    if len(word) < _MIN_PART_LENGTH:
        return TermGroup(word, (word,))
    found = find_words(stem(word), MAX_EXPANSIONS)
    return TermGroup(word, tuple(dict.fromkeys([word, *_own_forms(word), *found])))


def _own_forms(word: str) -> Iterator[str]:
    """Yield the stem of a word that is too short for the vocabulary."""
    if len(stem(word)) < MIN_VOCABULARY:
        yield stem(word)


def _find_matches(text: str, groups: Sequence[TermGroup]) -> Iterator[_Match]:
    """Yield the words of the text that belong to a group, as far as a snippet needs them."""
    pattern = _compile(tuple((group.word, bool(group.prefix)) for group in groups))
    reached = 0
    for found in islice(pattern.finditer(text), _MAX_MATCHES):
        if found.start() < reached:
            continue
        begin, reached = _begin_of_word(text, found.start()), _end_of_word(text, found.end())
        yield _Match(begin, reached, found.lastindex or 0)


@lru_cache(maxsize=100)
def _compile(words: tuple[tuple[str, bool], ...]) -> re.Pattern[str]:
    """Compile a pattern with one group for each word; searching is faster than folding a text."""
    parts = (f"({_pattern_of(word, is_prefix=is_prefix)})" for word, is_prefix in words)
    return re.compile("|".join(parts), re.IGNORECASE)


def _pattern_of(word: str, *, is_prefix: bool) -> str:
    part = stem(word)
    letters = [_LETTERS.get(letter, re.escape(letter)) for letter in part]
    spelled = _BREAK.join(letters).replace(f"s{_BREAK}s", f"(?:s{_BREAK}s|ß)")
    if is_prefix:
        return rf"\b{spelled}"
    return spelled if len(part) >= _MIN_PART_LENGTH else rf"\b{spelled}\b"


def _choose_start(matches: Sequence[_Match]) -> int | None:
    """Return the first match of the window with the most different words; None without any."""
    best, most = None, 0
    for start, first in enumerate(matches):
        window = {m.group for m in matches[start:] if m.end <= first.begin + SNIPPET - _LEAD}
        if len(window) > most:
            best, most = start, len(window)
    return best


def _begin_of_word(text: str, position: int) -> int:
    while position > 0 and text[position - 1].isalnum():
        position -= 1
    return position


def _end_of_word(text: str, position: int) -> int:
    while position < len(text) and text[position].isalnum():
        position += 1
    return position


def _split(text: str, begin: int, end: int, matches: Iterable[_Match]) -> Iterator[SnippetPart]:
    reached = begin
    for match in matches:
        if before := _tidy(text[reached : match.begin]):
            yield SnippetPart(before)
        yield SnippetPart(_tidy(text[match.begin : match.end]), is_match=True)
        reached = match.end
    if rest := _tidy(text[reached:end]):
        yield SnippetPart(rest)


def _tidy(text: str) -> str:
    """Return a piece of text on one line; spaces at its ends separate it from its neighbours."""
    return re.sub(r"\s+", " ", text)
