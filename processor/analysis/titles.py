"""Tell whether a title says anything that its document does not."""

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import date

from core.text import split_folded, split_words
from processor.analysis.dates import MONTH_NUMBER, find_dates, find_months
from processor.analysis.language import DOCUMENT_KINDS, STOP_WORDS
from processor.analysis.quotes import normalize_lookalikes

_SHORTEST = 4
"""Letters of a word that tells something."""
_ENDING = 2
"""Letters by which a word changes with its case and number."""
_STEM = 4
_DIGITS = re.compile(r"\d+")
_SMALL_WORDS = frozenset().union(*STOP_WORDS.values())
_AGAINST_ONE = 2
"""So many words of a title must be in the text for each one that is not."""


@dataclass(frozen=True, slots=True)
class Contents:
    """What a document speaks of, ready to be compared with titles."""

    letters: str
    """Its words without the gaps between them, as they look."""
    numbers: frozenset[str]
    """The parts of its dates, with and without leading zeros."""
    months: frozenset[int]
    kinds: frozenset[str]
    """Words for kinds of documents that are known here."""

    @classmethod
    def of(cls, folded: str, kinds: Iterable[str] = ()) -> "Contents":
        """Take in a text that went through `fold`, and the names of the kinds in use."""
        days = {found.day for found in find_dates(folded)}
        return cls(
            normalize_lookalikes("".join(split_folded(folded))),
            frozenset(part for day in days for part in _parts(day)),
            frozenset({day.month for day in days} | find_months(folded)),
            DOCUMENT_KINDS | {word for kind in kinds for word in split_words(kind)},
        )


def title_is_supported(title: str, contents: Contents) -> bool:
    """Tell whether a title's months and numbers, and most of its words, stand in the text."""
    telling = [word for word in split_words(title) if _tells(word, contents)]
    strange = [word for word in telling if not _stands(word, contents)]
    return numbers_are_supported(title, contents) and len(strange) * (_AGAINST_ONE + 1) <= len(
        telling
    )


def numbers_are_supported(title: str, contents: Contents) -> bool:
    """Tell whether the months and numbers of a title stand in the text, whatever its language."""
    spoken = split_words(title)
    months = {MONTH_NUMBER[word] for word in spoken if word in MONTH_NUMBER}
    numbers = (number for word in spoken for number in _DIGITS.findall(word) if len(number) > 1)
    return months <= contents.months and all(
        number in contents.numbers or normalize_lookalikes(number) in contents.letters
        for number in numbers
    )


def _tells(word: str, contents: Contents) -> bool:
    if len(word) < _SHORTEST or not word.isalpha():
        return False
    return not any(word in common for common in (contents.kinds, _SMALL_WORDS, MONTH_NUMBER))


def _stands(word: str, contents: Contents) -> bool:
    if _stem(word) in contents.letters:
        return True
    halves = ((word[:cut], word[cut:]) for cut in range(_SHORTEST - 1, len(word) - _SHORTEST + 1))
    return any(
        _stem(first) in contents.letters and _is_known(rest, contents) for first, rest in halves
    )


def _is_known(rest: str, contents: Contents) -> bool:
    """Tell whether the second half of a word, as in Strom-rechnung, is known or in the text."""
    return rest in contents.kinds or (len(rest) >= _STEM and _stem(rest) in contents.letters)


def _stem(word: str) -> str:
    return normalize_lookalikes(word[: max(_STEM, len(word) - _ENDING)])


def _parts(day: date) -> Collection[str]:
    return {str(day.year), *(form for n in (day.month, day.day) for form in (str(n), f"{n:02}"))}
