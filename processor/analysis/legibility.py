"""Tell text from the rubbish that a bad scan leaves."""

import re
from enum import StrEnum

_AROUND_A_WORD = "\"'“”„‚‘’«»()[]{}<>.,;:!?*§-–—/…•·"
_WORD = re.compile(r"[^\W\d_]+(?:['’&./@+-][^\W_]+)*")
_VOWEL = re.compile(r"[aeiouy]", re.IGNORECASE)
_AROUND_A_NUMBER = "\"'“”„()[].,;:!?*-/"
_NUMBER = re.compile(r"[#€$£+-]?\d[\d.,:/%€$£()+*-]*[A-Za-z²³°]{0,3}[%€$£]?")
_RULED = re.compile(r"([-_=.*#])(?: ?\1){2,}")
"""Lines to write on and rows of dots are neither words nor rubbish."""
_SHORTEST_WORD = 3
_HOPELESS = 0.3
_POOR = 0.6
"""Of a clean document, full of numbers and abbreviations, more than 0.9 are words and numbers."""


class Legibility(StrEnum):
    """How well a text can be read."""

    GOOD = "good"
    POOR = "poor"
    """Much of it is rubbish: what a model makes of it needs a person."""
    HOPELESS = "hopeless"
    """Not worth asking a model."""


def legibility_of(text: str) -> Legibility:
    """Judge a text by how much of it is words and numbers; one without a word is hopeless."""
    tokens = _RULED.sub(" ", text).split()
    words = sum(len(token) for token in tokens if _is_word(token))
    numbers = sum(len(token) for token in tokens if _is_number(token))
    share = (words + numbers) / max(1, sum(map(len, tokens)))
    if not words or share < _HOPELESS:
        return Legibility.HOPELESS
    return Legibility.POOR if share < _POOR else Legibility.GOOD


def _is_word(token: str) -> bool:
    word = token.strip(_AROUND_A_WORD)
    if not _WORD.fullmatch(word):
        return False
    # Letters other than those of ASCII are either vowels or of a script with rules of its own.
    return not word.isascii() or bool(len(word) >= _SHORTEST_WORD and _VOWEL.search(word))


def _is_number(token: str) -> bool:
    return bool(_NUMBER.fullmatch(token.strip(_AROUND_A_NUMBER)))
