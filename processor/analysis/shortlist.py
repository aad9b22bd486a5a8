"""Choose which of the names in use a model is offered: all of them, or the likeliest for a text."""

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
"""Less of a name than this may stand in any text by chance."""
_PART_OF_A_WORD = 0.7
"""What a word counts that is only the beginning or the end of one: Strom in Stromrechnung."""
_SHORTEST_PART = 4
_REMEMBERED = 20_000
"""Names whose words are kept: a large archive has so many, and they are the same every time."""
_SMALL_WORDS = frozenset().union(*STOP_WORDS.values())


@dataclass(frozen=True, slots=True)
class NameSelection:
    """The names that a model is shown."""

    always: Mapping[FieldName, Sequence[NameEntry]]
    """Of fields whose names all have room: the same for every document."""
    chosen: Mapping[FieldName, Sequence[NameEntry]]
    """Of fields with too many names: those that were picked for this text."""
    left: int = 0
    """Tokens that those might have taken as well."""


def select_names(
    entries: Mapping[FieldName, Sequence[NameEntry]], text: str, *, room: int
) -> NameSelection:
    """Offer the names, most used first, in at most `room` tokens; if need be, those that fit."""
    needs = {field: sum(one.tokens for one in listed) for field, listed in entries.items()}
    shares = divide_room(needs, room)
    crowded = [field for field in entries if shares[field] < needs[field]]
    # A text may be long, and mostly nobody needs to look into it.
    standing = WordIndex(distinct_words(text)) if crowded else WordIndex(frozenset())
    chosen = {
        field: take_fitting(sort_by_likelihood(entries[field], standing), shares[field])
        for field in crowded
    }
    left = sum(shares[field] - sum(one.tokens for one in chosen[field]) for field in crowded)
    always = {field: entries[field] for field in entries if field not in crowded}
    return NameSelection(always, chosen, left)


def divide_room(needs: Mapping[FieldName, int], room: int) -> dict[FieldName, int]:
    """Share room evenly; what one does not need is left to the others."""
    shares: dict[FieldName, int] = {}
    for field in sorted(needs, key=lambda one: needs[one]):
        even = (room - sum(shares.values())) // (len(needs) - len(shares))
        shares[field] = max(0, min(needs[field], even))
    return shares


def take_fitting(entries: Iterable[NameEntry], room: int) -> tuple[NameEntry, ...]:
    """Take entries, the first first, as long as they fit into `room` tokens."""
    taken: list[NameEntry] = []
    for entry in entries:
        room -= entry.tokens
        if room < 0:
            break
        taken.append(entry)
    return tuple(taken)


class WordIndex:
    """Tells whether a word stands in a text, by itself or at the edge of a longer one."""

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
        begins = _begins_one(word, self._forward) or _begins_one(word[::-1], self._backward)
        return _PART_OF_A_WORD if begins else 0.0


def sort_by_likelihood(entries: Sequence[NameEntry], standing: WordIndex) -> list[NameEntry]:
    """Sort names: what stands in the text, then what the owner explained, then the most used."""
    spellings = [_spellings(entry.name) for entry in entries]
    # A word that many names share, such as Bank, says little about any of them.
    sharers = Counter(word for spelt in spellings for word in set().union(*spelt))

    def rank(number: int) -> tuple[float, bool]:
        found = max(_share(words, standing, sharers) for words in spellings[number])
        return (-found if found >= _LIKELY else 0.0, not entries[number].note)

    return [entries[number] for number in sorted(range(len(entries)), key=rank)]


def _share(words: frozenset[str], standing: WordIndex, sharers: Counter[str]) -> float:
    weights = {word: 1 / sharers[word] for word in words}
    found = sum(weight * standing.match_score(word) for word, weight in weights.items())
    return found / (sum(weights.values()) or 1)


@lru_cache(maxsize=_REMEMBERED)
def _spellings(name: str) -> frozenset[frozenset[str]]:
    """Return the words that tell a name from others; with umlauts, in both ways to write them."""
    return frozenset({_telling(name), _telling(spelled_out(name))})


def _telling(name: str) -> frozenset[str]:
    words = frozenset(name_words(name))
    return words - _SMALL_WORDS or words


def _begins_one(part: str, listed: Sequence[str]) -> bool:
    place = bisect_left(listed, part)
    return place < len(listed) and listed[place].startswith(part)
