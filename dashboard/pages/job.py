"""`/jobs/7`: the whole story of one job, at an address that stays."""

from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import HTMLResponse

from actions import jobs
from actions.documents import get_titles
from actions.jobs import JobDetails, get_job_details
from actions.plan_events import CheckedSuggestion, list_checked_suggestions, list_left_out
from core.changes import PlannedChange
from core.errors import PaperclerkError
from dashboard.auth import Permission
from dashboard.context import MAX_ID, PathId
from dashboard.pages.view import ActView, ReadView
from dashboard.rendering import Labels, build_steps, format_raw_steps
from paperless_client import PaperlessError

router = APIRouter(include_in_schema=False)


@dataclass(frozen=True, slots=True)
class JobView:
    """The story of a job, as a page shows it."""

    story: JobDetails

    @property
    def cost(self) -> Decimal:
        return sum((call.cost for call in self.story.calls), Decimal(0))

    @property
    def tokens_in(self) -> int:
        return sum(call.tokens_in for call in self.story.calls)

    @property
    def tokens_out(self) -> int:
        return sum(call.tokens_out for call in self.story.calls)

    @property
    def model_time(self) -> timedelta:
        """How long the model took in all."""
        return timedelta(milliseconds=sum(call.took_ms for call in self.story.calls))

    @property
    def left_out(self) -> list[PlannedChange]:
        """What was left out, and why."""
        return list_left_out(self.story.events)

    @property
    def checked(self) -> tuple[CheckedSuggestion, ...]:
        """What was held against each suggestion, and how that ended."""
        return list_checked_suggestions(self.story.events)


@router.get("/jobs/{job_id}", include_in_schema=False)
async def show_job(view: ReadView, job_id: PathId) -> HTMLResponse:
    """Show one job from first to last."""
    told = await get_job_details(view.caller, job_id)
    ref = told.job.document
    return await view.page(
        "job.html",
        told=JobView(told),
        story=told,
        job=told.job,
        steps=build_steps(told.events, Labels(view.translator)),
        raw=format_raw_steps(told.events),
        may_act=view.person.has_permission(Permission.ACT),
        title=(await get_titles(view.context.store, [ref]))[ref],
        currency=view.currency_of(ref.instance),
    )


@router.get("/jobs/{job_id}/prompt")
async def prompt(
    view: ActView, job_id: PathId, part: Annotated[int, Query(ge=1, le=MAX_ID)] = 1
) -> HTMLResponse:
    """Show the question as it would be asked today; Paperless is asked for the text.

    It is the whole document, also one that nobody looked at yet: so it asks for the right to act.
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
    """Show word by word what the model wrote."""
    job = await view.caller.get_job(job_id)
    told = await jobs.list_answers(view.caller, job_id)
    return await view.page("answers.html", job=job, answers=told)
