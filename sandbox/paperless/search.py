"""Full text search: plain words without an index, in the formats of the two releases."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sandbox.paperless.calls import Call
from sandbox.paperless.permissions import may_see
from sandbox.paperless.records import Document, Kind
from sandbox.paperless.replies import Refused
from sandbox.paperless.world import World

_IN_V2 = ("query", "more_like_id")
_IN_V3 = ("text", "title_search", "query", "more_like_id")
_WORD = re.compile(r"\w{3,}")
_FIELD = re.compile(r"(tag|title|correspondent|type|content):(\S+)")


@dataclass(frozen=True, slots=True)
class Hits:
    """Results of a search, best first."""

    documents: list[Document]
    words: frozenset[str]

    def as_json(self, call: Call, document: Document) -> dict[str, object]:
        """Return a hit as JSON. In the sandbox, only the rank has a meaning, not the score."""
        rank = self.documents.index(document)
        is_v3 = call.world.release.is_v3
        return {
            "score": 0.0 if is_v3 else 1.0,
            "highlights": _highlights(document, self.words),
            "note_highlights": None if is_v3 else "",
            "rank": rank + 1 if is_v3 else rank,
        }


def search(call: Call, documents: Sequence[Document]) -> Hits | None:
    """Return the results of the requested search; None if the query has none."""
    is_v3 = call.world.release.is_v3
    asked = [name for name in (_IN_V3 if is_v3 else _IN_V2) if name in call.query]
    if not asked:
        return None
    if is_v3 and len(asked) > 1:
        detail = "Specify only one of text, title_search, query, or more_like_id."
        raise Refused(400, {"detail": detail})
    value = call.query[asked[0]]
    if asked[0] == "more_like_id":
        return _more_like(call, value, documents)
    if asked[0] == "title_search":
        return _with_words(documents, words_of(value), _title)
    return _by_query(call.world, value, documents)


def words_of(text: str) -> frozenset[str]:
    return frozenset(word.lower() for word in _WORD.findall(text))


def _more_like(call: Call, value: str, documents: Sequence[Document]) -> Hits:
    """Rank documents by the number of words they share with another."""
    like = call.world.documents.get(int(value)) if value.isdecimal() else None
    if like is None:
        raise _bad_search()
    if not may_see(call.user, like):
        raise Refused(403, {"detail": "Insufficient permissions."})
    if call.world.search_is_broken:
        return Hits([], frozenset())
    words = words_of(like.content)
    shared = {d.id: len(words & words_of(d.content)) for d in documents if d.id != like.id}
    found = [document for document in documents if shared.get(document.id)]
    return Hits(sorted(found, key=lambda d: (-shared[d.id], d.id)), frozenset())


def _by_query(world: World, query: str, documents: Sequence[Document]) -> Hits:
    if world.release.is_v3 and query.count("(") != query.count(")"):
        raise _bad_search()
    fields = _FIELD.findall(query)
    words = words_of(_FIELD.sub(" ", query))
    if not fields and not words and query.strip() != "*":
        return Hits([], words)
    found = [d for d in documents if all(_in_field(world, d, *field) for field in fields)]
    return _with_words(found, words, lambda d: _everything(world, d))


def _with_words(
    documents: Sequence[Document], words: frozenset[str], text_of: Callable[[Document], str]
) -> Hits:
    """Return the documents that have all the words, the most frequent first."""
    found = [document for document in documents if words <= words_of(text_of(document))]
    return Hits(sorted(found, key=lambda d: (-_count(text_of(d), words), d.id)), words)


def _count(text: str, words: frozenset[str]) -> int:
    return sum(word.lower() in words for word in _WORD.findall(text))


def _title(document: Document) -> str:
    return document.title


def _everything(world: World, document: Document) -> str:
    names = " ".join(_names(world, document, field) for field in ("tag", "correspondent", "type"))
    return f"{document.title} {document.content} {names}"


def _in_field(world: World, document: Document, field: str, word: str) -> bool:
    texts = {"title": document.title, "content": document.content}
    return word.lower() in (texts.get(field) or _names(world, document, field)).lower()


def _names(world: World, document: Document, field: str) -> str:
    kinds: dict[str, tuple[Kind, set[int] | set[int | None]]] = {
        "tag": (Kind.TAG, document.tags),
        "correspondent": (Kind.CORRESPONDENT, {document.correspondent}),
        "type": (Kind.DOCUMENT_TYPE, {document.document_type}),
    }
    kind, ids = kinds.get(field, (Kind.TAG, set()))
    return " ".join(world.names[kind][id_].name for id_ in sorted(filter(None, ids)))


def _highlights(document: Document, words: frozenset[str]) -> str:
    """Return the first line with a searched word, with the word marked."""
    for line in document.content.splitlines():
        for word in _WORD.findall(line):
            if word.lower() in words:
                return line.replace(word, f"<b>{word}</b>", 1)
    return ""


def _bad_search() -> Refused:
    return Refused(400, "Error listing search results, check logs for more detail.")
