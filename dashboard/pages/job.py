"""`/jobs/7`: one job with its timeline, prompt and raw responses; a permanent address."""

from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import HTMLResponse

from actions import jobs
from actions.documents import get_titles
from actions.jobs import JobDetails, get_job_details
from actions.timeline import build_steps, format_raw_steps
from core.errors import PaperclerkError
from dashboard.auth import Permission
from dashboard.context import MAX_ID, PathId
from dashboard.pages.suggestion_outcomes import SuggestionOutcome, build_outcomes
from dashboard.pages.view import ActView, ReadView
from dashboard.rendering import Labels
from paperless_client import PaperlessError

router = APIRouter(include_in_schema=False)


@dataclass(frozen=True, slots=True)
class JobView:
    """The details of a job, with the sums over its ended model calls."""

    details: JobDetails

    @property
    def cost(self) -> Decimal:
        return sum((call.cost for call in self.details.ended_calls), Decimal(0))

    @property
    def tokens_in(self) -> int:
        return sum(call.tokens_in for call in self.details.ended_calls)

    @property
    def tokens_out(self) -> int:
        return sum(call.tokens_out for call in self.details.ended_calls)

    @property
    def model_time(self) -> timedelta:
        """Return how long the model took in total."""
        return timedelta(milliseconds=sum(call.took_ms for call in self.details.ended_calls))

    @property
    def duration(self) -> timedelta | None:
        """Return how long the last attempt took; None while it runs."""
        job = self.details.job
        return job.finished_at - job.started_at if job.finished_at and job.started_at else None

    @property
    def outcomes(self) -> list[SuggestionOutcome]:
        """Return each suggestion once, with its checks and what became of it."""
        return build_outcomes(self.details)


@router.get("/jobs/{job_id}", include_in_schema=False)
async def show_job(view: ReadView, job_id: PathId) -> HTMLResponse:
    """Show one job."""
    details = await get_job_details(view.caller, job_id)
    ref = details.job.document
    return await view.page(
        "job.html",
        totals=JobView(details),
        job_details=details,
        job=details.job,
        steps=build_steps(details.events, Labels(view.translator)),
        raw=format_raw_steps(details.events),
        may_act=view.person.has_permission(Permission.ACT),
        title=(await get_titles(view.context.store, [ref]))[ref],
        currency=view.currency_of(ref.instance),
    )


@router.get("/jobs/{job_id}/prompt")
async def prompt(
    view: ActView, job_id: PathId, part: Annotated[int, Query(ge=1, le=MAX_ID)] = 1
) -> HTMLResponse:
    """Show the prompt as it would be sent now, with the text from Paperless.

    It contains the whole document, so it needs the permission to act.
    """
    job = await view.caller.get_job(job_id)
    asked, trouble = None, ""
    try:
        asked = await jobs.preview_prompt(view.caller, job_id, part)
    except (PaperlessError, PaperclerkError) as error:
        trouble = error.user_message
    return await view.page("prompt.html", job=job, asked=asked, trouble=trouble)


@router.get("/jobs/{job_id}/answers")
async def answers(view: ReadView, job_id: PathId) -> HTMLResponse:
    """Show the raw responses of the model."""
    job = await view.caller.get_job(job_id)
    raw_responses = await jobs.list_answers(view.caller, job_id)
    return await view.page("answers.html", job=job, answers=raw_responses)
