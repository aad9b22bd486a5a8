"""`/`: how everything stands, what runs, and what needs you."""

from dataclasses import dataclass

from fastapi import APIRouter
from starlette.responses import HTMLResponse

from actions.documents import get_titles
from actions.health import list_warnings, take_health_snapshot
from core.calendar import day_boundaries, days_until
from core.changes import Change
from core.documents import DocumentRef
from core.jobs import Job, JobStatus
from dashboard.pages.bars import Bar, bars_of
from dashboard.pages.instances import (
    build_hold_views,
    load_instance_cards,
    load_visible_holds,
    sum_monthly_spending,
)
from dashboard.pages.view import ReadView, View
from store import JobFilter

router = APIRouter()

_DAYS = 14
_RUNNING = 10
_LAST = 5


@dataclass(frozen=True, slots=True)
class RecentActivity:
    """What went on: jobs that run, changes that were written, days that went by."""

    running: tuple[Job, ...]
    changes: tuple[Change, ...]
    bars: list[Bar]

    @property
    def documents(self) -> list[DocumentRef]:
        changed = [change.document for change in self.changes]
        return [*(job.document for job in self.running), *changed]


@router.get("/", include_in_schema=False)
async def overview(view: ReadView) -> HTMLResponse:
    """Show how everything stands."""
    if not view.context.settings.instances:
        return await view.page("setup.html", mistakes=(), folder="config")
    store, holds = view.context.store, await load_visible_holds(view)
    lately, stand = await _lately(view), await load_instance_cards(view, holds)
    figures = await take_health_snapshot(view.context, view.context.clock(), view.names)
    return await view.page(
        "overview.html",
        standings=stand,
        rests=build_hold_views(
            view, holds, {one.status.instance: one.status.held for one in stand}
        ),
        figures=figures,
        warnings=list_warnings(figures),
        spent=sum_monthly_spending(view, stand),
        causes=await store.statistics.list_failure_causes(view.names),
        lately=lately,
        titles=await get_titles(store, lately.documents),
    )


async def _lately(view: View) -> RecentActivity:
    store, names = view.context.store, frozenset(view.names)
    at_work = JobFilter(status=JobStatus.PROCESSING, instances=names)
    return RecentActivity(
        running=await store.jobs.list(at_work, _RUNNING),
        changes=await store.changes.list_latest(view.names, _LAST),
        bars=await _bars(view),
    )


async def _bars(view: View) -> list[Bar]:
    days = days_until(view.translator.today, _DAYS)
    begins = day_boundaries(days, view.context.zone)
    counts = await view.context.store.statistics.count_documents_by_day(view.names, begins)
    return bars_of(days, [day.done for day in counts], [day.failed for day in counts])
