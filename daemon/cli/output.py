"""Write to standard output: text for people, JSON for scripts."""

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import date, datetime, tzinfo
from decimal import Decimal
from typing import TYPE_CHECKING

from core.documents import DocumentRef
from core.fields import CustomField
from core.holds import HoldCause
from core.messages import Message
from core.text import clean_line

if TYPE_CHECKING:
    from rich.console import Console

    from daemon.context import Context
    from i18n.labels import Labels

_FULL_WIDTH = 200
"""Width where the output is not a terminal, so that lines are not wrapped."""


def console() -> "Console":
    """Return a console for text on standard output."""
    from daemon.cli.terminal import Terminal

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
