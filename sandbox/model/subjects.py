"""Find the type of a document and its topics."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from sandbox.model.finding import Finding
from sandbox.model.text import columns_of, lines_of
from sandbox.model.words import KINDS, KNOWN_WORDS, LETTER, SUBJECTS, Concept

_MAX_HEADING_LENGTH = 80
_UPPER_PART = 25
"""Number of lines that may contain the heading."""
_MAX_TAGS = 3


@dataclass(frozen=True, slots=True)
class Heading:
    """The line that names the type of a document, and its words."""

    concept: Concept
    line: str
    words: str


def find_heading(text: str) -> Heading | None:
    for line in lines_of(text)[:_UPPER_PART]:
        if len(line) > _MAX_HEADING_LENGTH:
            continue
        for column in columns_of(line):
            if heading := _heading_in(column):
                return heading
    return None


def find_kind(text: str, offered: Sequence[str]) -> Finding | None:
    if heading := find_heading(text):
        return _named(heading.concept, offered, heading.line, confidence=0.9)
    if greeting := LETTER.signs.search(text):
        return _named(LETTER, offered, greeting[0], confidence=0.7)
    return next(iter(_own_names(text, offered)), None)


def find_tags(text: str, offered: Sequence[str]) -> tuple[Finding, ...]:
    """Select offered tags; suggest a new tag only if none of them fits."""
    scored = sorted(_scored_subjects(text), key=lambda scored: scored[0], reverse=True)
    found = [
        _named(subject, offered, quote, confidence=min(0.95, 0.6 + score / 20))
        for score, subject, quote in scored
    ]
    known = [tag for tag in found if tag.value in offered] + _own_names(text, offered)
    return tuple((known or found[:1])[:_MAX_TAGS])


def find_storage_path(text: str, offered: Sequence[str]) -> Finding | None:
    """Choose the storage path whose name says what the text is about; never a new one."""
    found = find_tags(text, offered)
    return next((path for path in found if path.value in offered), None)


def _heading_in(column: str) -> Heading | None:
    for concept in KINDS:
        if words := concept.signs.search(column):
            return Heading(concept, column, words[0])
    return None


def _named(concept: Concept, offered: Sequence[str], quote: str, confidence: float) -> Finding:
    """Return the offered name of a concept, or a new name with lower confidence."""
    by_small_letters = {name.casefold(): name for name in offered}
    for name in concept.names:
        if known := by_small_letters.get(name.casefold()):
            return Finding(known, quote, confidence)
    return Finding(concept.names[0], quote, round(confidence * 0.6, 2))


def _own_names(text: str, offered: Iterable[str]) -> list[Finding]:
    """Return the offered names that are in the text and not in our vocabulary."""
    found = []
    for name in offered:
        if name.casefold() in KNOWN_WORDS:
            continue
        if match := re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE):
            found.append(Finding(name, match[0], 0.5))
    return found


@lru_cache(maxsize=1)
def _scored_subjects(text: str) -> Sequence[tuple[int, Concept, str]]:
    """Return the subjects of a text; cached, for its tags and then for its storage path."""
    head = "\n".join(lines_of(text)[:_UPPER_PART])
    scores = []
    for subject in SUBJECTS:
        if first := subject.signs.search(text):
            score = len(subject.signs.findall(text)) + len(subject.signs.findall(head))
            scores.append((score, subject, first[0]))
    best = max((score for score, *_ in scores), default=0)
    return [scored for scored in scores if scored[0] >= 2 and scored[0] * 2 > best]
