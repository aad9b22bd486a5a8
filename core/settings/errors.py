"""Errors in the settings, each with file and line, reported together."""

from collections.abc import Iterable
from dataclasses import dataclass

from core.errors import PaperclerkError
from core.messages import Message

KeyPath = tuple[str, ...]
"""Keys from the outermost table inwards: ("ai", "model")."""


@dataclass(frozen=True, slots=True)
class SettingSource:
    """Where a setting was written: a line of a file, or an environment variable (no line)."""

    file: str
    line: int | None = None

    @classmethod
    def parse(cls, text: str) -> "SettingSource":
        """Parse what `str` returns."""
        file, _, line = text.rpartition(":")
        return cls(file, int(line)) if file else cls(text)

    def __str__(self) -> str:
        return self.file if self.line is None else f"{self.file}:{self.line}"


@dataclass(frozen=True, slots=True)
class SettingError:
    """One error; `file` is the name of the variable if the value is from the environment."""

    file: str
    line: int | None
    path: str
    """Dotted path of the setting; "" if the error is about the whole file or variable."""
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
    """The settings are not valid; lists all errors at once."""

    code = "config"
    user_message = "The configuration has errors."
    hint = "Fix the listed lines, then start Paperclerk again."

    def __init__(self, errors: Iterable[SettingError]) -> None:
        self.errors = tuple(errors)
        super().__init__(_format_report(self.errors))


def _format_report(errors: tuple[SettingError, ...]) -> str:
    width = max((len(error.place) for error in errors), default=0)
    problems = "1 problem" if len(errors) == 1 else f"{len(errors)} problems"
    lines = (f"  {error.place:<{width}}  {error}" for error in errors)
    return "\n".join((f"config: {problems}", *lines))
