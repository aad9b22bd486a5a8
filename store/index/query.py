"""Turn the words of a search into groups of indexed words, and build snippets from the text."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from core.archive import SnippetPart
from store.index.text import MIN_VOCABULARY, query_words, stem

MAX_WORDS = 10
"""Words of a search; more would not narrow the result."""
MAX_EXPANSIONS = 24
"""Indexed words that one word of a search may stand for."""
SNIPPET = 240
"""Characters of a snippet."""
_LEAD = 60
"""Characters of a snippet before its first match."""
_SHORTEST_PART = 4
_BREAK = r"(?:[-\u00ad\u2010][^\S\n]*\n\s*)?"
"""A word may be hyphenated at a line end."""
_LETTERS = {
    "a": "[aàáâãäå]",
    "c": "[cç]",
    "e": "[eèéêë]",
    "i": "[iìíîï]",
    "n": "[nñ]",
    "o": "[oòóôõö]",
    "u": "[uùúûü]",
    "y": "[yýÿ]",
}
"""Letters that are folded to one."""
_MAX_MATCHES = 40


@dataclass(frozen=True, slots=True)
class TermGroup:
    """The indexed words that one word of a search stands for."""

    word: str
    words: tuple[str, ...]
    prefix: str = ""
    """Any word that begins so stands for it, too: numbers are not in the vocabulary."""


def build_groups(
    words: str, find_words: Callable[[str, int], Sequence[str]]
) -> tuple[TermGroup, ...]:
    """Build a group for each word of a search; `find_words` looks up those that contain it."""
    return tuple(_build_group(word, find_words) for word in query_words(words)[:MAX_WORDS])


def _build_group(word: str, find_words: Callable[[str, int], Sequence[str]]) -> TermGroup:
    if not word.isalpha():
        return TermGroup(word, (word,), prefix=word if len(word) >= _SHORTEST_PART else "")
    if len(word) < _SHORTEST_PART:
        return TermGroup(word, (word,))
    found = find_words(stem(word), MAX_EXPANSIONS)
    return TermGroup(word, tuple(dict.fromkeys([word, *_own_forms(word), *found])))


def _own_forms(word: str) -> Iterator[str]:
    """Yield the stem of a word that is too short for the vocabulary."""
    if len(stem(word)) < MIN_VOCABULARY:
        yield stem(word)


@dataclass(frozen=True, slots=True)
class Snippet:
    """A piece of a text around the words searched for."""

    parts: tuple[SnippetPart, ...]
    position: int
    """Of its first match in the chunk; 0 without a match."""


def build_snippet(text: str, groups: Iterable[TermGroup]) -> Snippet:
    """Return the part of the text with the most of the words, or its beginning."""
    groups = tuple(groups)
    matches = list(_find_matches(text, groups))
    start = _choose_start(matches)
    if start is None:
        return Snippet((SnippetPart(_tidy(text[:SNIPPET])),), 0)
    begin = _begin_of_word(text, max(0, matches[start].begin - _LEAD))
    end = min(len(text), begin + SNIPPET)
    shown = [match for match in matches[start:] if match.end <= end]
    return Snippet(tuple(_split(text, begin, end, shown)), matches[start].begin)


@dataclass(frozen=True, slots=True)
class _Match:
    begin: int
    end: int
    group: int


def _find_matches(text: str, groups: Sequence[TermGroup]) -> Iterator[_Match]:
    """Yield the words of the text that belong to a group, as far as a snippet needs them."""
    pattern = _compile(tuple((group.word, bool(group.prefix)) for group in groups))
    reached = 0
    for found in islice(pattern.finditer(text), _MAX_MATCHES):
        if found.start() < reached:
            continue
        begin, reached = _begin_of_word(text, found.start()), _end_of_word(text, found.end())
        yield _Match(begin, reached, found.lastindex or 0)


@lru_cache(maxsize=100)
def _compile(words: tuple[tuple[str, bool], ...]) -> re.Pattern[str]:
    """Compile a pattern with one group for each word; searching is faster than folding a text."""
    parts = (f"({_pattern_of(word, is_prefix=is_prefix)})" for word, is_prefix in words)
    return re.compile("|".join(parts), re.IGNORECASE)


def _pattern_of(word: str, *, is_prefix: bool) -> str:
    part = stem(word)
    letters = [_LETTERS.get(letter, re.escape(letter)) for letter in part]
    spelled = _BREAK.join(letters).replace(f"s{_BREAK}s", f"(?:s{_BREAK}s|ß)")
    if is_prefix:
        return rf"\b{spelled}"
    return spelled if len(part) >= _SHORTEST_PART else rf"\b{spelled}\b"


def _choose_start(matches: Sequence[_Match]) -> int | None:
    """Return the first match of the window with the most different words; None without any."""
    best, most = None, 0
    for start, first in enumerate(matches):
        window = {m.group for m in matches[start:] if m.end <= first.begin + SNIPPET - _LEAD}
        if len(window) > most:
            best, most = start, len(window)
    return best


def _begin_of_word(text: str, position: int) -> int:
    while position > 0 and text[position - 1].isalnum():
        position -= 1
    return position


def _end_of_word(text: str, position: int) -> int:
    while position < len(text) and text[position].isalnum():
        position += 1
    return position


def _split(text: str, begin: int, end: int, matches: Iterable[_Match]) -> Iterator[SnippetPart]:
    reached = begin
    for match in matches:
        if before := _tidy(text[reached : match.begin]):
            yield SnippetPart(before)
        yield SnippetPart(_tidy(text[match.begin : match.end]), is_match=True)
        reached = match.end
    if rest := _tidy(text[reached:end]):
        yield SnippetPart(rest)


def _tidy(text: str) -> str:
    """Return a piece of text on one line; spaces at its ends separate it from its neighbours."""
    return re.sub(r"\s+", " ", text)
