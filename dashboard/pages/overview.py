"""`/`: the overview of instances, holds, running jobs and recent changes."""

from dataclasses import dataclass

from fastapi import APIRouter
from starlette.responses import HTMLResponse

from actions.documents import get_titles
from actions.health import list_warnings, take_health_snapshot
from actions.search import list_undecided
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
    """Running jobs, the latest changes, and the documents of each day."""

    running: tuple[Job, ...]
    changes: tuple[Change, ...]
    bars: list[Bar]

    @property
    def documents(self) -> list[DocumentRef]:
        changed = [change.document for change in self.changes]
        return [*(job.document for job in self.running), *changed]


@router.get("/", include_in_schema=False)
async def overview(view: ReadView) -> HTMLResponse:
    """Show the overview."""
    if not view.context.settings.instances:
        return await view.page("setup.html", errors=(), folder="config")
    store, holds = view.context.store, await load_visible_holds(view)
    recent, cards = await _load_recent(view), await load_instance_cards(view, holds)
    figures = await take_health_snapshot(view.context, view.context.clock(), view.names)
    return await view.page(
        "overview.html",
        cards=cards,
        holds=build_hold_views(
            view, holds, {card.overview.instance: card.overview.held for card in cards}
        ),
        figures=figures,
        warnings=list_warnings(figures),
        spent=sum_monthly_spending(view, cards),
        undecided=await list_undecided(view.caller),
        causes=await store.statistics.list_failure_causes(view.names),
        lately=recent,
        titles=await get_titles(store, recent.documents),
    )


async def _load_recent(view: View) -> RecentActivity:
    store, names = view.context.store, frozenset(view.names)
    running = JobFilter(status=JobStatus.PROCESSING, instances=names)
    return RecentActivity(
        running=await store.jobs.list(running, _RUNNING),
        changes=await store.changes.list_latest(view.names, _LAST),
        bars=await _load_bars(view),
    )


async def _load_bars(view: View) -> list[Bar]:
    days = days_until(view.translator.today, _DAYS)
    begins = day_boundaries(days, view.context.zone)
    counts = await view.context.store.statistics.count_documents_by_day(view.names, begins)
    return bars_of(days, [day.done for day in counts], [day.failed for day in counts])
