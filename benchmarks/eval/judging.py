"""Judge what was filed against the truth: names by id, dates by day, titles by telling words."""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from benchmarks.eval.corpus import NameFinder
from core.fields import FieldName, Name, Value, is_same_value
from sandbox.documents import Truth

_LEFT_OUT = re.compile(r"\[?(?:\.{3,}|…)\]?")


class Mark(StrEnum):
    """How one value of one document ended."""

    RIGHT = "right"
    WRONG = "wrong"
    REVIEW = "review"
    """Nothing was written; a person is asked."""
    MISSING = "missing"
    """The document says it, and nothing was written or asked."""


@dataclass(frozen=True, slots=True)
class Filed:
    """What became of one field of one document, without a person."""

    written: tuple[Value, ...] = ()
    waiting: tuple[Value, ...] = ()


NOTHING = Filed()


def judge_paper(
    filed: Mapping[FieldName, Filed], truth: Truth, find: NameFinder
) -> dict[FieldName, tuple[Mark, ...]]:
    """Give each value of a document its mark."""
    tags = [find(FieldName.TAGS, tag) for tag in sorted(truth.tags)]
    return {
        field: judge_tags(filed.get(field, NOTHING), tags)
        if field is FieldName.TAGS
        else judge_field(filed.get(field, NOTHING), field, truth, find)
        for field in FieldName
    }


def judge_field(filed: Filed, field: FieldName, truth: Truth, find: NameFinder) -> tuple[Mark, ...]:
    """Mark a field with one value; no mark where there was nothing to find and nothing was said."""
    if filed.written:
        right = all(is_right(value, field, truth, find) for value in filed.written)
        return (Mark.RIGHT if right else Mark.WRONG,)
    if filed.waiting:
        return (Mark.REVIEW,)
    return (Mark.MISSING,) if getattr(truth, field) is not None else ()


def judge_tags(filed: Filed, wanted: Sequence[Name]) -> tuple[Mark, ...]:
    """Mark every tag by itself, those that should have come and did not among them."""
    marks = [Mark.RIGHT if _is_among(tag, wanted) else Mark.WRONG for tag in filed.written]
    marks += [Mark.REVIEW for _ in filed.waiting]
    said = (*filed.written, *filed.waiting)
    marks += [Mark.MISSING for tag in wanted if not _is_among(tag, said)]
    return tuple(marks)


def is_right(value: Value, field: FieldName, truth: Truth, find: NameFinder) -> bool:
    """Tell whether a value, of the tags one of them, is what a careful person would file."""
    match field:
        case FieldName.TITLE:
            return title_is_right(str(value), truth.title_contains)
        case FieldName.DATE:
            return value == truth.date
        case FieldName.TAGS:
            return _is_among(value, [find(field, tag) for tag in truth.tags])
        case _:
            name = truth.correspondent if field is FieldName.CORRESPONDENT else truth.document_type
            return name is not None and is_same_value(value, find(field, name))


def title_is_right(title: str, telling: Iterable[str]) -> bool:
    """Tell whether all words of one of the entries stand in the title, be it within its words."""
    plain = _plain(title)
    return any(all(word in plain for word in _plain(entry).split()) for entry in telling)


def stands_in(quote: str, text: str) -> bool:
    """Tell whether a quote stands in the text, letter by letter; blanks and signs do not count.

    On purpose this is not the rule by which the clerk itself checks quotes.
    """
    letters = _letters(text)
    parts = [_letters(part) for part in _LEFT_OUT.split(quote)]
    return any(parts) and all(part in letters for part in parts)


def _is_among(tag: Value, others: Iterable[Value]) -> bool:
    return any(is_same_value(tag, other) for other in others)


def _plain(text: str) -> str:
    apart = unicodedata.normalize("NFKD", text.casefold())
    kept = (c if c.isalnum() else " " for c in apart if not unicodedata.combining(c))
    return " ".join("".join(kept).split())


def _letters(text: str) -> str:
    return _plain(text).replace(" ", "")
