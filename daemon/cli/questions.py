"""Ask questions on a terminal, again and again until an answer is valid."""

from collections.abc import Callable
from typing import TypeVar

import typer

from core.text import remove_invisible
from daemon.cli.exits import UsageError, print_error, reported_errors

T = TypeVar("T")


class Asker:
    """Asks on the terminal; without one, a missing answer is an error that names its option.

    Do not call it inside an event loop, where Ctrl-C would not end a question.
    """

    def __init__(self, *, is_terminal: bool) -> None:
        self.is_terminal = is_terminal

    def ask(self, question: str, option: str, *, default: str = "", is_secret: bool = False) -> str:
        """Return the answer, or the default for an empty one; raise UsageError.

        A secret is not shown, and spaces around it are kept: a password may have them.
        """
        if not self.is_terminal:
            raise UsageError(f"missing: {question}; give it with {option}")
        text = typer.prompt(
            question, default=default, hide_input=is_secret, show_default=bool(default)
        )
        return str(text) if is_secret else str(text).strip()

    def confirm(self, question: str, option: str, *, default: bool) -> bool:
        """Return whether the answer is yes; raise UsageError."""
        if not self.is_terminal:
            raise UsageError(f"{question} To say yes: {option}")
        return typer.confirm(remove_invisible(question), default=default)

    def ask_until(self, given: str, ask: Callable[[], str], check: Callable[[str], T]) -> T:
        """Return the result of the check for the first answer that passes it.

        `given` is the answer from the command line, "" if there is none. On a terminal, an error is
        printed and the question asked again; otherwise it is raised.
        """
        while True:
            try:
                return check(given or ask())
            except reported_errors() as error:
                if not self.is_terminal:
                    raise
                print_error(error)
                given = ""
