"""Rate how legible a text is; a bad scan leaves characters that form no words."""

import re
from enum import StrEnum

_AROUND_A_WORD = "\"'“”„‚‘’«»()[]{}<>.,;:!?*§-–—/…•·"
_WORD = re.compile(r"[^\W\d_]+(?:['’&./@+-][^\W_]+)*")
_VOWEL = re.compile(r"[aeiouy]", re.IGNORECASE)
_AROUND_A_NUMBER = "\"'“”„()[].,;:!?*-/"
_NUMBER = re.compile(r"[#€$£+-]?\d[\d.,:/%€$£()+*-]*[A-Za-z²³°]{0,3}[%€$£]?")
_RULED = re.compile(r"([-_=.*#])(?: ?\1){2,}")
"""Ruled lines and rows of dots, which are ignored."""
_SHORTEST_WORD = 3
_HOPELESS = 0.3
_POOR = 0.6
"""For comparison: a clean document, even full of abbreviations, has a share above 0.9."""


class Legibility(StrEnum):
    """How legible a text is."""

    GOOD = "good"
    POOR = "poor"
    """Much of it is no words: suggestions need a review."""
    HOPELESS = "hopeless"
    """Not worth asking a model."""


def legibility_of(text: str) -> Legibility:
    """Rate a text by the share of words and numbers in it; one without a word is hopeless."""
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
    # Letters outside ASCII are either vowels or belong to a script with other rules.
    return not word.isascii() or bool(len(word) >= _SHORTEST_WORD and _VOWEL.search(word))


def _is_number(token: str) -> bool:
    return bool(_NUMBER.fullmatch(token.strip(_AROUND_A_NUMBER)))
