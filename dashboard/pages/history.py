"""`/history`: written and rejected changes, newest first, and their CSV export."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from enum import StrEnum
from typing import Annotated

from fastapi import APIRouter, Depends, Query
from starlette.responses import HTMLResponse, StreamingResponse

from actions.documents import get_titles
from actions.history import export_history_csv
from core.calendar import FIRST_DAY, LAST_DAY, day_range
from core.changes import Change, ChangeState
from core.documents import DocumentRef
from core.fields import FieldName
from core.text import clean_line
from dashboard.auth import Permission
from dashboard.context import Before
from dashboard.pages.changed_documents import group_by_run
from dashboard.pages.view import ReadView, View
from store import DONE_TO_PAPERLESS, DecidedBy, HistoryFilter

router = APIRouter(include_in_schema=False)

_PAGE = 30
_FOUND = 100
"""Documents whose changes or jobs are listed for a search."""


class HistoryView(StrEnum):
    """Which part of the history is shown."""

    WRITTEN = "written"
    REJECTED = "rejected"


_STATES = {
    HistoryView.WRITTEN: DONE_TO_PAPERLESS,
    HistoryView.REJECTED: frozenset({ChangeState.REJECTED}),
}
CHANGED_SINCE = "changed"
"""A state of the filter that is none of the store: written, and changed by someone since."""
STATES = (*sorted(DONE_TO_PAPERLESS), CHANGED_SINCE)
"""States by which written changes can be filtered."""


@dataclass(frozen=True, slots=True)
class HistoryQuery:
    """The filter in an address; what cannot be parsed is ignored."""

    since: date | None
    until: date | None
    kept: HistoryView
    words: str = ""
    """Of the title, or a number."""
    field: str = ""
    by: DecidedBy | None = None
    state: str = ""
    """One of `STATES`; "" for any."""

    @property
    def parameters(self) -> dict[str, object]:
        """Return the filter as the parameters of an address."""
        return {
            "kept": self.kept.value,
            "since": self.since or "",
            "until": self.until or "",
            "q": self.words,
            "field": self.field,
            "by": self.by.value if self.by else "",
            "state": self.state,
        }

    @property
    def is_narrowed(self) -> bool:
        """Whether more than the days and the kind of the history is chosen."""
        return bool(self.words or self.field or self.by or self.state)

    async def filter(self, view: View) -> HistoryFilter:
        """Build the filter of the store."""
        since, until = day_range(self.since, self.until, view.context.zone)
        return HistoryFilter(
            since=since,
            until=until,
            states=self._states,
            instances=frozenset(view.names),
            documents=await find_documents(view, self.words) if self.words else None,
            field=self.field or None,
            by=self.by,
            only_changed_since=self.state == CHANGED_SINCE,
        )

    @property
    def _states(self) -> frozenset[ChangeState]:
        if self.state == CHANGED_SINCE:
            return frozenset({ChangeState.APPLIED})
        return frozenset({ChangeState(self.state)}) if self.state else _STATES[self.kept]


async def _parse_query(  # noqa: PLR0913, PLR0917 - one for each parameter
    since: Annotated[str, Query()] = "",
    until: Annotated[str, Query()] = "",
    kept: Annotated[str, Query()] = "",
    q: Annotated[str, Query(max_length=200)] = "",
    field: Annotated[str, Query(max_length=200)] = "",
    by: Annotated[str, Query()] = "",
    state: Annotated[str, Query()] = "",
) -> HistoryQuery:
    which = HistoryView(kept) if kept in set(HistoryView) else HistoryView.WRITTEN
    return HistoryQuery(
        parse_day(since),
        parse_day(until),
        which,
        words=clean_line(q),
        field=field if field in set(FieldName) else "",
        by=DecidedBy(by) if by in set(DecidedBy) else None,
        state=state if state in STATES and which is HistoryView.WRITTEN else "",
    )


HistoryQueryDep = Annotated[HistoryQuery, Depends(_parse_query)]


@router.get("/history")
async def history(view: ReadView, wanted: HistoryQueryDep, before: Before = None) -> HTMLResponse:
    """List written or rejected changes, by document and run."""
    found = replace(await wanted.filter(view), before_id=before)
    changes = await view.context.store.changes.list_history(found, _PAGE + 1)
    shown = whole_runs(changes, _PAGE)
    return await view.page(
        "history.html",
        runs=group_by_run(shown),
        titles=await get_titles(view.context.store, [change.document for change in shown]),
        wanted=wanted,
        query=wanted.parameters | {"instance": view.chosen},
        fields=tuple(FieldName),
        states=STATES,
        may_act=view.person.has_permission(Permission.ACT),
        next_before=shown[-1].id if len(changes) > _PAGE else None,
        is_first=before is None,
    )


def whole_runs(changes: Sequence[Change], most: int) -> Sequence[Change]:
    """Return at most so many changes, without the beginning of a run that goes on after them."""
    shown = list(changes[:most])
    if len(changes) <= most:
        return shown
    cut = (changes[most].document, changes[most].job_id)
    whole = list(shown)
    while whole and (whole[-1].document, whole[-1].job_id) == cut:
        whole.pop()
    return whole or shown


async def find_documents(view: View, words: str) -> frozenset[DocumentRef]:
    """Return the documents with these words in the title, or with this number."""
    found = await view.context.store.documents.find(view.names, words, limit=_FOUND)
    return frozenset(document.ref for document in found.documents)


@router.get("/history.csv")
async def download(view: ReadView, wanted: HistoryQueryDep) -> StreamingResponse:
    """Return the filtered history as CSV."""
    lines = export_history_csv(view.caller, await wanted.filter(view))
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
