"""Rules that a suggestion must pass before it may be written without a person.

Each rule is small and pure and has a name: the doubt that it raises.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from pathlib import PurePath

from core.changes import Suggestion
from core.fields import FieldName, Value
from processor.analysis.dates import dates_in
from processor.text import fold, words

TITLE_LENGTH = 128
"""Paperless takes no longer title."""
_SHORTEST_EVIDENCE = 3
_LONG_ENOUGH = 6
"""A shorter quote stands by chance within the words of any text: ING in Meeting."""
_LEFT_OUT = re.compile(r"\[?(?:\.{3,}|…)\]?")
"""Where a model shortens its quote."""
_SURE_ENOUGH = 0.5
_FIRST_YEAR = 1900


class Doubt(StrEnum):
    """Why a suggestion needs a person."""

    NO_EVIDENCE = "no_evidence"
    EVIDENCE_NOT_IN_TEXT = "evidence_not_in_text"
    DATE_UNREADABLE = "date_unreadable"
    DATE_NOT_IN_TEXT = "date_not_in_text"
    DATE_IN_FUTURE = "date_in_future"
    DATE_TOO_EARLY = "date_too_early"
    TITLE_TOO_LONG = "title_too_long"
    TITLE_IS_FILE_NAME = "title_is_file_name"
    UNSURE = "unsure"


@dataclass(frozen=True, slots=True)
class Source:
    """What a suggestion is held against."""

    text: str
    """The document's words, folded, with single spaces."""
    dates: frozenset[date]
    """Every date that stands in it."""
    file_name: str
    today: date

    @classmethod
    def of(cls, text: str, *, file_name: str, today: date) -> "Source":
        return cls(" ".join(words(text)), frozenset(dates_in(text)), file_name, today)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A suggestion turned into a value of its field, with the doubts about it."""

    field: FieldName
    value: Value
    evidence: str
    confidence: float
    doubts: tuple[str, ...] = ()


Check = Callable[[Suggestion, Value, Source], Doubt | None]


def weigh(suggestion: Suggestion, value: Value, source: Source) -> Candidate:
    """Hold a suggestion, read as `value`, against every check."""
    doubts = [check(suggestion, value, source) for check in CHECKS]
    return Candidate(
        suggestion.field,
        value,
        suggestion.evidence,
        suggestion.confidence,
        tuple(doubt for doubt in doubts if doubt is not None),
    )


def evidence_stands_in_text(suggestion: Suggestion, value: Value, source: Source) -> Doubt | None:
    parts = (" ".join(words(part)) for part in _LEFT_OUT.split(suggestion.evidence))
    quotes = [part for part in parts if part]
    if max(map(len, quotes), default=0) < _SHORTEST_EVIDENCE:
        return Doubt.NO_EVIDENCE
    stands = all(_stands_in(quote, source.text) for quote in quotes)
    return None if stands else Doubt.EVIDENCE_NOT_IN_TEXT


def date_is_real(suggestion: Suggestion, value: Value, source: Source) -> Doubt | None:
    unreadable = suggestion.field is FieldName.DATE and not isinstance(value, date)
    return Doubt.DATE_UNREADABLE if unreadable else None


def date_stands_in_text(suggestion: Suggestion, value: Value, source: Source) -> Doubt | None:
    missing = isinstance(value, date) and value not in source.dates
    return Doubt.DATE_NOT_IN_TEXT if missing else None


def date_is_plausible(suggestion: Suggestion, value: Value, source: Source) -> Doubt | None:
    if not isinstance(value, date):
        return None
    if value > source.today:
        return Doubt.DATE_IN_FUTURE
    return Doubt.DATE_TOO_EARLY if value.year < _FIRST_YEAR else None


def title_is_short(suggestion: Suggestion, value: Value, source: Source) -> Doubt | None:
    too_long = suggestion.field is FieldName.TITLE and len(suggestion.value) > TITLE_LENGTH
    return Doubt.TITLE_TOO_LONG if too_long else None


def title_is_not_the_file_name(
    suggestion: Suggestion, value: Value, source: Source
) -> Doubt | None:
    if suggestion.field is not FieldName.TITLE or not source.file_name:
        return None
    stem = PurePath(source.file_name).stem
    alike = fold(suggestion.value) in {fold(stem), fold(source.file_name)}
    return Doubt.TITLE_IS_FILE_NAME if alike else None


def model_is_sure(suggestion: Suggestion, value: Value, source: Source) -> Doubt | None:
    return Doubt.UNSURE if suggestion.confidence < _SURE_ENOUGH else None


def _stands_in(quote: str, text: str) -> bool:
    if len(quote) < _LONG_ENOUGH:
        return f" {quote} " in f" {text} "
    # Text recognition splits words at line ends and joins them where a space was too narrow.
    return quote.replace(" ", "") in text.replace(" ", "")


CHECKS: tuple[Check, ...] = (
    evidence_stands_in_text,
    date_is_real,
    date_stands_in_text,
    date_is_plausible,
    title_is_short,
    title_is_not_the_file_name,
    model_is_sure,
)
