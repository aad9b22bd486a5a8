"""`/activity` and `/activity/scans`: the jobs, and the scans that created them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import HTMLResponse

from actions.documents import get_titles
from core.jobs import JobStatus
from core.scans import Scan
from dashboard.context import Before, Chosen
from dashboard.pages.instances import build_pause_button, load_hold_views
from dashboard.pages.view import ReadView, View
from store import JobFilter

router = APIRouter()

_PAGE = 50
_SCANS_PAGE = 25
_MANY = 10_000
_MANY_SCANS = 1_000


@dataclass(frozen=True, slots=True)
class ScanOutcome:
    """A scan, and the states of the jobs that it created."""

    scan: Scan
    tally: Mapping[JobStatus, int]
    """Of its newest jobs, if it created very many."""

    @property
    def is_under_way(self) -> bool:
        """Whether it has jobs that can be cancelled."""
        return JobStatus.PENDING in self.tally or JobStatus.PROCESSING in self.tally

    @property
    def is_cut(self) -> bool:
        """Whether it may have more jobs than were counted."""
        return sum(self.tally.values()) == _MANY_SCANS


@router.get("/activity", include_in_schema=False)
async def activity(
    view: ReadView,
    status: Annotated[str, Query()] = "",
    cause: Annotated[str, Query()] = "",
    scan: Chosen = None,
    before: Before = None,
) -> HTMLResponse:
    """List jobs, newest first."""
    store, chosen = view.context.store, status if status in set(JobStatus) else ""
    wanted = JobFilter(
        status=JobStatus(chosen) if chosen else None,
        instances=frozenset(view.names),
        cause=cause or None,
        scan_id=scan,
        before_id=before,
    )
    jobs = await store.jobs.list(wanted, _PAGE + 1)
    shown = jobs[:_PAGE]
    failed = chosen == JobStatus.FAILED
    holds = await load_hold_views(view)
    return await view.page(
        "activity.html",
        jobs=shown,
        titles=await get_titles(store, [job.document for job in shown]),
        chosen_status=chosen,
        cause=cause,
        outcome=None if scan is None else await _load_outcome(view, scan),
        currency_of=view.currency_of,
        query={"status": chosen, "cause": cause, "scan": scan or "", "instance": view.chosen},
        statuses=await _count_by_status(view),
        causes=await store.statistics.list_failure_causes(view.names) if failed else (),
        holds=holds,
        pausing=build_pause_button(view, holds),
        next_before=shown[-1].id if len(jobs) > _PAGE else None,
        is_first=before is None,
    )


@router.get("/activity/scans", include_in_schema=False)
async def scans(
    view: ReadView, before: Before = None, empty: Annotated[str, Query()] = ""
) -> HTMLResponse:
    """List scans, newest first; those that found nothing only on request."""
    found = await view.context.store.scans.list_for_instances(
        instances=view.names, limit=_SCANS_PAGE + 1, before_id=before, with_empty=bool(empty)
    )
    shown = found[:_SCANS_PAGE]
    return await view.page(
        "scans.html",
        outcomes=await load_outcomes(view, shown),
        currency_of=view.currency_of,
        with_empty=bool(empty),
        query={"empty": "yes" if empty else "", "instance": view.chosen},
        next_before=shown[-1].id if len(found) > _SCANS_PAGE else None,
        is_first=before is None,
    )


async def load_outcomes(view: View, scans: Sequence[Scan]) -> list[ScanOutcome]:
    """Return each scan with the states of its jobs."""
    tallies = await view.context.store.jobs.count_for_scans(
        [scan.id for scan in scans], most=_MANY_SCANS
    )
    return [ScanOutcome(scan, _sort_by_status(tallies[scan.id])) for scan in scans]


def _sort_by_status(tally: Mapping[JobStatus, int]) -> Mapping[JobStatus, int]:
    return {status: tally[status] for status in JobStatus if status in tally}


async def _count_by_status(view: View) -> dict[str, str]:
    """Count the jobs by status, up to a limit: counting very many takes long."""
    tally = await view.context.store.statistics.count_by_status(view.names, most=_MANY)
    return {
        status.value: view.translator.number(count) + ("+" if count == _MANY else "")
        for status, count in tally.items()
    }


async def _load_outcome(view: View, scan_id: int) -> ScanOutcome:
    """Return the scan by which the jobs are filtered; raise ScanNotFound."""
    (outcome,) = await load_outcomes(view, [await view.caller.get_scan(scan_id)])
    return outcome
