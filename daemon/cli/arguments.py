"""Arguments and options of the commands, and how they are parsed."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Annotated

import typer
from typer import BadParameter

from core.access import Permission
from core.documents import DocumentRef
from core.fields import NAMED_FIELDS, FieldName
from core.jobs import JobStatus
from daemon.cli.exits import UsageError, list_choices

FLAG = ""
"""What a flag takes in the help: nothing, where typer would write `<bool>`."""
Instance = Annotated[str | None, typer.Argument(metavar="NAME", help="An instance; default: all.")]
Document = Annotated[str, typer.Argument(metavar="NAME/ID", help="A document, as in home/7.")]
Documents = Annotated[list[str], typer.Argument(metavar="NAME/ID", help="Documents, as in home/7.")]
AsJson = Annotated[bool, typer.Option("--json", metavar=FLAG, help="Print JSON.")]
Yes = Annotated[
    bool,
    typer.Option("--yes", "-y", metavar=FLAG, help="Do not ask before a run that costs much."),
]
Field = Annotated[
    str,
    typer.Option(
        metavar="FIELD",
        help="If ambiguous: correspondent, document_type, storage_path or tags.",
    ),
]
Of = Annotated[
    str | None, typer.Option("--instance", metavar="NAME", help="Its instance, if ambiguous.")
]
Only = Annotated[
    str | None, typer.Option(metavar="FIELDS", help="Only these fields, as in title,date.")
]
SHELLS = ("bash", "zsh", "fish", "powershell")
_LARGEST = 2**63 - 1
"""The largest integer that the database can store."""
_YEARS = range(1970, 3000)
"""Outside this range, adding a day or a time zone would overflow a date."""


@dataclass(frozen=True, slots=True)
class Options:
    """Folders and log level, as given before the command."""

    config: Path
    data: Path
    log_at_least: str = "debug"
    """Minimum level of log lines, whatever the settings say."""


def parse_number(typed: str | int) -> int:
    """Parse the number of a job, scan or change, or a count; raise BadParameter."""
    if not re.fullmatch("[0-9]{1,100}", str(typed)) or int(typed) == 0:
        raise BadParameter(f'"{typed}" is not a whole number greater than 0')
    if int(typed) > _LARGEST:
        raise BadParameter(f"{typed} is too large")
    return int(typed)


def parse_day(typed: str) -> date:
    """Parse a day; raise BadParameter."""
    return _date(typed, typed, "a day between 1970 and 2999; write it as 2026-01-31")


def parse_month(typed: str) -> date:
    """Parse a month and return its first day; raise BadParameter."""
    return _date(typed, f"{typed}-01", "a month between 1970 and 2999; write it as 2026-01")


def parse_status(typed: str) -> JobStatus:
    """Parse the status of a job; raise BadParameter."""
    if typed.strip().lower() not in set(JobStatus):
        raise BadParameter(f'"{typed}" is not a status; use one of: {", ".join(JobStatus)}')
    return JobStatus(typed.strip().lower())


def parse_shell(typed: str) -> str:
    """Check that there is a completion script for a shell; raise BadParameter."""
    if typed not in SHELLS:
        raise BadParameter(f'"{typed}" is not supported; use one of: {", ".join(SHELLS)}')
    return typed


def parse_document(text: str) -> DocumentRef:
    """Parse NAME/ID."""
    try:
        return DocumentRef.parse(text)
    except ValueError as error:
        raise UsageError(str(error)) from error


def parse_documents(texts: Iterable[str]) -> list[DocumentRef]:
    """Parse several NAME/ID, without duplicates."""
    return list(dict.fromkeys(parse_document(text) for text in texts))


def parse_fields(text: str | None) -> frozenset[str] | None:
    """Parse `title,Invoice number`; None, which means all, if the option was not given.

    An empty text is an error: in a script it is usually an unset variable.
    """
    if text is None:
        return None
    names = frozenset(name.strip() for name in text.split(",") if name.strip())
    if not names:
        raise UsageError("--only needs at least one field, such as title,date")
    return names


def parse_named_field(text: str) -> FieldName | None:
    """Parse the name of a field whose values are names; None for an empty text."""
    if not text:
        return None
    if text.strip() not in NAMED_FIELDS:
        raise UsageError(f"{text} is not a field with names; {list_choices(sorted(NAMED_FIELDS))}")
    return FieldName(text.strip())


def parse_edits(texts: Iterable[str]) -> Mapping[str, str]:
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


def parse_permission(text: str) -> Permission:
    """Parse the permission of a token."""
    known = {permission.name.lower(): permission for permission in Permission}
    if text.strip().lower() not in known:
        raise UsageError(f'there is no permission "{text}"; {list_choices(known)}')
    return known[text.strip().lower()]


def _date(typed: str, iso: str, wanted: str) -> date:
    try:
        found = date.fromisoformat(iso)
    except ValueError as error:
        raise BadParameter(f'"{typed}" is not {wanted}') from error
    # Python reads other spellings too, such as 20260131 and 2026-W05-6.
    if found.isoformat() != iso or found.year not in _YEARS:
        raise BadParameter(f'"{typed}" is not {wanted}')
    return found


Jobs = Annotated[
    list[int], typer.Argument(parser=parse_number, metavar="JOB", help="Numbers of jobs.")
]
Limit = Annotated[
    int, typer.Option(parser=parse_number, metavar="N", help="Show at most this many.")
]
Since = Annotated[
    date | None,
    typer.Option(parser=parse_day, metavar="DAY", help="From this day on: 2026-01-31."),
]
Until = Annotated[
    date | None,
    typer.Option(parser=parse_day, metavar="DAY", help="Up to this day: 2026-01-31."),
]
