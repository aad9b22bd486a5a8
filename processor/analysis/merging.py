"""Make one answer from the answers to the passes of a long document, without asking again."""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

from core.analysis import Pass
from core.changes import Suggestion
from core.fields import Field, FieldName
from core.names import NAMED_FIELDS
from core.text import fold, words
from processor.analysis.name_matching import name_key
from processor.analysis.quotes import quotes_in, stands_in

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
class Found:
    """What one pass brought, and the text that it was asked about."""

    place: Pass
    suggestions: tuple[Suggestion, ...]
    text: str


def merged(found: Iterable[Found], *, max_tags: int) -> tuple[Suggestion, ...]:
    """Return the best suggestion for each field, of tags the best few, as the model gave them.

    Best is what is quoted, sure, from the beginning, and said again in other passes.
    """
    rated: defaultdict[Hashable, list[tuple[float, Suggestion]]] = defaultdict(list)
    for one in found:
        for suggestion, worth in _rated(one):
            rated[_meaning(suggestion)].append((worth, suggestion))
    best = sorted((_of_one_value(same) for same in rated.values()), key=lambda one: -one[0])
    return _first_of_each_field([suggestion for _, suggestion in best], max_tags)


def _rated(found: Found) -> Iterable[tuple[Suggestion, float]]:
    text = " ".join(words(found.text)) if found.suggestions else ""
    first = 1.0 if found.place.number == 1 else _LATER
    for suggestion in found.suggestions:
        quotes = quotes_in(suggestion.evidence)
        proved = quotes and all(stands_in(quote, text) for quote in quotes)
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
