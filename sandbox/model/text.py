"""Split a document into lines and columns; detect its language and whether it is readable."""

import re
from collections.abc import Iterator
from enum import StrEnum

_COLUMN = re.compile(r"\S+(?: \S+)*")
_CLEAN_WORD = re.compile(r"[(\"'„§]*[\w&./@+-]*[A-Za-zÄÖÜäöüß]{3,}[\w&./@+-]*[)\"'“:;,.!?*]*")
_GERMAN = re.compile(r"\b(?:der|die|das|und|für|vom|bis|bitte|nicht|wir|Frau|Datum)\b")
_ENGLISH = re.compile(r"\b(?:the|of|and|to|for|by|please|your|we|you|date)\b", re.IGNORECASE)

_MAX_WORD_LENGTH = 80
_MIN_CLEAN_WORDS = 0.3
"""Minimum share of clean words in a readable text."""


class Language(StrEnum):
    """A language that the reader knows."""

    GERMAN = "de"
    ENGLISH = "en"


def language_of(text: str) -> Language:
    german, english = len(_GERMAN.findall(text)), len(_ENGLISH.findall(text))
    return Language.ENGLISH if english > german else Language.GERMAN


def is_readable(text: str) -> bool:
    """Return whether a text is readable, not the result of a bad scan."""
    words = text.split()
    clean = sum(1 for word in words if _is_clean(word))
    return clean > 0 and clean / len(words) >= _MIN_CLEAN_WORDS


def _is_clean(word: str) -> bool:
    # No word is so long. The pattern tries every position of its three letters, which for a
    # hostile word of a hundred thousand characters takes hours.
    return len(word) <= _MAX_WORD_LENGTH and _CLEAN_WORD.fullmatch(word) is not None


def lines_of(text: str) -> list[str]:
    """Return the non-empty lines, stripped."""
    return [line.strip() for line in text.splitlines() if line.strip()]


def columns_of(line: str) -> Iterator[str]:
    """Yield the columns of a line: OCR separates them by wide gaps."""
    return (match[0] for match in _COLUMN.finditer(line))
