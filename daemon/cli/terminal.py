"""Print results and ask questions: text for people on a terminal, JSON for scripts.

rich loads slowly, so it is imported on first use; `version` and `--help` do not need it.
"""

import json
import sys
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import date, datetime, tzinfo
from decimal import Decimal
from getpass import getpass
from typing import TYPE_CHECKING, Any, TypeVar

import typer

from actions.errors import ConsentRequired
from core.documents import DocumentRef
from core.fields import CustomField
from core.holds import HoldCause
from core.messages import Message
from core.text import clean_line, remove_invisible
from daemon.cli.exits import Exit, UsageError, print_error, reported_errors, result_of, run

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from daemon.context import Context
    from i18n.labels import Labels

_FULL_WIDTH = 200
"""Width where the output is not a terminal, so that lines are not wrapped."""
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


def console() -> "Console":
    """Return a console for text on standard output."""
    from rich.console import Console

    class Terminal(Console):
        """A console that removes control characters: a title or a name may contain any."""

        def render_str(self, text: str, **options: Any) -> "Text":
            return super().render_str(remove_invisible(text), **options)

    width = None if sys.stdout.isatty() else _FULL_WIDTH
    return Terminal(markup=False, highlight=False, emoji=False, width=width, soft_wrap=True)


def print_json(value: object) -> None:
    """Write a value as one line of JSON, in ASCII, which every terminal can show."""
    sys.stdout.write(json.dumps(plain(value)) + "\n")


def plain(value: object) -> object:
    """Convert a value to the types that JSON knows."""
    match value:
        case DocumentRef() | CustomField() | Decimal() | Message() | HoldCause():
            return str(value)
        case datetime() | date():
            return value.isoformat()
        case Mapping():
            return {str(key): plain(item) for key, item in value.items()}
        case list() | tuple() | frozenset():
            return [plain(item) for item in value]
        case _ if is_dataclass(value):
            shown = (field for field in fields(value) if field.metadata.get("is_shown", True))
            return {field.name: plain(getattr(value, field.name)) for field in shown}
        case _:
            return value


def print_table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Write rows below headings, without lines in between."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in headings:
        table.add_column(Text(heading), overflow="fold")
    for row in rows:
        table.add_row(*(Text(clean_line(cell)) for cell in row))
    console().print(table, soft_wrap=False)


def format_local(moment: datetime | None, zone: tzinfo | None) -> str:
    """Format a time in the owner's time zone; None becomes a dash."""
    return "-" if moment is None else moment.astimezone(zone).strftime("%Y-%m-%d %H:%M:%S")


def english_labels(context: "Context") -> "Labels":
    """Return labels in English, with times as of now."""
    from i18n.labels import Labels
    from i18n.translate import get_translator

    return Labels(get_translator("en", zone=context.zone, now=context.clock()))


def plural(count: int, noun: str) -> str:
    """Format a count with its noun: 1 document, 2 documents."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def confirm(question: str, *, instead: str) -> None:
    """Ask a yes-or-no question, and exit unless the answer is yes.

    Do not call it inside the event loop, where Ctrl-C would not end the question. Without a
    terminal, print `instead` and exit.
    """
    if not sys.stdin.isatty():
        sys.stderr.write(f"{remove_invisible(question)}\n  -> {instead}\n")
        sys.exit(Exit.CONFIG)
    try:
        confirmed = typer.confirm(remove_invisible(question), err=True)
    except typer.Abort:
        sys.stderr.write("\n")
        confirmed = False
    if not confirmed:
        sys.stderr.write("Nothing was changed.\n")
        sys.exit(Exit.CANCELLED)


def ask_new_password() -> str:
    """Ask for a password without showing it, twice; from a script take a line of its input."""
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\r\n")
    password = getpass("New password: ")
    if getpass("The same again: ") != password:
        raise UsageError("the two passwords differ")
    return password


def run_with_consent(
    command: Callable[[Decimal | None], Coroutine[Any, Any, Exit]], *, yes: bool
) -> None:
    """Run a command and exit; if its cost must be confirmed, ask, and run it with the consent.

    The command is given the confirmed amount, and raises ConsentRequired before it does anything.
    """

    async def run_or_refuse() -> Exit | ConsentRequired:
        from actions.costs import ANY_COST

        try:
            return await command(ANY_COST if yes else None)
        except ConsentRequired as required:
            return required

    # The question is asked outside the event loop, where Ctrl-C ends it.
    outcome = result_of(run_or_refuse)
    if isinstance(outcome, Exit):
        sys.exit(outcome)
    from daemon.cli.costs import build_consent_question

    confirm(build_consent_question(outcome.estimates), instead="Add --yes to start.")
    up_to = max(estimate.cost or Decimal() for estimate in outcome.estimates)
    run(lambda: command(up_to))
