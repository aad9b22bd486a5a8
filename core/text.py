"""Normalize texts for comparison: case, accents, spacing and hyphenation are ignored."""

import re
import unicodedata
from collections.abc import Callable
from functools import lru_cache

_HYPHENATED = re.compile(r"[-\u00ad\u2010](?<=[^\W\d_].)[^\S\n]*\n\s*(?=[a-zäöüß])")
"""A hyphen at a line end; before a capital or digit it belongs to the word: E-Mail, 1-31.

The pattern begins with the hyphen, because hyphens are rare.
Only one part matches line ends: with two, the time would grow with the square of empty lines."""
_ALIKE = str.maketrans(
    {
        **dict.fromkeys("„“”«»", '"'),
        **dict.fromkeys("’‘‚‹›", "'"),
        **dict.fromkeys("‐–—−", "-"),
    }
)
_NOT_A_WORD = re.compile(r"[\W_]+")
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f]")
"""Control characters except tabs and line ends: they occur inside words, by mistake."""
_BLANK = frozenset("\u115f\u1160\u2800\u3164\uffa0")
"""Characters without a visible glyph that Unicode does not classify as invisible."""
_SHORT = 100
"""Maximum characters of a text whose folded form is kept."""


def fold(text: str) -> str:
    """Return `text` in lower case, without accents and hyphenation, with single spaces."""
    # Names and lines are compared again and again; a whole text would only fill the cache.
    return _fold_short(text) if len(text) <= _SHORT else _fold(text)


def _fold(text: str) -> str:
    if text.isascii() and text.isprintable():
        return " ".join(text.lower().split())
    plain = _HYPHENATED.sub("", text).translate(_VISIBLE)
    # Twice: decomposing a character may produce a capital, as with mathematical letters.
    for _ in range(2):
        plain = unicodedata.normalize("NFKD", plain.casefold())
    return " ".join(plain.translate(_WITHOUT_ACCENTS).translate(_ALIKE).split())


_fold_short = lru_cache(maxsize=8192)(_fold)


def join_hyphenated(text: str) -> str:
    """Return `text` with the words joined that are hyphenated at a line end."""
    return _HYPHENATED.sub("", text)


def split_words(text: str) -> list[str]:
    """Return the words of `text`, folded, without punctuation."""
    return split_folded(fold(text))


def split_folded(folded: str) -> list[str]:
    """Return the words of a folded text, so that a long one need not be folded again."""
    return _NOT_A_WORD.sub(" ", folded).split()


def distinct_words(text: str) -> frozenset[str]:
    """Return the set of words of `text`, folded; for long texts faster than `split_words`."""
    distinct = set(_CONTROL.sub("", _HYPHENATED.sub("", text)).split())
    # ASCII, which is most of a text, needs no Unicode normalization.
    plain = {part for part in distinct if part.isascii()}
    return frozenset(
        split_folded(" ".join(plain).lower()) + split_words(" ".join(distinct - plain))
    )


def clean_line(text: str) -> str:
    """Return `text` on one line, without control and invisible characters."""
    return " ".join(text.translate(_VISIBLE).split())


def remove_invisible(text: str) -> str:
    """Return `text` with its lines and spaces, without control and invisible characters."""
    return "\n".join(line.translate(_VISIBLE) for line in text.split("\n"))


class _Letters(dict[int, str]):
    """A table for `str.translate` that computes each character once."""

    _KEPT = 0x3000
    """Only characters below this are cached: a text may contain all of Unicode."""

    def __init__(self, convert: Callable[[str], str]) -> None:
        super().__init__()
        self._convert = convert

    def __missing__(self, code: int) -> str:
        converted = self._convert(chr(code))
        if code < self._KEPT:
            self[code] = converted
        return converted


def _replace_invisible(character: str) -> str:
    if character in _BLANK:
        return " "
    category = unicodedata.category(character)
    # Soft hyphens and similar characters occur inside words, like control characters.
    if category == "Cf" or _CONTROL.match(character):
        return ""
    return " " if category[0] == "C" else character


def _drop_accent(character: str) -> str:
    return "" if unicodedata.combining(character) else character


_VISIBLE = _Letters(_replace_invisible)
_WITHOUT_ACCENTS = _Letters(_drop_accent)
