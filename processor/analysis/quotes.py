"""Find the words of a quote or a title in a text.

Single letters that text recognition misread or lost are tolerated; digits must be right.
"""

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from itertools import islice

from core.text import split_folded, split_words
from processor.analysis.dates import MONTH_NUMBER, find_months
from processor.analysis.text_rating import DOCUMENT_KINDS, STOP_WORDS

_LEFT_OUT = re.compile(r"\[?(?:\.{3,}|…)\]?")
"""An ellipsis with which a model shortens its quote."""
_WITHIN_WORDS = 6
"""A shorter quote must match whole words: ING also occurs in Meeting."""
_LETTERS_PER_ERROR = 12
_MAX_ERRORS = 4
_MAX_QUOTE_LENGTH = 200
"""Maximum letters of a quote that is searched for with errors in it."""
_MAX_PLACES = 5
"""Limits the work for a text that repeats one word endlessly."""
_LOOKALIKES = str.maketrans({"0": "o", "1": "l", "i": "l"})
_NEVER = 1000
"""Higher than any allowed number of errors."""
_MIN_WORD_LENGTH = 4
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
    def of(cls, folded: str, days: Collection[date], kinds: Iterable[str] = ()) -> "Contents":
        """Build the contents of a folded text with these dates; `kinds` are the types in use."""
        return cls(
            normalize_lookalikes("".join(split_folded(folded))),
            frozenset(part for day in days for part in _parts(day)),
            frozenset({day.month for day in days} | find_months(folded)),
            DOCUMENT_KINDS | {word for kind in kinds for word in split_words(kind)},
        )


def split_quotes(evidence: str) -> list[str]:
    """Return the words of each part of `evidence` between ellipses."""
    parts = (" ".join(split_words(part)) for part in _LEFT_OUT.split(evidence))
    return [part for part in parts if part]


def occurs_in(quote: str, text: str) -> bool:
    """Return whether `quote` occurs in `text`; both are words separated by single spaces.

    Spaces and letters that look alike are ignored, and a long quote may have a few errors. Digits
    must be right: another number is another fact.
    """
    if len(quote) < _WITHIN_WORDS:
        return f" {normalize_lookalikes(quote)} " in f" {normalize_lookalikes(text)} "
    # Text recognition splits words at line ends and joins them where a space was too narrow.
    if quote.replace(" ", "") in text.replace(" ", ""):
        return True
    quote, text = _squeeze(quote), _squeeze(text)
    if normalize_lookalikes(quote) in normalize_lookalikes(text):
        return True
    errors = min(len(quote) // _LETTERS_PER_ERROR, _MAX_ERRORS)
    if not errors or len(quote) > _MAX_QUOTE_LENGTH:
        return False
    return any(_count_errors(quote, part) <= errors for part in _find_parts(text, quote, errors))


def normalize_lookalikes(text: str) -> str:
    """Return `text` with characters that look alike made the same: 0 and o, 1, l and i."""
    return text.translate(_LOOKALIKES)


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


def _squeeze(text: str) -> str:
    # Before spaces are dropped: "der neue" must not become "deme".
    return text.replace("rn", "m").replace(" ", "")


def _find_parts(text: str, quote: str, errors: int) -> Iterator[str]:
    """Yield the parts of `text` where `quote` may occur.

    The quote is cut into one piece more than the errors allowed: one piece must match exactly.
    """
    plain, size = normalize_lookalikes(text), len(quote) // (errors + 1)
    for start in range(0, size * (errors + 1), size):
        piece = normalize_lookalikes(quote[start : start + size])
        for place in islice(_find_places(piece, plain), _MAX_PLACES):
            begin = place - start
            yield text[max(0, begin - errors) : begin + len(quote) + errors]


def _find_places(piece: str, text: str) -> Iterator[int]:
    place = text.find(piece)
    while place >= 0:
        yield place
        place = text.find(piece, place + 1)


def _count_errors(quote: str, part: str) -> int:
    """Return how many letters must be added, dropped or changed for `quote` to occur in `part`.

    A digit matches only itself: if it could match a letter that looks alike, and letters may be
    dropped, "ail 117" would occur in "ail 777".
    """
    others = [(_to_plain_letter(other), _cost(other)) for other in part]
    above = [0] * (len(part) + 1)
    for letter in quote:
        plain, cost = _to_plain_letter(letter), _cost(letter)
        row = [above[0] + cost]
        for column, (other, other_cost) in enumerate(others):
            changed = 0 if plain == other else max(cost, other_cost)
            dropped, added = above[column + 1] + cost, row[column] + other_cost
            row.append(min(above[column] + changed, dropped, added))
        above = row
    return min(above)


def _to_plain_letter(letter: str) -> str:
    return letter if letter.isdigit() else normalize_lookalikes(letter)


def _cost(letter: str) -> int:
    return _NEVER if letter.isdigit() else 1


def _is_significant(word: str, contents: Contents) -> bool:
    if len(word) < _MIN_WORD_LENGTH or not word.isalpha():
        return False
    return not any(word in common for common in (contents.kinds, _SMALL_WORDS, MONTH_NUMBER))


def _is_in_text(word: str, contents: Contents) -> bool:
    if _stem(word) in contents.letters:
        return True
    for cut in range(_MIN_WORD_LENGTH - 1, len(word) - _MIN_WORD_LENGTH + 1):
        # The second half, as in Strom-rechnung, may be a kind of document.
        rest = word[cut:]
        is_known = rest in contents.kinds or (
            len(rest) >= _STEM and _stem(rest) in contents.letters
        )
        if is_known and _stem(word[:cut]) in contents.letters:
            return True
    return False


def _stem(word: str) -> str:
    return normalize_lookalikes(word[: max(_STEM, len(word) - _ENDING)])


def _parts(day: date) -> Collection[str]:
    return {str(day.year), *(form for n in (day.month, day.day) for form in (str(n), f"{n:02}"))}
