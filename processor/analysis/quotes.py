"""Find a quote in a text, although text recognition misread or lost a letter here and there."""

import re
from collections.abc import Iterator
from itertools import islice

from core.text import split_words

_LEFT_OUT = re.compile(r"\[?(?:\.{3,}|…)\]?")
"""Where a model shortens its quote."""
_WITHIN_WORDS = 6
"""A shorter quote stands by chance within the words of any text: ING in Meeting."""
_LETTERS_PER_SLIP = 12
_MOST_SLIPS = 4
_LONGEST = 200
"""Past this many letters a quote is a copy, and slips in it are not searched for."""
_MOST_PLACES = 5
"""A text that repeats one word for ever must not keep us busy for ever."""
_LOOKS = str.maketrans({"0": "o", "1": "l", "i": "l"})
_NEVER = 1000
"""A price that no quote can pay."""


def split_quotes(evidence: str) -> list[str]:
    """Return the words of each quote in `evidence`: a model may leave out what is in between."""
    parts = (" ".join(split_words(part)) for part in _LEFT_OUT.split(evidence))
    return [part for part in parts if part]


def occurs_in(quote: str, text: str) -> bool:
    """Tell whether `quote` stands in `text`; both are words with single spaces between them.

    Spaces do not count, nor do letters that look alike; a long quote may have a few slips. A
    digit must be right: another number is another fact.
    """
    if len(quote) < _WITHIN_WORDS:
        return f" {normalize_lookalikes(quote)} " in f" {normalize_lookalikes(text)} "
    # Text recognition splits words at line ends and joins them where a space was too narrow.
    if quote.replace(" ", "") in text.replace(" ", ""):
        return True
    sought, place = _squeezed(quote), _squeezed(text)
    return normalize_lookalikes(sought) in normalize_lookalikes(place) or _nearly_stands_in(
        sought, place
    )


def normalize_lookalikes(text: str) -> str:
    """Return what `text` looks like: 0 is O, and 1, l and I are one and the same."""
    return text.translate(_LOOKS)


def _squeezed(text: str) -> str:
    # Within words only: "der neue" has no m in it.
    return text.replace("rn", "m").replace(" ", "")


def _nearly_stands_in(quote: str, text: str) -> bool:
    slips = min(len(quote) // _LETTERS_PER_SLIP, _MOST_SLIPS)
    if not slips or len(quote) > _LONGEST:
        return False
    return any(_price(quote, part) <= slips for part in _parts_of(text, quote, slips))


def _parts_of(text: str, quote: str, slips: int) -> Iterator[str]:
    """Yield where `quote` may stand: cut into one piece more than slips, one piece has none."""
    looks, size = normalize_lookalikes(text), len(quote) // (slips + 1)
    for start in range(0, size * (slips + 1), size):
        piece = normalize_lookalikes(quote[start : start + size])
        for place in islice(_places(piece, looks), _MOST_PLACES):
            begin = place - start
            yield text[max(0, begin - slips) : begin + len(quote) + slips]


def _places(piece: str, text: str) -> Iterator[int]:
    place = text.find(piece)
    while place >= 0:
        yield place
        place = text.find(piece, place + 1)


def _price(quote: str, part: str) -> int:
    """Return how many letters must be added, dropped or changed for `quote` to stand in `part`."""
    others = [(normalize_lookalikes(other), _worth(other)) for other in part]
    above = [0] * (len(part) + 1)
    for letter in quote:
        looks, worth = normalize_lookalikes(letter), _worth(letter)
        row = [above[0] + worth]
        for column, (other, its_worth) in enumerate(others):
            changed = 0 if looks == other else max(worth, its_worth)
            dropped, added = above[column + 1] + worth, row[column] + its_worth
            row.append(min(above[column] + changed, dropped, added))
        above = row
    return min(above)


def _worth(letter: str) -> int:
    return _NEVER if letter.isdigit() else 1
