"""Check that a title contains nothing that is not in its document."""

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import date

from core.text import split_folded, split_words
from processor.analysis.dates import MONTH_NUMBER, find_dates, find_months
from processor.analysis.language import DOCUMENT_KINDS, STOP_WORDS
from processor.analysis.quotes import normalize_lookalikes

_SHORTEST = 4
"""Minimum letters of a significant word."""
_ENDING = 2
"""Letters at the end of a word that inflection may change."""
_STEM = 4
_DIGITS = re.compile(r"\d+")
_SMALL_WORDS = frozenset().union(*STOP_WORDS.values())
_AGAINST_ONE = 2
"""Words of a title that must be in the text for each one that is not."""


@dataclass(frozen=True, slots=True)
class Contents:
    """The contents of a document, prepared for comparison with titles."""

    letters: str
    """Its words without spaces, with lookalike characters made the same."""
    numbers: frozenset[str]
    """The parts of its dates, with and without leading zeros."""
    months: frozenset[int]
    kinds: frozenset[str]
    """Words for kinds of documents."""

    @classmethod
    def of(cls, folded: str, kinds: Iterable[str] = ()) -> "Contents":
        """Build the contents of a folded text; `kinds` are the document types in use."""
        days = {found.day for found in find_dates(folded)}
        return cls(
            normalize_lookalikes("".join(split_folded(folded))),
            frozenset(part for day in days for part in _parts(day)),
            frozenset({day.month for day in days} | find_months(folded)),
            DOCUMENT_KINDS | {word for kind in kinds for word in split_words(kind)},
        )


def title_is_supported(title: str, contents: Contents) -> bool:
    """Return whether the months and numbers of a title, and most of its words, are in the text."""
    words = [word for word in split_words(title) if _is_significant(word, contents)]
    missing = [word for word in words if not _is_in_text(word, contents)]
    mostly_found = len(missing) * (_AGAINST_ONE + 1) <= len(words)
    return mostly_found and numbers_are_supported(title, contents)


def numbers_are_supported(title: str, contents: Contents) -> bool:
    """Return whether the months and numbers of a title are in the text, in any language."""
    words = split_words(title)
    months = {MONTH_NUMBER[word] for word in words if word in MONTH_NUMBER}
    numbers = (number for word in words for number in _DIGITS.findall(word) if len(number) > 1)
    return months <= contents.months and all(
        number in contents.numbers or normalize_lookalikes(number) in contents.letters
        for number in numbers
    )


def _is_significant(word: str, contents: Contents) -> bool:
    if len(word) < _SHORTEST or not word.isalpha():
        return False
    return not any(word in common for common in (contents.kinds, _SMALL_WORDS, MONTH_NUMBER))


def _is_in_text(word: str, contents: Contents) -> bool:
    if _stem(word) in contents.letters:
        return True
    halves = ((word[:cut], word[cut:]) for cut in range(_SHORTEST - 1, len(word) - _SHORTEST + 1))
    return any(
        _stem(first) in contents.letters and _is_known(rest, contents) for first, rest in halves
    )


def _is_known(rest: str, contents: Contents) -> bool:
    """Return whether the second half of a word, as in Strom-rechnung, is known or in the text."""
    return rest in contents.kinds or (len(rest) >= _STEM and _stem(rest) in contents.letters)


def _stem(word: str) -> str:
    return normalize_lookalikes(word[: max(_STEM, len(word) - _ENDING)])


def _parts(day: date) -> Collection[str]:
    return {str(day.year), *(form for n in (day.month, day.day) for form in (str(n), f"{n:02}"))}
