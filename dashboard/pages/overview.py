"""`/`: how everything stands, what runs, and what needs you."""

from dataclasses import dataclass

from fastapi import APIRouter
from starlette.responses import HTMLResponse

from actions.documents import titles_of
from actions.health import take_figures, warnings
from core.calendar import begins_of, days_until
from core.changes import Change
from core.documents import DocumentRef
from core.jobs import Job, JobStatus
from dashboard.pages.bars import Bar, bars_of
from dashboard.pages.instances import rests_of, spent_this_month, standings, visible_holds
from dashboard.pages.view import Reading, View
from store import JobFilter

router = APIRouter()

_DAYS = 14
_RUNNING = 10
_LAST = 5


@dataclass(frozen=True, slots=True)
class Lately:
    """What went on: jobs that run, changes that were written, days that went by."""

    running: tuple[Job, ...]
    changes: tuple[Change, ...]
    bars: list[Bar]

    @property
    def documents(self) -> list[DocumentRef]:
        changed = [change.document for change in self.changes]
        return [*(job.document for job in self.running), *changed]


@router.get("/", include_in_schema=False)
async def overview(view: Reading) -> HTMLResponse:
    """Show how everything stands."""
    if not view.desk.settings.instances:
        return await view.page("setup.html", mistakes=(), folder="config")
    store, holds = view.desk.store, await visible_holds(view)
    lately, stand = await _lately(view), await standings(view, holds)
    figures = await take_figures(view.desk, view.desk.clock(), view.names)
    return await view.page(
        "overview.html",
        standings=stand,
        rests=rests_of(view, holds, {one.told.instance: one.told.held for one in stand}),
        figures=figures,
        warnings=warnings(figures),
        spent=spent_this_month(view, stand),
        causes=await store.figures.causes(view.names),
        lately=lately,
        titles=await titles_of(store, lately.documents),
    )


async def _lately(view: View) -> Lately:
    store, names = view.desk.store, frozenset(view.names)
    at_work = JobFilter(status=JobStatus.PROCESSING, instances=names)
    return Lately(
        running=await store.jobs.list(at_work, _RUNNING),
        changes=await store.changes.last_events(view.names, _LAST),
        bars=await _bars(view),
    )


async def _bars(view: View) -> list[Bar]:
    days = days_until(view.speech.today, _DAYS)
    begins = begins_of(days, view.desk.zone)
    counts = await view.desk.store.figures.documents_by_day(view.names, begins)
    return bars_of(days, [day.done for day in counts], [day.failed for day in counts])
