"""Mistakes in the settings: each with its place, and all of them in one error."""

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches

from core.errors import PaperclerkError
from core.messages import Message, message

KeyPath = tuple[str, ...]
"""Keys from the outermost table inwards: ("ai", "model")."""


@dataclass(frozen=True, slots=True)
class SettingSource:
    """Where a setting was written: a line of a file, or an environment variable (no line)."""

    file: str
    line: int | None = None

    def __str__(self) -> str:
        return self.file if self.line is None else f"{self.file}:{self.line}"


@dataclass(frozen=True, slots=True)
class SettingError:
    """One thing to mend; `file` is a variable's name for what came from the environment."""

    file: str
    line: int | None
    path: str
    """Dotted path of the setting; "" when the mistake is about the whole file or variable."""
    message: Message

    @classmethod
    def at(cls, place: SettingSource, path: KeyPath, message: Message) -> "SettingError":
        return cls(place.file, place.line, ".".join(path), message)

    @property
    def place(self) -> str:
        return str(SettingSource(self.file, self.line))

    def __str__(self) -> str:
        return f"{self.path}: {self.message}" if self.path else str(self.message)


class ConfigError(PaperclerkError):
    """The settings cannot be used; it lists everything that is wrong with them at once."""

    code = "config"
    user_message = "The configuration has errors."
    hint = "Fix the lines listed, then start again."

    def __init__(self, mistakes: Iterable[SettingError]) -> None:
        self.errors = tuple(mistakes)
        super().__init__(_report(self.errors))


def _report(mistakes: tuple[SettingError, ...]) -> str:
    width = max((len(mistake.place) for mistake in mistakes), default=0)
    problems = "1 problem" if len(mistakes) == 1 else f"{len(mistakes)} problems"
    lines = (f"  {mistake.place:<{width}}  {mistake}" for mistake in mistakes)
    return "\n".join((f"config: {problems}", *lines))


def closest_match(word: str, words: Iterable[str]) -> str | None:
    """Return the word that looks most like `word`; None if none does."""
    return next(iter(get_close_matches(word, sorted(words), n=1)), None)


def did_you_mean(said: Message, guess: str) -> Message:
    """Return an error with a guess at what was meant."""
    return message('{said} - did you mean "{guess}"?', said=said, guess=guess)
