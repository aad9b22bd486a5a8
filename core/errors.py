"""Errors for the operator, for the user, and for a program."""

from dataclasses import dataclass
from typing import Protocol

from core.messages import Message, plain


class DescribedError(Protocol):
    """An error that knows its code and what can be done about it, whichever package it is of."""

    @property
    def code(self) -> str: ...
    @property
    def message(self) -> Message: ...
    @property
    def user_message(self) -> str: ...
    @property
    def hint(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Problem:
    """An error as it is stored with a job and shown to people.

    `code` is fixed and made for programs; `message` is for the operator, `user_message` for the
    person whose document it is, `hint` says what can be done ("" if nothing can). The last two are
    fixed sentences without values, so they are looked up as they are.
    """

    code: str
    message: Message
    user_message: str = ""
    hint: str = ""

    @classmethod
    def from_error(cls, error: DescribedError) -> "Problem":
        """Build the problem that an error describes."""
        return cls(error.code, error.message, error.user_message, error.hint)


class PaperclerkError(Exception):
    """An error of ours that knows its code and what can be done about it.

    A text instead of a message is shown as it is, in every language.
    """

    code = "unexpected"
    user_message = "An unexpected error occurred."
    hint = ""

    def __init__(self, message: Message | str = "") -> None:
        super().__init__(str(message))
        self.message = message if isinstance(message, Message) else plain(message)


class PermanentError(PaperclerkError):
    """Trying again changes nothing: a job fails at once."""
