"""`/jobs/7`: the whole story of one job, at an address that stays."""

from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal

from fastapi import APIRouter
from starlette.responses import HTMLResponse

from actions.plan_events import CheckedSuggestion, checked_by
from actions.stories import JobStory, story
from actions.titles import titles_of
from core.changes import PlannedChange
from dashboard.auth import Right
from dashboard.numbers import Number
from dashboard.pages.view import Reading
from dashboard.rendering import Worded, raw_steps, steps_told
from processor.left import left_by

router = APIRouter()


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
