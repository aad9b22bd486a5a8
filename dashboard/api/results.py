"""Results: what a model said, at an address that stays."""

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field

from actions import jobs
from actions.caller import Caller
from core.analysis import RawResponse
from core.calendar import day_at
from dashboard.api.errors import error_responses
from dashboard.api.paging import Root
from dashboard.api.schemas import ResultShown
from dashboard.api.serialize import serialize_result
from dashboard.auth.dependencies import ActCaller, ReadCaller
from dashboard.context import MAX_ID, PathId
from dashboard.errors import Gone
from store import JobNotFound, ResultNotFound

router = APIRouter()
_results = APIRouter(tags=["results"])
_of_jobs = APIRouter(tags=["jobs"])


@_results.get("/results/{result}", responses=error_responses(404, 410))
async def get_result(caller: ReadCaller, root: Root, result: PathId) -> ResultShown:
    """Show a result; 410 with the date if retention has deleted it."""
    try:
        found = await caller.store.results.get(result)
        await caller.get_job(found.job_id)
    except JobNotFound as error:
        raise ResultNotFound(result) from error
    except ResultNotFound:
        await _raise_if_deleted(caller, result)
        raise
    return serialize_result(root, found)


async def _raise_if_deleted(caller: Caller, result: int) -> None:
    deleted = await caller.store.results.get_deleted(result)
    if deleted is not None and caller.can_see(deleted.instance):
        day = day_at(deleted.deleted_at, caller.zone).isoformat()
        raise Gone(f"result {result} was deleted on {day}, because it was old")


class AnswerShown(BaseModel):
    """What a model wrote, whatever became of it."""

    model: str
    mode: str
    outcome: str
    """`ok`, or the code of what was wrong with it."""
    at: datetime
    text: str
    cut: bool
    """Only its beginning is kept."""


class AnswersShown(BaseModel):
    """All answers of a job that are kept, the oldest first."""

    items: list[AnswerShown]


class WhichPart(BaseModel):
    """Which part of a long document the question is about."""

    model_config = ConfigDict(extra="forbid")

    part: Annotated[int, Field(ge=1, le=MAX_ID)] = 1


class QuestionShown(BaseModel):
    """The question as it would be asked today."""

    document: str
    model: str
    prompt_version: str
    same_prompt: bool | None
    """Whether its words are those of the job's result; null if there is none."""
    same_text: bool | None
    """Whether the text is that of the job's result; null if there is none of the whole text."""
    part: int | None
    """null: it is about the whole document."""
    parts: list[int]
    """Of a long document, the parts that are asked about."""
    system: str
    user: str


@_of_jobs.get("/jobs/{job}/answers", responses=error_responses(404, 410))
async def list_answers(caller: ReadCaller, job: PathId) -> AnswersShown:
    """Tell word by word what the model wrote to a job, as far as it is kept."""
    return AnswersShown(items=[_answer(one) for one in await jobs.list_answers(caller, job)])


@_of_jobs.post("/jobs/{job}/prompt", responses=error_responses(404, 409, 410, 502))
async def build_prompt(
    caller: ActCaller, job: PathId, which: WhichPart | None = None
) -> QuestionShown:
    """Put the question about a job's document together anew, from Paperless as it is now.

    Prompts are not kept, for they hold whole documents.
    """
    asked = await jobs.preview_prompt(caller, job, which.part if which else 1)
    return QuestionShown(
        document=str(asked.job.document),
        model=asked.model,
        prompt_version=asked.prompt_version,
        same_prompt=asked.same_prompt,
        same_text=asked.same_text,
        part=asked.place.number if asked.place else None,
        parts=[place.number for place in asked.places],
        system=asked.prompt.system,
        user=asked.prompt.user,
    )


def _answer(answer: RawResponse) -> AnswerShown:
    call = answer.call
    return AnswerShown(
        model=call.model,
        mode=call.mode,
        outcome=call.outcome,
        at=call.at,
        text=answer.text,
        cut=answer.is_cut,
    )


router.include_router(_results)
router.include_router(_of_jobs)
