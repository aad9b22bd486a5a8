"""`/jobs` and `/analyses`: list, show, cancel, retry and enqueue jobs."""

from functools import partial
from typing import Annotated

from fastapi import Query, Response
from pydantic import BaseModel, ConfigDict, Field

from actions import jobs
from actions.jobs import get_job_details
from core.documents import DocumentRef
from core.jobs import JobStatus, Priority
from dashboard.api.errors import error_responses
from dashboard.api.paging import (
    DOCUMENT,
    After,
    Limit,
    Page,
    Root,
    build_page,
    parse_id_cursor,
    visible_instances,
)
from dashboard.api.router import api_router
from dashboard.api.schemas import ConsentUpTo, EventShown, JobShown, JobStoryShown, QueuedShown
from dashboard.api.serialize import (
    serialize_event,
    serialize_job,
    serialize_queued,
    serialize_timeline,
)
from dashboard.auth.dependencies import ActCaller, ReadCaller
from dashboard.context import MAX_ID, PathId
from store import JobFilter

router = api_router(tag="jobs")

Code = Annotated[str, Field(pattern="^[a-z_]{1,64}$")]


class WhichJobs(BaseModel):
    """Filters for the list of jobs; omitted ones match everything."""

    model_config = ConfigDict(extra="forbid")

    status: JobStatus | None = None
    instance: str | None = None
    cause: Code | None = None
    """Error code of the jobs."""
    document: Annotated[str, Field(pattern=DOCUMENT)] | None = None
    scan: Annotated[int, Field(ge=1, le=MAX_ID)] | None = None
    after: After = None
    limit: Limit = 50


class Confirmation(BaseModel):
    """Consent to the estimated cost."""

    model_config = ConfigDict(extra="forbid")

    consent_up_to: ConsentUpTo = None
    """Confirms an estimated cost up to this amount, for each instance in its currency."""


class Why(BaseModel):
    """An optional reason."""

    model_config = ConfigDict(extra="forbid")

    why: Annotated[str, Field(max_length=500)] = ""


class WhichFailed(Confirmation):
    """Filters for the failed jobs to retry; omitted ones match everything."""

    instance: str | None = None
    cause: Code | None = None


class Analysis(Confirmation):
    """A document to analyze."""

    document: Annotated[str, Field(pattern=DOCUMENT, examples=["home/7"])]
    priority: Annotated[
        str, Field(pattern="^(by_hand|new|backlog)$", description="Priority in the queue.")
    ] = "by_hand"


@router.get("/jobs", responses=error_responses(404))
async def list_jobs(
    caller: ReadCaller, root: Root, which: Annotated[WhichJobs, Query()]
) -> Page[JobShown]:
    """List jobs, newest first."""
    wanted = JobFilter(
        status=which.status,
        instances=visible_instances(caller, which.instance),
        cause=which.cause,
        document=None if which.document is None else DocumentRef.parse(which.document),
        scan_id=which.scan,
        before_id=parse_id_cursor(which.after),
    )
    found = await caller.store.jobs.list(wanted, which.limit + 1)
    return build_page(found, which.limit, lambda job: job.id, partial(serialize_job, root))


@router.post("/jobs/retry", responses=error_responses(404, 409, 502))
async def retry_failed(caller: ActCaller, root: Root, which: WhichFailed) -> QueuedShown:
    """Retry all failed jobs, or those of one instance or one cause.

    If they are estimated to cost more than `limits.consent_above`, the response is 409 with the
    `estimates` until `consent_up_to` covers each.
    """
    ids = await jobs.list_failed(caller, which.instance, which.cause)
    return serialize_queued(root, await jobs.retry(caller, ids, up_to=which.consent_up_to))


@router.get("/jobs/{job}", responses=error_responses(404, 410))
async def get_job(caller: ReadCaller, root: Root, job: PathId) -> JobStoryShown:
    """Show a job with its stage, its progress, its latest result, changes and calls."""
    return serialize_timeline(root, await get_job_details(caller, job))


@router.get("/jobs/{job}/events", responses=error_responses(404, 410))
async def list_events(
    caller: ReadCaller, job: PathId, after: After = None, limit: Limit = 50
) -> Page[EventShown]:
    """Return the timeline of a job, oldest event first."""
    await caller.get_job(job)
    start = parse_id_cursor(after) or 0
    found = await caller.store.jobs.list_job_events_after(job, after=start, limit=limit + 1)
    return build_page(found, limit, lambda event: event.id, serialize_event)


@router.post("/jobs/{job}/cancel", responses=error_responses(404, 410))
async def cancel_job(
    caller: ActCaller, root: Root, job: PathId, why: Why | None = None
) -> JobShown:
    """Cancel a job. A running job ends within a second; a finished job stays as it is."""
    return serialize_job(root, await jobs.cancel(caller, job, why.why if why else ""))


@router.post("/jobs/{job}/retry", responses=error_responses(404, 409, 410, 502))
async def retry_job(
    caller: ActCaller, root: Root, job: PathId, confirmed: Confirmation | None = None
) -> JobShown:
    """Retry a failed or cancelled job; its cost is confirmed as with several."""
    up_to = confirmed.consent_up_to if confirmed else None
    return serialize_job(root, await jobs.retry_one(caller, job, up_to=up_to))


@router.post("/analyses", status_code=202, responses=error_responses(404, 409, 502))
async def analyse(caller: ActCaller, root: Root, wanted: Analysis, response: Response) -> JobShown:
    """Process a document again; returns the new job immediately.

    If it is estimated to cost more than `limits.consent_above`, the response is 409 with the
    `estimate` until `consent_up_to` covers it.
    """
    ref = DocumentRef.parse(wanted.document)
    await jobs.require_document(caller, ref)
    priority = Priority[wanted.priority.upper()]
    job = await jobs.process_again(caller, ref, priority, up_to=wanted.consent_up_to)
    shown = serialize_job(root, job)
    response.headers["location"] = shown.address
    return shown
