"""Base classes of errors, with a code and texts for operator and user."""

from dataclasses import dataclass
from typing import Protocol

from core.messages import Message, plain


class DescribedError(Protocol):
    """An error of any package with a code, a message and a hint."""

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

    `code` is stable and meant for programs; `message` is for the operator, `user_message` for the
    owner of the document, `hint` says what to do ("" if there is nothing). The last two have no
    values, so that they can be translated by lookup.
    """

    code: str
    message: Message
    user_message: str = ""
    hint: str = ""
    retryable: bool | None = None
    """Whether another attempt could succeed; None if it is not known, as for old rows."""

    @classmethod
    def from_error(cls, error: DescribedError) -> "Problem":
        """Build the problem for an error."""
        return cls(error.code, error.message, error.user_message, error.hint)


class PaperclerkError(Exception):
    """Base of our errors, with a code and a hint.

    A text instead of a message is not translated.
    """

    code = "unexpected"
    user_message = "An unexpected error occurred."
    hint = ""

    def __init__(self, message: Message | str = "") -> None:
        super().__init__(str(message))
        self.message = message if isinstance(message, Message) else plain(message)


class PermanentError(PaperclerkError):
    """A retry would not help: the job fails at once."""
