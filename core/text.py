"""Compare texts as people do: without regard to case, accents, spacing and hyphenation."""

import re
import unicodedata
from collections.abc import Callable

_HYPHENATED = re.compile(r"(?<=[^\W\d_])[-\u00ad\u2010][^\S\n]*\n\s*(?=[a-zäöüß])")
"""Before a capital or a digit a hyphen at the end of a line is the word's own: E-Mail, 1-31.

One part alone may take line ends: two would try every way to share a thousand empty lines."""
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
"""Letters and signs that show nothing, though Unicode does not count them among the invisible."""


def fold(text: str) -> str:
    """Return `text` in small letters, without accents, with single spaces, its words rejoined."""
    plain = clean_line(_HYPHENATED.sub("", text))
    # Twice: taking a letter apart may bring a capital to light, as in a mathematical letter.
    for _ in range(2):
        plain = unicodedata.normalize("NFKD", plain.casefold())
    return " ".join(plain.translate(_WITHOUT_ACCENTS).translate(_ALIKE).split())


def split_words(text: str) -> list[str]:
    """Return the words of `text`, folded, without punctuation."""
    return split_folded(fold(text))


def split_folded(folded: str) -> list[str]:
    """Return the words of a text that went through `fold`, which takes its time with a long one."""
    return _NOT_A_WORD.sub(" ", folded).split()


def distinct_words(text: str) -> frozenset[str]:
    """Return every word of `text` once, folded: of a long text much quicker than `words`."""
    distinct = set(_CONTROL.sub("", _HYPHENATED.sub("", text)).split())
    # What is plain already, most of a text, need not go through the tables of Unicode.
    plain = {part for part in distinct if part.isascii()}
    return frozenset(
        split_folded(" ".join(plain).lower()) + split_words(" ".join(distinct - plain))
    )


def clean_line(text: str) -> str:
    """Return `text` on one line, without control characters and invisible ones."""
    return " ".join(text.translate(_VISIBLE).split())


def remove_invisible(text: str) -> str:
    """Return `text` with its lines and spaces, without control characters and invisible ones."""
    return "\n".join(line.translate(_VISIBLE) for line in text.split("\n"))


class _Letters(dict[int, str]):
    """A table for `str.translate` that asks about each letter once: texts are long."""

    _KEPT = 0x3000
    """A text may hold every character there is, and the table must not: the usual ones are kept."""

    def __init__(self, shown_as: Callable[[str], str]) -> None:
        super().__init__()
        self._shown_as = shown_as

    def __missing__(self, code: int) -> str:
        shown = self._shown_as(chr(code))
        if code < self._KEPT:
            self[code] = shown
        return shown


def _visible(character: str) -> str:
    if character in _BLANK:
        return " "
    category = unicodedata.category(character)
    # Soft hyphens and similar characters occur inside words, like control characters.
    if category == "Cf" or _CONTROL.match(character):
        return ""
    return " " if category[0] == "C" else character


def _without_accent(character: str) -> str:
    return "" if unicodedata.combining(character) else character


_VISIBLE = _Letters(_visible)
_WITHOUT_ACCENTS = _Letters(_without_accent)
