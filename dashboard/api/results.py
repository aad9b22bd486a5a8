"""`/results`, and the raw responses and prompt of a job."""

from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from actions import jobs
from core.analysis import RawResponse
from dashboard.api.errors import error_responses
from dashboard.api.paging import Root
from dashboard.api.router import api_router
from dashboard.api.schemas import ResultShown
from dashboard.api.serialize import serialize_result
from dashboard.auth.dependencies import ActCaller, ReadCaller
from dashboard.context import MAX_ID, PathId

router = api_router()


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


@router.get("/results/{result}", tags=["results"], responses=error_responses(404, 410))
async def get_result(caller: ReadCaller, root: Root, result: PathId) -> ResultShown:
    """Show a result; 410 with the date if retention has deleted it."""
    return serialize_result(root, await caller.get_result(result))


@router.get("/jobs/{job}/answers", tags=["jobs"], responses=error_responses(404, 410))
async def list_answers(caller: ReadCaller, job: PathId) -> AnswersShown:
    """Return the raw model responses for a job, as long as they are kept."""
    return AnswersShown(
        items=[_serialize_answer(answer) for answer in await jobs.list_answers(caller, job)]
    )


@router.post("/jobs/{job}/prompt", tags=["jobs"], responses=error_responses(404, 409, 410, 502))
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
