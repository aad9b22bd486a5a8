"""`/activity`: jobs by status, instance and cause; and the scans that made them."""

from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import HTMLResponse

from core.jobs import JobStatus
from core.scans import Scan
from dashboard.numbers import Before
from dashboard.pages.resting import rests_with_jobs, switch_of
from dashboard.pages.view import Reading, View
from processor.actions.titles import titles_of
from store import JobFilter

router = APIRouter()

_PAGE = 50
_SCANS = 8
_MANY = 10_000


@router.get("/activity", include_in_schema=False)
async def activity(
    view: Reading,
    status: Annotated[str, Query()] = "",
    cause: Annotated[str, Query()] = "",
    before: Before = None,
) -> HTMLResponse:
    """List jobs, newest first."""
    store, chosen = view.desk.store, status if status in set(JobStatus) else ""
    wanted = JobFilter(
        status=JobStatus(chosen) if chosen else None,
        instances=frozenset(view.names),
        cause=cause or None,
        before_id=before,
    )
    jobs = await store.jobs.list(wanted, _PAGE + 1)
    shown = jobs[:_PAGE]
    failed = chosen == JobStatus.FAILED
    rests = await rests_with_jobs(view)
    scans = await _scans(view) if before is None and not chosen else ()
    return await view.page(
        "activity.html",
        jobs=shown,
        titles=await titles_of(store, [job.document for job in shown]),
        chosen_status=chosen,
        cause=cause,
        statuses=await _tally(view),
        causes=await store.figures.causes(view.names) if failed else (),
        rests=rests,
        pausing=switch_of(view, rests),
        next_before=shown[-1].id if len(jobs) > _PAGE else None,
        is_first=before is None,
        scans=scans,
        unfinished=await store.jobs.unfinished_scans([one.id for one in scans]) if scans else (),
    )


async def _tally(view: View) -> dict[str, str]:
    """Count the jobs by status; to count very many takes long, and nobody needs the number."""
    tally = await view.desk.store.figures.tally(view.names, most=_MANY)
    return {
        status.value: view.speech.number(count) + ("+" if count == _MANY else "")
        for status, count in tally.items()
    }


async def _scans(view: View) -> tuple[Scan, ...]:
    """List the newest scans of the instances that are looked at."""
    return await view.desk.store.scans.listed(instances=view.names, limit=_SCANS)
