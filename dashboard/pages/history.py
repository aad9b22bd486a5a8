"""`/history`: written and rejected changes, newest first, and their CSV export."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from datetime import date
from enum import StrEnum
from typing import Annotated

from fastapi import APIRouter, Depends, Query
from starlette.responses import HTMLResponse, StreamingResponse

from actions.documents import get_titles
from actions.history import export_history_csv
from core.calendar import FIRST_DAY, LAST_DAY, day_range
from core.changes import ChangeState
from dashboard.context import Before
from dashboard.pages.view import ReadView, View
from store import DONE_TO_PAPERLESS, HistoryFilter

router = APIRouter(include_in_schema=False)

_PAGE = 50


class HistoryView(StrEnum):
    """Which part of the history is shown."""

    WRITTEN = "written"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True)
class HistoryQuery:
    """The filter in an address; what cannot be parsed is ignored."""

    since: date | None
    until: date | None
    kept: HistoryView

    def filter(self, view: View) -> HistoryFilter:
        """Build the filter of the store."""
        since, until = day_range(self.since, self.until, view.context.zone)
        return HistoryFilter(
            since=since,
            until=until,
            states=_STATES[self.kept],
            instances=frozenset(view.names),
        )


_STATES = {
    HistoryView.WRITTEN: DONE_TO_PAPERLESS,
    HistoryView.REJECTED: frozenset({ChangeState.REJECTED}),
}


async def _parse_query(
    since: Annotated[str, Query()] = "",
    until: Annotated[str, Query()] = "",
    kept: Annotated[str, Query()] = "",
) -> HistoryQuery:
    return HistoryQuery(
        parse_day(since),
        parse_day(until),
        HistoryView(kept) if kept in set(HistoryView) else HistoryView.WRITTEN,
    )


HistoryQueryDep = Annotated[HistoryQuery, Depends(_parse_query)]


@router.get("/history")
async def history(view: ReadView, wanted: HistoryQueryDep, before: Before = None) -> HTMLResponse:
    """List written changes with their states, or rejected ones with the reasons."""
    found = replace(wanted.filter(view), before_id=before)
    changes = await view.context.store.changes.list_history(found, _PAGE + 1)
    shown = changes[:_PAGE]
    return await view.page(
        "history.html",
        changes=shown,
        titles=await get_titles(view.context.store, [change.document for change in shown]),
        since=wanted.since,
        until=wanted.until,
        kept=wanted.kept.value,
        next_before=shown[-1].id if len(changes) > _PAGE else None,
        is_first=before is None,
    )


@router.get("/history.csv")
async def download(view: ReadView, wanted: HistoryQueryDep) -> StreamingResponse:
    """Return the filtered history as CSV."""
    lines = export_history_csv(view.caller, wanted.filter(view))
    name = f"paperclerk-{wanted.kept}-{view.translator.today.isoformat()}.csv"
    return StreamingResponse(
        _with_byte_order_mark(lines),
        media_type="text/csv; charset=utf-8",
        headers={"content-disposition": f'attachment; filename="{name}"'},
    )


async def _with_byte_order_mark(lines: AsyncIterator[str]) -> AsyncIterator[str]:
    """Yield a byte order mark first: Excel does not detect UTF-8 without it."""
    yield "\ufeff"
    async for line in lines:
        yield line


def parse_day(text: str) -> date | None:
    """Parse a day of a form; anything else is None."""
    try:
        day = date.fromisoformat(text)
    except ValueError:
        return None
    return day if FIRST_DAY <= day <= LAST_DAY else None
