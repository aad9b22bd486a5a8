"""`/jobs/7`: the whole story of one job, at an address that stays."""

from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import HTMLResponse

from actions import jobs
from actions.documents import titles_of
from actions.jobs import JobStory, story
from actions.plan_events import CheckedSuggestion, checked_by, left_by
from core.changes import PlannedChange
from core.errors import PaperclerkError
from dashboard.auth import Right
from dashboard.context import GREATEST, Number
from dashboard.pages.view import Acting, Reading
from dashboard.rendering import Worded, raw_steps, steps_told
from paperless_client import PaperlessError

router = APIRouter(include_in_schema=False)


@dataclass(frozen=True, slots=True)
class Told:
    """The story of a job, as a page shows it."""

    story: JobStory

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
    def asked_for(self) -> timedelta:
        """How long the model took in all."""
        return timedelta(milliseconds=sum(call.took_ms for call in self.story.calls))

    @property
    def left(self) -> list[PlannedChange]:
        """What was left out, and why."""
        return left_by(self.story.events)

    @property
    def checked(self) -> tuple[CheckedSuggestion, ...]:
        """What was held against each suggestion, and how that ended."""
        return checked_by(self.story.events)


@router.get("/jobs/{job_id}", include_in_schema=False)
async def show_job(view: Reading, job_id: Number) -> HTMLResponse:
    """Show one job from first to last."""
    told = await story(view.caller, job_id)
    ref = told.job.document
    return await view.page(
        "job.html",
        told=Told(told),
        story=told,
        job=told.job,
        steps=steps_told(told.events, Worded(view.speech)),
        raw=raw_steps(told.events),
        may_act=view.person.may(Right.ACT),
        title=(await titles_of(view.desk.store, [ref]))[ref],
        currency=view.currency_of(ref.instance),
    )


@router.get("/jobs/{job_id}/prompt")
async def prompt(
    view: Acting, job_id: Number, part: Annotated[int, Query(ge=1, le=GREATEST)] = 1
) -> HTMLResponse:
    """Show the question as it would be asked today; Paperless is asked for the text.

    It is the whole document, also one that nobody looked at yet: so it asks for the right to act.
    """
    job = await view.caller.job(job_id)
    asked, trouble = None, ""
    try:
        asked = await jobs.question(view.caller, job_id, part)
    except (PaperlessError, PaperclerkError) as error:
        trouble = error.user_message
    return await view.page("prompt.html", job=job, asked=asked, trouble=trouble)


@router.get("/jobs/{job_id}/answers")
async def answers(view: Reading, job_id: Number) -> HTMLResponse:
    """Show word by word what the model wrote."""
    job = await view.caller.job(job_id)
    told = await jobs.answers(view.caller, job_id)
    return await view.page("answers.html", job=job, answers=told)
