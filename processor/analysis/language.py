"""Tell German, English, French and Dutch apart by their small words."""

from collections import Counter
from collections.abc import Sequence

from core.text import words
from processor.analysis.vocabulary import KINDS_BY_LANGUAGE, STOP_WORDS

_MOST_WORDS = 2000
_CLEAR_LEAD = 0.2
_JOINS_WORDS = frozenset({"de", "nl"})
_SHORTEST_ENDING = 5
"""Of a kind of document at the end of a word: Stromrechnung, but not Carbon."""
_ENDINGS = {
    language: tuple(kind for kind in KINDS_BY_LANGUAGE[language] if len(kind) >= _SHORTEST_ENDING)
    for language in _JOINS_WORDS
}


def language_of(text: str) -> str | None:
    """Return the two letters of the language of `text`; None if that cannot be told."""
    return language_of_words(words(text))


def language_of_words(listed: Sequence[str]) -> str | None:
    """Do the same for a text whose words are there already."""
    spoken = listed[:_MOST_WORDS]
    hits = Counter(language for word in spoken for language in STOP_WORDS if _has(language, word))
    first, second = [*hits.most_common(2), ("", 0), ("", 0)][:2]
    return first[0] if first[1] - second[1] > _CLEAR_LEAD * hits.total() else None


def _has(language: str, word: str) -> bool:
    if word in STOP_WORDS[language] or word in KINDS_BY_LANGUAGE[language]:
        return True
    return word.endswith(_ENDINGS.get(language, ()))
