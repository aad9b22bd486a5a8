"""Guess what a mistyped word was meant to be."""

from collections.abc import Iterable
from difflib import get_close_matches

from core.messages import Message, message


def closest(word: str, words: Iterable[str]) -> str | None:
    """Return the word that looks most like `word`; None if none does."""
    return next(iter(get_close_matches(word, sorted(words), n=1)), None)


def did_you_mean(said: Message, guess: str) -> Message:
    """Return an error with a guess at what was meant."""
    return message('{said} - did you mean "{guess}"?', said=said, guess=guess)
