"""Guess what a mistyped word was meant to be."""

from collections.abc import Iterable
from difflib import get_close_matches


def closest(word: str, words: Iterable[str]) -> str | None:
    """Return the word that looks most like `word`; None if none does."""
    return next(iter(get_close_matches(word, sorted(words), n=1)), None)


def did_you_mean(word: str, words: Iterable[str]) -> str:
    """Return ` - did you mean "model"?`, or nothing when no word is near."""
    guess = closest(word, words)
    return f' - did you mean "{guess}"?' if guess else ""
