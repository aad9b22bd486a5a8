"""Export the history of changes as CSV or JSON."""

import csv
import io
import json
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from actions.caller import Caller
from actions.documents import get_titles
from core.changes import Change
from core.documents import DocumentRef
from core.fields import Value
from core.text import clean_line
from i18n.labels import value_label
from store import HistoryFilter

COLUMNS = (
    *("change", "when", "document", "title", "field", "before", "after", "state"),
    *("by", "reason", "job", "undone", "undone by", "changed since", "changed to"),
)
_PAGE = 500
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""Spreadsheets execute a cell that begins like this: a document must not inject one."""


async def export_history_csv(
    caller: Caller, wanted: HistoryFilter, limit: int | None = None, *, page: int = _PAGE
) -> AsyncIterator[str]:
    """Yield the history as lines of CSV, newest first, page by page."""
    yield _lines([COLUMNS])
    async for rows in _list_rows(caller, wanted, limit, page):
        yield _lines(rows)


async def export_history_json(
    caller: Caller, wanted: HistoryFilter, *, page: int = _PAGE
) -> AsyncIterator[str]:
    """Yield the history as a JSON list with the same columns, newest first, page by page."""
    names = [column.replace(" ", "_") for column in COLUMNS]
    opening = "["
    async for rows in _list_rows(caller, wanted, None, page):
        for row in rows:
            item = dict(zip(names, row, strict=True))
            yield f"{opening}\n{json.dumps(item, ensure_ascii=False)}"
            opening = ","
    yield "\n]\n" if opening == "," else "[]\n"


def escape_formula(cell: str) -> str:
    """Return a cell that no spreadsheet takes for a formula."""
    return f"'{cell}" if cell.startswith(_FORMULA) else cell


async def _list_rows(
    caller: Caller, wanted: HistoryFilter, limit: int | None, page: int
) -> AsyncIterator[list[Sequence[str]]]:
    """Yield the rows of the history, newest first, page by page."""
    left = limit
    while left is None or left > 0:
        size = page if left is None else min(page, left)
        changes = await caller.store.changes.list_history(wanted, size)
        if not changes:
            return
        titles = await get_titles(caller.store, {change.document for change in changes})
        yield [_row(change, titles, caller) for change in changes]
        wanted = replace(wanted, before_id=changes[-1].id)
        left = None if left is None else left - len(changes)


def _row(change: Change, titles: Mapping[DocumentRef, str], caller: Caller) -> Sequence[str]:
    return (
        str(change.id),
        _format_time(change.settled_at or change.created_at, caller),
        str(change.document),
        titles[change.document],
        clean_line(str(change.field)),
        _format_value(change.before),
        _format_value(change.after),
        change.state.value,
        change.decided_by,
        change.why,
        str(change.job_id),
        _format_time(change.undone_at, caller),
        change.undone_by or "",
        _format_time(change.changed_seen_at, caller),
        _format_value(change.changed_to),
    )


def _format_time(time: datetime | None, caller: Caller) -> str:
    return "" if time is None else time.astimezone(caller.zone).isoformat(timespec="seconds")


def _format_value(value: Value) -> str:
    return "" if value is None or value == "" else value_label(value)


def _lines(rows: Iterable[Sequence[str]]) -> str:
    buffer = io.StringIO()
    csv.writer(buffer).writerows([escape_formula(cell) for cell in row] for row in rows)
    return buffer.getvalue()
