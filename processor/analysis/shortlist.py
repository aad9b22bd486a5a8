"""Select the names in use that a prompt lists: all of them, or the likeliest for a text."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from core.fields import FieldName
from core.text import distinct_words
from processor.analysis.language import STOP_WORDS
from processor.analysis.name_matching import name_words, spelled_out
from processor.analysis.prompt_blocks import NameEntry

_LIKELY = 0.5
"""Minimum share of a name's words in the text; less may be chance."""
_PART_OF_A_WORD = 0.7
"""Weight of a word that begins or ends a longer one: Strom in Stromrechnung."""
_SHORTEST_PART = 4
_REMEMBERED = 20_000
"""Size of the cache of names, enough for a large archive."""
_SMALL_WORDS = frozenset().union(*STOP_WORDS.values())


@dataclass(frozen=True, slots=True)
class NameSelection:
    """The names that a prompt lists."""

    always: Mapping[FieldName, Sequence[NameEntry]]
    """Fields whose names all fit: the same for every document, the newest name last."""
    chosen: Mapping[FieldName, Sequence[NameEntry]]
    """Fields with too many names: those selected for this text."""
    left: int = 0
    """Tokens that the selected names could have used but did not."""


def select_names(
    entries: Mapping[FieldName, Sequence[NameEntry]], text: str, *, room: int
) -> NameSelection:
    """Return the names to list in at most `room` tokens, from those given, most used first."""
    needs = {field: _count_tokens(names) for field, names in entries.items()}
    shares = divide_room(needs, room)
    crowded = [field for field in entries if shares[field] < needs[field]]
    # Indexing a long text takes time, and is rarely needed.
    index = WordIndex(distinct_words(text)) if crowded else WordIndex(frozenset())
    chosen = {
        field: take_fitting(sort_by_likelihood(entries[field], index), shares[field])
        for field in crowded
    }
    left = sum(shares[field] - _count_tokens(chosen[field]) for field in crowded)
    always = {
        # Not by use, which changes with every document: servers cache an unchanged list.
        field: sorted(entries[field], key=lambda entry: entry.id)
        for field in entries
        if field not in crowded
    }
    return NameSelection(always, chosen, left)


def divide_room(needs: Mapping[FieldName, int], room: int) -> dict[FieldName, int]:
    """Return an even share of `room` for each field; unused room goes to the others."""
    shares: dict[FieldName, int] = {}
    for field in sorted(needs, key=lambda field: needs[field]):
        even = (room - sum(shares.values())) // (len(needs) - len(shares))
        shares[field] = max(0, min(needs[field], even))
    return shares


def take_fitting(entries: Iterable[NameEntry], room: int) -> tuple[NameEntry, ...]:
    """Return the first entries that fit into `room` tokens."""
    taken: list[NameEntry] = []
    for entry in entries:
        room -= entry.tokens
        if room < 0:
            break
        taken.append(entry)
    return tuple(taken)


class WordIndex:
    """Finds words in a text, on their own or at the edge of a longer word."""

    def __init__(self, words: frozenset[str]) -> None:
        self._words = words
        self._forward = sorted(words)
        self._backward = sorted(word[::-1] for word in words)

    def match_score(self, word: str) -> float:
        """Return 1 for a word of the text, less for a part of one, 0 for neither."""
        if word in self._words:
            return 1.0
        if len(word) < _SHORTEST_PART:
            return 0.0
        begins = _begins_any(word, self._forward) or _begins_any(word[::-1], self._backward)
        return _PART_OF_A_WORD if begins else 0.0


def sort_by_likelihood(entries: Sequence[NameEntry], index: WordIndex) -> list[NameEntry]:
    """Return the names found in the text, then those with a note, then the most used."""
    spellings = [_spellings(entry.name) for entry in entries]
    # A word that many names share, such as Bank, hardly distinguishes them.
    sharers = Counter(word for spelling in spellings for word in set().union(*spelling))

    def rank(number: int) -> tuple[float, bool]:
        found = max(_share(words, index, sharers) for words in spellings[number])
        return (-found if found >= _LIKELY else 0.0, not entries[number].note)

    return [entries[number] for number in sorted(range(len(entries)), key=rank)]


def _count_tokens(entries: Iterable[NameEntry]) -> int:
    return sum(entry.tokens for entry in entries)


def _share(words: frozenset[str], index: WordIndex, sharers: Counter[str]) -> float:
    weights = {word: 1 / sharers[word] for word in words}
    found = sum(weight * index.match_score(word) for word, weight in weights.items())
    return found / (sum(weights.values()) or 1)


@lru_cache(maxsize=_REMEMBERED)
def _spellings(name: str) -> frozenset[frozenset[str]]:
    """Return the significant words of a name, for both spellings of umlauts."""
    return frozenset({_significant_words(name), _significant_words(spelled_out(name))})


def _significant_words(name: str) -> frozenset[str]:
    words = frozenset(name_words(name))
    return words - _SMALL_WORDS or words


def _begins_any(part: str, listed: Sequence[str]) -> bool:
    place = bisect_left(listed, part)
    return place < len(listed) and listed[place].startswith(part)
