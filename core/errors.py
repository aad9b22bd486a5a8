"""What went wrong, in words for the operator, for the user, and for a program."""

from dataclasses import dataclass
from typing import Protocol


class Explained(Protocol):
    """An error that knows its code and what can be done about it, whichever package it is of."""

    code: str
    user_message: str
    hint: str


@dataclass(frozen=True, slots=True)
class Problem:
    """An error as it is stored with a job and shown to people.

    `code` is fixed and made for programs; `message` is for the operator, `user_message` for the
    person whose document it is, `hint` says what can be done ("" if nothing can).
    """

    code: str
    message: str
    user_message: str = ""
    hint: str = ""

    @classmethod
    def told_by(cls, error: Explained) -> "Problem":
        """Keep what an error says of itself."""
        return cls(error.code, str(error), error.user_message, error.hint)


class PaperclerkError(Exception):
    """An error of ours that knows its code and what can be done about it."""

    code = "unexpected"
    user_message = "Something unexpected went wrong."
    hint = ""


class Hopeless(PaperclerkError):
    """Trying again changes nothing: a job fails at once."""
