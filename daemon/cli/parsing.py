"""Parse command line arguments; invalid ones raise a clear error."""

import re
import sys
from collections.abc import Iterable, Mapping
from datetime import date
from getpass import getpass

import typer
from typer import BadParameter

from core.access import Permission
from core.documents import DocumentRef
from core.fields import NAMED_FIELDS, FieldName
from core.jobs import JobStatus
from core.text import remove_invisible
from daemon.cli.exits import Exit, UsageError, list_choices

SHELLS = ("bash", "zsh", "fish", "powershell")
_LARGEST = 2**63 - 1
"""The largest integer that the database can store."""
_YEARS = range(1970, 3000)
"""Outside this range, adding a day or a time zone would overflow a date."""


def number(typed: str | int) -> int:
    """Parse the number of a job, scan or change, or a count; raise BadParameter."""
    if not re.fullmatch("[0-9]{1,100}", str(typed)) or int(typed) == 0:
        raise BadParameter(f'"{typed}" is not a whole number greater than 0')
    if int(typed) > _LARGEST:
        raise BadParameter(f"{typed} is too large")
    return int(typed)


def day(typed: str) -> date:
    """Parse a day; raise BadParameter."""
    return _date(typed, typed, "a day between 1970 and 2999; write it as 2026-01-31")


def month(typed: str) -> date:
    """Parse a month and return its first day; raise BadParameter."""
    return _date(typed, f"{typed}-01", "a month between 1970 and 2999; write it as 2026-01")


def status(typed: str) -> JobStatus:
    """Parse the status of a job; raise BadParameter."""
    if typed.strip().lower() not in set(JobStatus):
        raise BadParameter(f'"{typed}" is not a status; use one of: {", ".join(JobStatus)}')
    return JobStatus(typed.strip().lower())


def shell(typed: str) -> str:
    """Check that there is a completion script for a shell; raise BadParameter."""
    if typed not in SHELLS:
        raise BadParameter(f'"{typed}" is not supported; use one of: {", ".join(SHELLS)}')
    return typed


def _date(typed: str, iso: str, wanted: str) -> date:
    try:
        found = date.fromisoformat(iso)
    except ValueError as error:
        raise BadParameter(f'"{typed}" is not {wanted}') from error
    # Python reads other spellings too, such as 20260131 and 2026-W05-6.
    if found.isoformat() != iso or found.year not in _YEARS:
        raise BadParameter(f'"{typed}" is not {wanted}')
    return found


def document(text: str) -> DocumentRef:
    """Parse NAME/ID."""
    try:
        return DocumentRef.parse(text)
    except ValueError as error:
        raise UsageError(str(error)) from error


def documents(texts: Iterable[str]) -> list[DocumentRef]:
    """Parse several NAME/ID, without duplicates."""
    return list(dict.fromkeys(document(text) for text in texts))


def fields(text: str | None) -> frozenset[str] | None:
    """Parse `title,Invoice number`; None, which means all, if the option was not given.

    An empty text is an error: in a script it is usually an unset variable.
    """
    if text is None:
        return None
    names = frozenset(name.strip() for name in text.split(",") if name.strip())
    if not names:
        raise UsageError("--only needs at least one field, such as title,date")
    return names


def named_field(text: str) -> FieldName | None:
    """Parse the name of a field whose values are names; None for an empty text."""
    if not text:
        return None
    if text.strip() not in NAMED_FIELDS:
        raise UsageError(f"{text} is not a field with names; {list_choices(sorted(NAMED_FIELDS))}")
    return FieldName(text.strip())


def settings(texts: Iterable[str]) -> Mapping[str, str]:
    """Parse several `title=Some words`."""
    values = {}
    for text in texts:
        name, sign, value = text.partition("=")
        if not sign:
            raise UsageError(f'"{text}" is not of the form FIELD=VALUE, such as title="New title"')
        if name.strip() in values:
            raise UsageError(f"--set contains {name.strip()} twice")
        if not value.strip():
            instead = f"`paperclerk review reject NAME/ID --only {name.strip()}`"
            raise UsageError(f"the {name.strip()} must not be empty; to reject it: {instead}")
        values[name.strip()] = value
    return values


def right(text: str) -> Permission:
    """Parse the permission of a token."""
    known = {permission.name.lower(): permission for permission in Permission}
    if text.strip().lower() not in known:
        raise UsageError(f'there is no permission "{text}"; {list_choices(known)}')
    return known[text.strip().lower()]


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


def new_password() -> str:
    """Ask for a password without showing it, twice; from a script take a line of its input."""
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\r\n")
    password = getpass("New password: ")
    if getpass("The same again: ") != password:
        raise UsageError("the two passwords differ")
    return password
