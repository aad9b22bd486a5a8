"""`/`: state of the instances, what needs attention, how documents are filed, what runs."""

from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import RedirectResponse, Response

from actions.documents import get_titles
from actions.dry_runs import list_last_dry_runs
from actions.health import list_warnings, take_health_snapshot
from actions.scans import list_queue_forecasts, list_scan_progress
from actions.search import list_undecided
from core.jobs import JobStatus
from dashboard.auth import Permission
from dashboard.pages.changed_documents import group_by_document
from dashboard.pages.filing import SERIES, ChartSpan, load_filing
from dashboard.pages.instances import (
    build_hold_views,
    load_instance_cards,
    load_visible_holds,
    sum_monthly_spending,
)
from dashboard.pages.setup_wizard import PATH as ADD_INSTANCE
from dashboard.pages.setup_wizard import may_add_instance
from dashboard.pages.view import ReadView
from store import JobFilter

router = APIRouter()

_DEFAULT = ChartSpan.DAYS
_RUNNING = 10
_CHANGES = 60
_DOCUMENTS = 8


@router.get("/", include_in_schema=False, response_model=None)
async def overview(view: ReadView, chart: Annotated[str, Query()] = "") -> Response:
    """Show the overview; without an instance, the page that sets one up."""
    if not view.context.settings.instances:
        if may_add_instance(view):
            return RedirectResponse(view.url(ADD_INSTANCE), status_code=303)
        folder = str(view.context.settings.folder)
        return await view.page("setup.html", errors=view.settings_status.errors, folder=folder)
    store, holds = view.context.store, await load_visible_holds(view)
    cards = await load_instance_cards(view, holds)
    figures = await take_health_snapshot(view.context, view.context.clock(), view.names)
    running = await store.jobs.list(
        JobFilter(status=JobStatus.PROCESSING, instances=frozenset(view.names)), _RUNNING
    )
    changed = group_by_document(await store.changes.list_latest(view.names, _CHANGES))[:_DOCUMENTS]
    refs = [*(job.document for job in running), *(document.ref for document in changed)]
    return await view.page(
        "overview.html",
        cards=cards,
        holds=build_hold_views(
            view, holds, {card.overview.instance: card.overview.held for card in cards}
        ),
        figures=figures,
        warnings=list_warnings(figures),
        files_status=view.settings_status,
        spent=sum_monthly_spending(view, cards),
        undecided=await list_undecided(view.caller),
        causes=await store.statistics.list_failure_causes(view.names),
        filing=await load_filing(view, ChartSpan(chart) if chart in set(ChartSpan) else _DEFAULT),
        series=SERIES,
        dry_runs=await list_last_dry_runs(view.caller, view.names),
        scans=await list_scan_progress(view.caller, view.names),
        suggesting={
            name: workflows
            for name, workflows in view.context.suggesting_workflows.items()
            if workflows and name in view.names
        },
        forecasts={
            forecast.instance: forecast.ends_at
            for forecast in await list_queue_forecasts(
                view.caller, tuple(card.overview for card in cards)
            )
        },
        running=running,
        changed=changed,
        titles=await get_titles(store, refs),
        may_act=view.person.has_permission(Permission.ACT),
    )
