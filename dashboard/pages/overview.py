"""`/`: state of the instances, what needs attention, how documents are filed, what runs."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from enum import StrEnum
from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import RedirectResponse, Response

from actions.documents import get_titles
from actions.dry_runs import list_last_dry_runs
from actions.health import list_warnings, take_health_snapshot
from actions.scans import list_queue_forecasts, list_scan_progress
from actions.search import list_undecided
from core.calendar import day_boundaries, days_until, start_of
from core.changes import FilingOutcome
from core.fields import Field
from core.jobs import JobStatus
from dashboard.pages.charts import Chart, Slot, build_chart
from dashboard.pages.history import group_by_document
from dashboard.pages.instances import (
    build_hold_views,
    load_instance_cards,
    load_visible_holds,
    sum_monthly_spending,
)
from dashboard.pages.setup_state import PATH as ADD_INSTANCE
from dashboard.pages.setup_state import may_add_instance
from dashboard.pages.view import ReadView, View
from store import JobFilter
from store.statistics import FAILED, FieldDecisions

router = APIRouter()

_MAX_RUNNING = 10
_MAX_CHANGES = 60
_MAX_DOCUMENTS = 8
SERIES = (*FilingOutcome, FAILED)
_DAYS = 14
_WEEKS = 12
_DAYS_PER_WEEK = 7
_PERIOD = timedelta(weeks=4)
"""Shares are those of this period, and trends compare it with the one before."""
_MAX_FIELDS = 8


class ChartSpan(StrEnum):
    """What a column of the chart stands for."""

    DAYS = "days"
    WEEKS = "weeks"


@dataclass(frozen=True, slots=True)
class AcceptedShare:
    """The share of suggestions that people accepted unchanged, in percent."""

    decisions: int
    percent: int
    trend: int | None
    """Percentage points more than in the period before; None if nothing was decided then."""


@dataclass(frozen=True, slots=True)
class FilingFigures:
    """How documents were filed, and how good the suggestions were."""

    span: ChartSpan
    chart: Chart
    totals: Mapping[str, int]
    """Of the whole chart, by series."""
    this_week: int
    """Documents that were filed in the last seven days."""
    week_before: int
    partly: int
    """Documents that are partly written and still for review."""
    accepted: AcceptedShare | None
    """Of all fields; None if nothing was decided."""
    fields: Mapping[Field, AcceptedShare]
    """The fields with the most decisions first."""

    @property
    def has_trend(self) -> bool:
        """Whether there are decisions in the previous period to compare with."""
        return any(share.trend is not None for share in self.fields.values())


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
        JobFilter(status=JobStatus.PROCESSING, instances=frozenset(view.names)), _MAX_RUNNING
    )
    changed = group_by_document(await store.changes.list_latest(view.names, _MAX_CHANGES))[
        :_MAX_DOCUMENTS
    ]
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
        filing=await _load_filing(
            view, ChartSpan(chart) if chart in set(ChartSpan) else ChartSpan.DAYS
        ),
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
        may_act=view.may_act,
    )


async def _load_filing(view: View, span: ChartSpan) -> FilingFigures:
    """Load the chart and the shares of the shown instances."""
    translator, zone = view.translator, view.context.zone
    days = _first_days(translator.today, span)
    begins = [start_of(day, zone) for day in days]
    ends = day_boundaries([translator.today], zone)[-1]
    statistics = view.context.store.statistics
    counts = await statistics.count_outcomes(view.names, [*begins, ends])
    before, latest = await statistics.count_decisions(
        view.names, [ends - 2 * _PERIOD, ends - _PERIOD, ends]
    )
    slots = [
        Slot(translator.short_day(day), {series: count.get(series, 0) for series in SERIES})
        for day, count in zip(days, counts, strict=True)
    ]
    this_week, week_before = _compare_weeks(counts, span)
    return FilingFigures(
        span=span,
        chart=build_chart(slots),
        totals={series: sum(count.get(series, 0) for count in counts) for series in SERIES},
        this_week=this_week,
        week_before=week_before,
        partly=await statistics.count_partly_filed(view.names),
        accepted=_share(_add_up(latest.values()), _add_up(before.values())),
        fields=_build_shares(latest, before),
    )


def _first_days(today: date, span: ChartSpan) -> list[date]:
    """Return the first day of each column; the last column ends today."""
    if span is ChartSpan.DAYS:
        return days_until(today, _DAYS)
    return days_until(today, _WEEKS * _DAYS_PER_WEEK)[::_DAYS_PER_WEEK]


def _compare_weeks(counts: Sequence[Mapping[str, int]], span: ChartSpan) -> tuple[int, int]:
    """Return the documents filed in the last seven days, and in the seven before."""
    columns = _DAYS_PER_WEEK if span is ChartSpan.DAYS else 1
    filed = [sum(count.get(outcome, 0) for outcome in FilingOutcome) for count in counts]
    return sum(filed[-columns:]), sum(filed[-2 * columns : -columns])


def _build_shares(
    latest: Mapping[Field, FieldDecisions], before: Mapping[Field, FieldDecisions]
) -> Mapping[Field, AcceptedShare]:
    ranked = sorted(latest, key=lambda field: (-latest[field].total, str(field)))
    shares = {
        field: _share(latest[field], before.get(field, FieldDecisions()))
        for field in ranked[:_MAX_FIELDS]
    }
    return {field: share for field, share in shares.items() if share is not None}


def _share(latest: FieldDecisions, before: FieldDecisions) -> AcceptedShare | None:
    if latest.share_accepted is None:
        return None
    percent = round(100 * latest.share_accepted)
    trend = None if before.share_accepted is None else percent - round(100 * before.share_accepted)
    return AcceptedShare(latest.total, percent, trend)


def _add_up(decisions: Iterable[FieldDecisions]) -> FieldDecisions:
    tally: Counter[str] = Counter()
    for decision in decisions:
        tally.update(accepted=decision.accepted, edited=decision.edited, rejected=decision.rejected)
    return FieldDecisions(**tally)
