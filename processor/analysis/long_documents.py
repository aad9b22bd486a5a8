"""Make a document fit into what the model can read at once."""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil
from typing import TypeAlias

from core.analysis import Chunk
from core.changes import Suggestion
from core.fields import Field, FieldName
from core.names import NAMED_FIELDS
from core.text import fold, split_words
from processor.analysis.budget import BYTES_PER_TOKEN, HEAD_SHARE, estimate_tokens
from processor.analysis.name_matching import name_key
from processor.analysis.prompt import PromptSettings, count_text_tokens_left
from processor.analysis.quotes import occurs_in, split_quotes

WHOLE = Chunk(1, 1)
_LEAST_KEPT = 2
"""A text is read at once, its middle left out, while one part in so many of it is kept."""
_LEAST_ROOM = 200
"""Tokens: passes that are smaller could tell nothing, and there would be no end of them."""
_OVERLAP = 300
"""Bytes that a pass repeats of the one before, so that no fact is cut in two."""
_BORDERS = (b"\n\n", b"\n", b" ")
_SEARCHED = 5
"""A border is looked for in the last fifth of a pass."""

_Span: TypeAlias = tuple[int, int]


@dataclass(frozen=True, slots=True)
class SplitText:
    """A text in the parts that are asked about, in order; mostly one."""

    texts: Mapping[Chunk, str]
    unread: int = 0
    """How many characters are in none of them."""

    @property
    def is_whole(self) -> bool:
        return WHOLE in self.texts


def split_for_prompt(
    text: str, *, names: Mapping[FieldName, Sequence[str]], brief: PromptSettings
) -> SplitText:
    """Cut `text` so that each part fits into a question with these names."""
    return split_text(text, room=count_text_tokens_left(brief, names), most=brief.max_passes)


def split_text(text: str, *, room: int, most: int) -> SplitText:
    """Cut `text` into passes of at most `room` tokens; with at least half of it in one, do not.

    Of more than `most` passes those at the beginning and at the end are taken.
    """
    if most == 1 or room < _LEAST_ROOM or estimate_tokens(text) <= room * _LEAST_KEPT:
        return SplitText({WHOLE: text})
    written = text.encode()
    spans = list(_spans(written, room * BYTES_PER_TOKEN))
    numbers = _choose_chunks(len(spans), most)
    texts = {Chunk(n + 1, len(spans)): written[slice(*spans[n])].decode() for n in numbers}
    # About blank pages nobody need be asked.
    told = {place: part for place, part in texts.items() if part.strip()}
    return SplitText(told, unread=_characters_between([spans[n] for n in numbers], written))


def _choose_chunks(count: int, most: int) -> Sequence[int]:
    if count <= most:
        return range(count)
    head = min(ceil(most * HEAD_SHARE), most - 1)
    return [*range(head), *range(count - (most - head), count)]


def _characters_between(spans: Sequence[_Span], written: bytes) -> int:
    gaps = [(one[1], other[0]) for one, other in pairwise(spans) if one[1] < other[0]]
    return sum(len(written[slice(*gap)].decode()) for gap in gaps)


def _spans(written: bytes, size: int) -> Iterator[_Span]:
    start = end = 0
    while end < len(written):
        end = _end(written, start, size)
        yield start, end
        start = _start(written, end)


def _end(written: bytes, start: int, size: int) -> int:
    """Return where a pass ends: after a paragraph, a line or a word, or wherever it must."""
    if start + size >= len(written):
        return len(written)
    earliest = start + size - size // _SEARCHED
    for border in _BORDERS:
        found = written.rfind(border, earliest, start + size)
        if found >= 0:
            return found + len(border)
    return _letter_at(written, start + size)


def _start(written: bytes, end: int) -> int:
    """Return where the pass after the one that ends at `end` begins: with a line or a word."""
    earliest = end - _OVERLAP
    for border in _BORDERS[1:]:
        found = written.find(border, earliest, end - 1)
        if found >= 0:
            return found + len(border)
    return _letter_at(written, earliest)


def _letter_at(written: bytes, place: int) -> int:
    """Step back to where a letter begins: in UTF-8 it may have several bytes."""
    while written[place] & 0b1100_0000 == 0b1000_0000:
        place -= 1
    return place


_LATER = 0.8
"""What a value counts that is not from the beginning, where a letter says what it is."""
_UNPROVED = 0.25
"""What a value counts whose quote does not stand in the pass."""
_FURTHER = 0.05
"""What each further pass adds that says the same."""
_MOST_FURTHER = 5
"""So many count: a footer on every page must not outdo the one page with the fact."""
_MOST_FURTHER_TAGS = 20
"""A tag is what the document is about, and may well be on every page."""


@dataclass(frozen=True, slots=True)
class ChunkResult:
    """What one pass brought, and the text that it was asked about."""

    place: Chunk
    suggestions: tuple[Suggestion, ...]
    text: str


def merge_suggestions(found: Iterable[ChunkResult], *, max_tags: int) -> tuple[Suggestion, ...]:
    """Return the best suggestion for each field, of tags the best few, as the model gave them.

    Best is what is quoted, sure, from the beginning, and said again in other passes.
    """
    rated: defaultdict[Hashable, list[tuple[float, Suggestion]]] = defaultdict(list)
    for one in found:
        for suggestion, worth in _rated(one):
            rated[_meaning(suggestion)].append((worth, suggestion))
    best = sorted((_of_one_value(same) for same in rated.values()), key=lambda one: -one[0])
    return _first_of_each_field([suggestion for _, suggestion in best], max_tags)


def _rated(found: ChunkResult) -> Iterable[tuple[Suggestion, float]]:
    text = " ".join(split_words(found.text)) if found.suggestions else ""
    first = 1.0 if found.place.number == 1 else _LATER
    for suggestion in found.suggestions:
        quotes = split_quotes(suggestion.evidence)
        proved = quotes and all(occurs_in(quote, text) for quote in quotes)
        place = 1.0 if suggestion.field is FieldName.TAGS else first
        yield suggestion, suggestion.confidence * place * (1.0 if proved else _UNPROVED)


def _meaning(suggestion: Suggestion) -> Hashable:
    """Return what two suggestions of one value share, however they are spelt."""
    spelt = name_key if suggestion.field in NAMED_FIELDS else fold
    return suggestion.field, spelt(suggestion.value)


def _of_one_value(same: Sequence[tuple[float, Suggestion]]) -> tuple[float, Suggestion]:
    worth, suggestion = max(same, key=lambda one: one[0])
    most = _MOST_FURTHER_TAGS if suggestion.field is FieldName.TAGS else _MOST_FURTHER
    return worth * (1 + _FURTHER * min(len(same) - 1, most)), suggestion


def _first_of_each_field(best: Sequence[Suggestion], max_tags: int) -> tuple[Suggestion, ...]:
    taken: defaultdict[Field, list[Suggestion]] = defaultdict(list)
    for suggestion in best:
        most = max_tags if suggestion.field is FieldName.TAGS else 1
        if len(taken[suggestion.field]) < most:
            taken[suggestion.field].append(suggestion)
    return tuple(one for field in sorted(taken, key=_usual_place) for one in taken[field])


def _usual_place(field: Field) -> int:
    """Return where a field stands in an answer: custom ones come last."""
    return list(FieldName).index(field) if isinstance(field, FieldName) else len(FieldName)
