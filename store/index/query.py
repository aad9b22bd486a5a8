"""Turn the words of a search into groups of indexed words, and build snippets from the text."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from core.archive import SnippetPart
from core.text import fold
from store.index.text import MIN_VOCABULARY, query_words, stem

MAX_WORDS = 10
"""Words of a search; more would not narrow the result."""
MAX_EXPANSIONS = 60
"""Indexed words that one word of a search may stand for."""
SNIPPET = 240
"""Characters of a snippet."""
_LEAD = 60
"""Characters of a snippet before its first match."""
_SHORTEST_PART = 4
_WORD = re.compile(r"\w+(?:[-\u00ad\u2010][^\S\n]*\n\s*[a-zäöüß]\w*)?")
_MAX_MATCHES = 40


@dataclass(frozen=True, slots=True)
class TermGroup:
    """The indexed words that one word of a search stands for."""

    word: str
    words: tuple[str, ...]
    prefix: str = ""
    """Any word that begins so stands for it, too: numbers are not in the vocabulary."""

    @property
    def stem(self) -> str:
        return stem(self.word)


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
    group: str


def _find_matches(text: str, groups: Sequence[TermGroup]) -> Iterator[_Match]:
    groups_by_word = {word: group.word for group in reversed(groups) for word in group.words}
    others = [(group.stem, group.word, bool(group.prefix)) for group in groups]
    found = 0
    for match in _WORD.finditer(text):
        folded = _fold_word(match.group())
        group = groups_by_word.get(folded)
        if group is None:
            group = next((name for part, name, starts in others if _fits(folded, part, starts)), "")
        if group:
            yield _Match(match.start(), match.end(), group)
            found += 1
            if found == _MAX_MATCHES:
                return


def _fits(word: str, part: str, starts: bool) -> bool:  # noqa: FBT001 - from a tuple
    return word.startswith(part) if starts else len(part) >= _SHORTEST_PART and part in word


@lru_cache(maxsize=20_000)
def _fold_word(word: str) -> str:
    # Only a word that is cut by a line end contains anything else.
    return word.lower() if word.isascii() and word.isalnum() else fold(word).replace(" ", "")


def _choose_start(matches: Sequence[_Match]) -> int | None:
    """Return the first match of the window with the most different words; None without any."""
    best, most = None, 0
    for start, first in enumerate(matches):
        window = {m.group for m in matches[start:] if m.end <= first.begin + SNIPPET - _LEAD}
        if len(window) > most:
            best, most = start, len(window)
    return best


def _begin_of_word(text: str, position: int) -> int:
    while position > 0 and not text[position - 1].isspace():
        position -= 1
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
