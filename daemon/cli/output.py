"""Write to the terminal: for people in words, for scripts in JSON."""

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import date, datetime, tzinfo
from decimal import Decimal
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from core.documents import DocumentRef
from core.fields import CustomField
from core.holds import HoldCause
from core.messages import Message
from core.text import clean_line, remove_invisible

_FULL_WIDTH = 200
"""What is not a terminal has no width: lines are not broken."""


class _Terminal(Console):
    """Shows what it is given and obeys none of it: a title or a name may hold anything."""

    def render_str(self, text: str, **options: Any) -> Text:
        return super().render_str(remove_invisible(text), **options)


def console() -> Console:
    """Return where words for people go."""
    width = None if sys.stdout.isatty() else _FULL_WIDTH
    return _Terminal(markup=False, highlight=False, emoji=False, width=width, soft_wrap=True)


def print_json(value: object) -> None:
    """Write one value as one line, in ASCII: no terminal trips over it."""
    sys.stdout.write(json.dumps(plain(value)) + "\n")


def plain(value: object) -> object:
    """Turn a value of ours into what JSON knows."""
    match value:
        case DocumentRef() | CustomField() | Decimal() | Message() | HoldCause():
            return str(value)
        case datetime() | date():
            return value.isoformat()
        case Mapping():
            return {str(key): plain(one) for key, one in value.items()}
        case list() | tuple() | frozenset():
            return [plain(one) for one in value]
        case _ if is_dataclass(value):
            shown = (one for one in fields(value) if one.metadata.get("is_shown", True))
            return {one.name: plain(getattr(value, one.name)) for one in shown}
        case _:
            return value


def print_table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Write rows below headings, without lines in between."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in headings:
        table.add_column(Text(heading), overflow="fold")
    for row in rows:
        table.add_row(*(Text(clean_line(cell)) for cell in row))
    console().print(table, soft_wrap=False)


def format_local(moment: datetime | None, zone: tzinfo | None) -> str:
    """Show a moment where the owner lives."""
    return "-" if moment is None else moment.astimezone(zone).strftime("%Y-%m-%d %H:%M:%S")


def plural(count: int, noun: str) -> str:
    """Count things: 1 document, 2 documents."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
