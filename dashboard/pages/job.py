"""`/jobs/7` and `/results/7`: one job with its timeline, suggestions, prompt and raw responses."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import timedelta
from decimal import Decimal
from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import HTMLResponse

from actions import jobs
from actions.documents import get_titles
from actions.jobs import JobDetails, get_job_details
from actions.timeline import (
    CheckedSuggestion,
    build_steps,
    format_raw_steps,
    list_checked_suggestions,
    list_left_out,
)
from core.analysis import ResultKind
from core.changes import Change, PlannedSuggestion, Suggestion
from core.errors import PaperclerkError
from core.fields import Field, Value, is_same_value
from core.jobs import DRY_RUN
from dashboard.context import MAX_ID, PathId
from dashboard.pages.review_form import sort_key
from dashboard.pages.view import ActView, ReadView
from i18n.labels import Labels, typed_label
from paperless_client import PaperlessError

router = APIRouter(include_in_schema=False)


@dataclass(frozen=True, slots=True)
class SuggestionOutcome:
    """A suggestion with its checks, and the change that was made of it."""

    field: Field
    value: Value
    change: Change | None
    """None if no change was planned for it."""
    checked: CheckedSuggestion | None
    """None if it was not checked: no model suggested it, or an old version stored it."""
    given: Suggestion | None
    """What the model suggested; None if no model suggested it, or the result was deleted."""
    left_for: tuple[str, ...] = ()
    """Why it was left out; empty if it was not."""
    tried: PlannedSuggestion | None = None
    """What would be written; only for a dry run."""

    is_replaced: bool = False
    """Whether a person replaced it with another value."""

    @property
    def evidence(self) -> str:
        return (self.change.evidence if self.change else "") or (
            self.given.evidence if self.given else ""
        )


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


@router.get("/jobs/{job_id}")
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
        may_act=view.may_act,
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


@router.get("/results/{result_id}")
async def show_result(view: ReadView, result_id: PathId) -> HTMLResponse:
    """Show one result, final or partial, with the changes that the job made of it."""
    result = await view.caller.get_result(result_id)
    details = await get_job_details(view.caller, result.job_id)
    ref, is_final = details.job.document, result.kind is ResultKind.FINAL
    return await view.page(
        "result.html",
        result=result,
        job=details.job,
        is_final=is_final,
        # Changes are planned from the final result alone.
        changes=details.changes if is_final else (),
        left_out=list_left_out(details.suggestions) if is_final else (),
        final=None if is_final else details.result,
        title=(await get_titles(view.context.store, [ref]))[ref],
    )


def build_outcomes(details: JobDetails) -> list[SuggestionOutcome]:
    """Combine the suggestions, checks and changes of a job, so that each is shown once."""
    changes = list(details.changes)
    given = list(details.result.analysis.suggestions) if details.result else []
    outcomes = []
    left_out = {(change.field, str(change.after)) for change in list_left_out(details.suggestions)}
    for planned in details.suggestions:
        change = next((change for change in changes if _is_made_of(change, planned)), None)
        source = next((source for source in given if _is_source(source, planned)), None)
        if change is not None:
            changes.remove(change)
        is_trivial = planned.is_left_out and (planned.field, str(planned.value)) not in left_out
        if is_trivial and change is None:
            continue
        is_dry_run = details.job.kind == DRY_RUN
        outcomes.append(_build_outcome(planned, change, source, planned if is_dry_run else None))
    outcomes += [
        SuggestionOutcome(change.field, change.after, change, None, None) for change in changes
    ]
    if not details.suggestions and not details.changes:
        outcomes += [
            SuggestionOutcome(source.field, source.value, None, None, source) for source in given
        ]
    edited = {change.field for change in details.changes if change.is_edited}
    marked = (
        replace(outcome, is_replaced=True)
        if outcome.change is None and not outcome.left_for and outcome.field in edited
        else outcome
        for outcome in outcomes
    )
    return sorted(marked, key=lambda outcome: sort_key(outcome.field))


def build_tried(suggestions: Iterable[PlannedSuggestion]) -> list[SuggestionOutcome]:
    """Return the suggestions of a dry run with their checks, by field."""
    tried = (_build_outcome(planned, None, None, planned) for planned in suggestions)
    return sorted(tried, key=lambda outcome: sort_key(outcome.field))


def _build_outcome(
    planned: PlannedSuggestion,
    change: Change | None,
    given: Suggestion | None,
    tried: PlannedSuggestion | None,
) -> SuggestionOutcome:
    [checked] = list_checked_suggestions([planned]) or [None]
    left_for = planned.reasons if planned.is_left_out else ()
    return SuggestionOutcome(planned.field, planned.value, change, checked, given, left_for, tried)


def _is_made_of(change: Change, planned: PlannedSuggestion) -> bool:
    return change.field == planned.field and is_same_value(change.after, planned.value)


def _is_source(source: Suggestion, planned: PlannedSuggestion) -> bool:
    same = source.value.casefold() == typed_label(planned.value).casefold()
    return source.field == planned.field and same
