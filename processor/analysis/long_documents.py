"""Split a long document into chunks that fit the context, and merge their suggestions."""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil
from typing import TypeAlias

from core.analysis import Chunk
from core.changes import Suggestion
from core.fields import NAMED_FIELDS, Field, FieldName
from core.text import fold, split_words
from processor.analysis.name_matching import name_key
from processor.analysis.prompt import PromptSettings, count_text_tokens_left
from processor.analysis.prompt_blocks import (
    BYTES_PER_TOKEN,
    HEAD_SHARE,
    OfferedNames,
    estimate_tokens,
)
from processor.analysis.quotes import occurs_in, split_quotes

WHOLE = Chunk(1, 1)
_MIN_KEPT = 2
"""A text up to this many times the room is not split; its middle is left out instead."""
_MIN_ROOM = 200
"""Minimum tokens of a chunk; smaller ones hold too few facts and would be too many."""
_OVERLAP = 300
"""Bytes that a chunk repeats of the previous one, so that no fact is cut in two."""
_BORDERS = (b"\n\n", b"\n", b" ")
_SEARCHED = 5
"""A border is searched in the last fifth of a chunk."""
_LATER = 0.8
"""Weight of a value from a later chunk; letters state their facts at the beginning."""
_UNPROVED = 0.25
"""Weight of a value whose evidence is not in the chunk."""
_FURTHER = 0.05
"""Bonus for each further chunk with the same value."""
_MAX_FURTHER = 5
"""Maximum chunks that add a bonus: a footer on every page must not outweigh the fact."""
_MAX_FURTHER_TAGS = 20
"""More for tags: the subject of a document may be on every page."""

_Span: TypeAlias = tuple[int, int]


@dataclass(frozen=True, slots=True)
class SplitText:
    """The chunks of a text in order; usually one."""

    texts: Mapping[Chunk, str]
    unread: int = 0
    """Characters that are in none of them."""

    @property
    def is_whole(self) -> bool:
        return WHOLE in self.texts


@dataclass(frozen=True, slots=True)
class ChunkResult:
    """The suggestions of one chunk, and its text."""

    place: Chunk
    suggestions: tuple[Suggestion, ...]
    text: str


def split_for_prompt(text: str, *, names: OfferedNames, settings: PromptSettings) -> SplitText:
    """Split `text` so that each chunk fits into a prompt with these names."""
    return split_text(text, room=count_text_tokens_left(settings, names), most=settings.max_passes)


def split_text(text: str, *, room: int, most: int) -> SplitText:
    """Split `text` into chunks of at most `room` tokens, unless half of it fits into one.

    Of more than `most` chunks, those at the beginning and at the end are kept.
    """
    if most == 1 or room < _MIN_ROOM or estimate_tokens(text) <= room * _MIN_KEPT:
        return SplitText({WHOLE: text})
    written = text.encode()
    spans = list(_spans(written, room * BYTES_PER_TOKEN))
    numbers: Sequence[int] = range(len(spans))
    if len(spans) > most:
        head = min(ceil(most * HEAD_SHARE), most - 1)
        numbers = [*range(head), *range(len(spans) - (most - head), len(spans))]
    texts = {Chunk(n + 1, len(spans)): written[slice(*spans[n])].decode() for n in numbers}
    # Blank pages need no request.
    written_on = {place: part for place, part in texts.items() if part.strip()}
    borders = pairwise(spans[n] for n in numbers)
    gaps = [(end, start) for (_, end), (start, _) in borders if end < start]
    return SplitText(written_on, unread=sum(len(written[slice(*gap)].decode()) for gap in gaps))


def merge_suggestions(found: Iterable[ChunkResult], *, max_tags: int) -> tuple[Suggestion, ...]:
    """Return the best suggestion for each field, and the best `max_tags` tags.

    A suggestion rates higher with evidence, with confidence, in the first chunk, and if other
    chunks repeat it.
    """
    rated: defaultdict[Hashable, list[tuple[float, Suggestion]]] = defaultdict(list)
    for chunk in found:
        for suggestion, rating in _rate(chunk):
            # Equal for all spellings of one value.
            key = name_key if suggestion.field in NAMED_FIELDS else fold
            rated[suggestion.field, key(suggestion.value)].append((rating, suggestion))
    best: list[tuple[float, Suggestion]] = []
    for same in rated.values():
        rating, suggestion = max(same, key=lambda pair: pair[0])
        most = _MAX_FURTHER_TAGS if suggestion.field is FieldName.TAGS else _MAX_FURTHER
        best.append((rating * (1 + _FURTHER * min(len(same) - 1, most)), suggestion))
    taken: defaultdict[Field, list[Suggestion]] = defaultdict(list)
    for _, suggestion in sorted(best, key=lambda pair: -pair[0]):
        most = max_tags if suggestion.field is FieldName.TAGS else 1
        if len(taken[suggestion.field]) < most:
            taken[suggestion.field].append(suggestion)
    ordered = sorted(taken, key=_field_order)
    return tuple(suggestion for field in ordered for suggestion in taken[field])


def _spans(written: bytes, size: int) -> Iterator[_Span]:
    start = end = 0
    while end < len(written):
        end = _end(written, start, size)
        yield start, end
        start = _start(written, end)


def _end(written: bytes, start: int, size: int) -> int:
    """Return where a chunk ends: after a paragraph, a line or a word, if there is one."""
    if start + size >= len(written):
        return len(written)
    earliest = start + size - size // _SEARCHED
    for border in _BORDERS:
        found = written.rfind(border, earliest, start + size)
        if found >= 0:
            return found + len(border)
    return _letter_at(written, start + size)


def _start(written: bytes, end: int) -> int:
    """Return where the chunk after the one that ends at `end` begins: with a line or a word."""
    earliest = end - _OVERLAP
    for border in _BORDERS[1:]:
        found = written.find(border, earliest, end - 1)
        if found >= 0:
            return found + len(border)
    return _letter_at(written, earliest)


def _letter_at(written: bytes, place: int) -> int:
    """Return the first byte of the character at `place`: in UTF-8 it may have several."""
    while written[place] & 0b1100_0000 == 0b1000_0000:
        place -= 1
    return place


def _rate(found: ChunkResult) -> Iterable[tuple[Suggestion, float]]:
    text = " ".join(split_words(found.text)) if found.suggestions else ""
    first = 1.0 if found.place.number == 1 else _LATER
    for suggestion in found.suggestions:
        quotes = split_quotes(suggestion.evidence)
        is_quoted = quotes and all(occurs_in(quote, text) for quote in quotes)
        place = 1.0 if suggestion.field is FieldName.TAGS else first
        yield suggestion, suggestion.confidence * place * (1.0 if is_quoted else _UNPROVED)


def _field_order(field: Field) -> int:
    """Return the position of a field in an answer; custom fields come last."""
    return list(FieldName).index(field) if isinstance(field, FieldName) else len(FieldName)
