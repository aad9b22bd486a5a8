"""`/activity`: jobs by status, instance, cause and the scan that made them."""

from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import HTMLResponse

from actions.titles import titles_of
from core.jobs import JobStatus
from dashboard.numbers import Before, Chosen
from dashboard.pages.resting import rests_with_jobs, switch_of
from dashboard.pages.scans import ScanOutcome, outcomes_of
from dashboard.pages.view import Reading, View
from store import JobFilter

router = APIRouter()

_PAGE = 50
_MANY = 10_000


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
        outcome=None if scan is None else await _outcome(view, scan),
        query={"status": chosen, "cause": cause, "scan": scan or "", "instance": view.chosen},
        statuses=await _tally(view),
        causes=await store.figures.causes(view.names) if failed else (),
        rests=rests,
        pausing=switch_of(view, rests),
        next_before=shown[-1].id if len(jobs) > _PAGE else None,
        is_first=before is None,
    )


async def _tally(view: View) -> dict[str, str]:
    """Count the jobs by status; to count very many takes long, and nobody needs the number."""
    tally = await view.desk.store.figures.tally(view.names, most=_MANY)
    return {
        status.value: view.speech.number(count) + ("+" if count == _MANY else "")
        for status, count in tally.items()
    }


async def _outcome(view: View, scan_id: int) -> ScanOutcome:
    """Say how a scan stands whose jobs are looked at; raise ScanNotFound."""
    (outcome,) = await outcomes_of(view, [await view.caller.scan(scan_id)])
    return outcome
