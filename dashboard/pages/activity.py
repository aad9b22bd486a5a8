"""`/activity`: jobs by status, instance and cause; and the scans that made them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import HTMLResponse

from core.jobs import JobStatus
from core.scans import Scan
from dashboard.numbers import Before, Chosen
from dashboard.pages.resting import rests_with_jobs, switch_of
from dashboard.pages.view import Reading, View
from processor.actions.titles import titles_of
from store import JobFilter

router = APIRouter()

_PAGE = 50
_SCANS = 8
_MANY = 10_000
_MANY_OF_A_SCAN = 1_000


@dataclass(frozen=True, slots=True)
class Run:
    """A scan, and what became of the jobs that it made."""

    scan: Scan
    tally: Mapping[JobStatus, int]
    """Of its newest jobs, if it made very many."""

    @property
    def is_under_way(self) -> bool:
        """Whether there is something to cancel."""
        return JobStatus.PENDING in self.tally or JobStatus.PROCESSING in self.tally

    @property
    def is_cut(self) -> bool:
        return sum(self.tally.values()) == _MANY_OF_A_SCAN


@router.get("/activity", include_in_schema=False)
async def activity(
    view: Reading,
    status: Annotated[str, Query()] = "",
    cause: Annotated[str, Query()] = "",
    scan: Chosen = None,
    before: Before = None,
) -> HTMLResponse:
    """List jobs, newest first."""
    store, chosen = view.desk.store, status if status in set(JobStatus) else ""
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
    rests = await rests_with_jobs(view)
    return await view.page(
        "activity.html",
        jobs=shown,
        titles=await titles_of(store, [job.document for job in shown]),
        chosen_status=chosen,
        cause=cause,
        of_scan=scan,
        query={"status": chosen, "cause": cause, "scan": scan or "", "instance": view.chosen},
        statuses=await _tally(view),
        causes=await store.figures.causes(view.names) if failed else (),
        rests=rests,
        pausing=switch_of(view, rests),
        next_before=shown[-1].id if len(jobs) > _PAGE else None,
        is_first=before is None,
        scans=await _scans(view) if before is None and not (chosen or scan) else (),
    )


async def _tally(view: View) -> dict[str, str]:
    """Count the jobs by status; to count very many takes long, and nobody needs the number."""
    tally = await view.desk.store.figures.tally(view.names, most=_MANY)
    return {
        status.value: view.speech.number(count) + ("+" if count == _MANY else "")
        for status, count in tally.items()
    }


async def _scans(view: View) -> list[Run]:
    """List the newest scans of the instances that are looked at, and how far their jobs are."""
    store = view.desk.store
    scans = await store.scans.listed(instances=view.names, limit=_SCANS)
    tallies = await store.jobs.tallies([scan.id for scan in scans], most=_MANY_OF_A_SCAN)
    return [Run(scan, _in_order(tallies[scan.id])) for scan in scans]


def _in_order(tally: Mapping[JobStatus, int]) -> Mapping[JobStatus, int]:
    return {status: tally[status] for status in JobStatus if status in tally}
