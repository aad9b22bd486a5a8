"""`/history`: each write, before and after, newest first."""

from datetime import date, timedelta
from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import HTMLResponse

from core.days import start_of
from dashboard.pages.titles import titles_of
from dashboard.pages.view import Reading
from store import HistoryFilter

router = APIRouter()

_PAGE = 50


@router.get("/history", include_in_schema=False)
async def history(
    view: Reading,
    since: Annotated[str, Query()] = "",
    until: Annotated[str, Query()] = "",
    before: Annotated[int | None, Query(ge=1)] = None,
) -> HTMLResponse:
    """Show what was written, and what became of it."""
    first, last, zone = day_of(since), day_of(until), view.desk.zone
    wanted = HistoryFilter(
        since=start_of(first, zone) if first else None,
        until=start_of(last + timedelta(days=1), zone) if last else None,
        before_id=before,
        instances=frozenset(view.names),
    )
    changes = await view.desk.store.changes.history(wanted, _PAGE + 1)
    shown = changes[:_PAGE]
    return await view.page(
        "history.html",
        changes=shown,
        titles=await titles_of(view.desk.store, [change.document for change in shown]),
        since=first,
        until=last,
        next_before=shown[-1].id if len(changes) > _PAGE else None,
        is_first=before is None,
    )


def day_of(text: str) -> date | None:
    """Read what a form sends for a day; anything else is none."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None
