"""Compare texts as people do: without regard to case, accents, spacing and hyphenation."""

import re
import unicodedata

_HYPHENATED = re.compile(r"(?<=\w)[-\u00ad\u2010]\s*\n\s*(?=\w)")
_QUOTES = str.maketrans({"„": '"', "“": '"', "”": '"', "’": "'", "‘": "'", "–": "-", "—": "-"})
_NOT_A_WORD = re.compile(r"[^\w]+")


def fold(text: str) -> str:
    """Return `text` in small letters, without accents, with single spaces, its words rejoined."""
    joined = _HYPHENATED.sub("", text).translate(_QUOTES)
    plain = unicodedata.normalize("NFKD", joined.casefold())
    kept = "".join(c for c in plain if not unicodedata.combining(c))
    return " ".join(kept.split())


def words(text: str) -> list[str]:
    """Return the words of `text`, folded, without punctuation."""
    return _NOT_A_WORD.sub(" ", fold(text)).split()


def tidy(text: str) -> str:
    """Return `text` on one line, without control characters and invisible ones."""
    visible = "".join(c if unicodedata.category(c)[0] != "C" else " " for c in text)
    return " ".join(visible.split())
