"""`/jobs`, `/results` and `/analyses`: jobs with their results, raw responses and prompts."""

from datetime import datetime
from functools import partial
from typing import Annotated

from fastapi import Query, Response
from pydantic import BaseModel, ConfigDict, Field

from actions import jobs
from actions.jobs import get_job_details
from core.analysis import RawResponse
from core.documents import DocumentRef
from core.jobs import JobStatus, Priority
from dashboard.api.router import (
    DOCUMENT,
    After,
    Limit,
    Page,
    Root,
    api_router,
    build_page,
    error_responses,
    parse_id_cursor,
    visible_instances,
)
from dashboard.api.schemas import (
    ConsentUpTo,
    EventShown,
    JobShown,
    JobStoryShown,
    QueuedShown,
    ResultShown,
)
from dashboard.api.serialize import (
    serialize_event,
    serialize_job,
    serialize_queued,
    serialize_result,
    serialize_timeline,
)
from dashboard.auth.dependencies import ActCaller, ReadCaller
from dashboard.context import MAX_ID, PathId
from store import JobFilter

router = api_router(tag="jobs")
results = api_router(tag="results")
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


class AnswerShown(BaseModel):
    """A raw response of a model, used or not."""

    model: str
    mode: str
    outcome: str
    """`ok`, or its error code."""
    at: datetime
    text: str
    cut: bool
    """Whether only its beginning is kept."""


class AnswersShown(BaseModel):
    """All raw responses of a job that are kept, the oldest first."""

    items: list[AnswerShown]


class WhichPart(BaseModel):
    """The chunk of a long document that the prompt contains."""

    model_config = ConfigDict(extra="forbid")

    part: Annotated[int, Field(ge=1, le=MAX_ID)] = 1


class QuestionShown(BaseModel):
    """The prompt as it would be sent today."""

    document: str
    model: str
    prompt_version: str
    same_prompt: bool | None
    """Whether the prompt version is that of the job's result; null if there is none."""
    same_text: bool | None
    """Whether the text is that of the job's result; null if there is none of the whole text."""
    part: int | None
    """null: it contains the whole document."""
    parts: list[int]
    """The chunks of a long document."""
    system: str
    user: str


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


@results.get("/results/{result}", responses=error_responses(404, 410))
async def get_result(caller: ReadCaller, root: Root, result: PathId) -> ResultShown:
    """Show a result; 410 with the date if retention has deleted it."""
    return serialize_result(root, await caller.get_result(result))


@router.get("/jobs/{job}/answers", responses=error_responses(404, 410))
async def list_answers(caller: ReadCaller, job: PathId) -> AnswersShown:
    """Return the raw model responses for a job, as long as they are kept."""
    return AnswersShown(
        items=[_serialize_answer(answer) for answer in await jobs.list_answers(caller, job)]
    )


@router.post("/jobs/{job}/prompt", responses=error_responses(404, 409, 410, 502))
async def build_prompt(
    caller: ActCaller, job: PathId, which: WhichPart | None = None
) -> QuestionShown:
    """Build the prompt for a job's document from the current data in Paperless.

    Prompts are not kept, for they hold whole documents.
    """
    preview = await jobs.preview_prompt(caller, job, which.part if which else 1)
    return QuestionShown(
        document=str(preview.job.document),
        model=preview.model,
        prompt_version=preview.prompt_version,
        same_prompt=preview.same_prompt,
        same_text=preview.same_text,
        part=preview.place.number if preview.place else None,
        parts=[place.number for place in preview.places],
        system=preview.prompt.system,
        user=preview.prompt.user,
    )


def _serialize_answer(answer: RawResponse) -> AnswerShown:
    call = answer.call
    return AnswerShown(
        model=call.model,
        mode=call.mode,
        outcome=call.outcome,
        at=call.at,
        text=answer.text,
        cut=answer.is_cut,
    )
