"""How a result came about: the question, put together anew, and the answers word by word."""

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field

from actions import questions
from core.analysis import Answer
from dashboard.api.errors import may_answer
from dashboard.asking import Acting, Reading
from dashboard.numbers import GREATEST, Number

router = APIRouter(tags=["jobs"])


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

    part: Annotated[int, Field(ge=1, le=GREATEST)] = 1


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


@router.get("/jobs/{job}/answers", responses=may_answer(404, 410))
async def list_answers(caller: Reading, job: Number) -> AnswersShown:
    """Tell word by word what the model wrote to a job, as far as it is kept."""
    return AnswersShown(items=[_answer(one) for one in await questions.answers(caller, job)])


@router.post("/jobs/{job}/prompt", responses=may_answer(404, 409, 410, 502))
async def build_prompt(
    caller: Acting, job: Number, which: WhichPart | None = None
) -> QuestionShown:
    """Put the question about a job's document together anew, from Paperless as it is now.

    Prompts are not kept, for they hold whole documents.
    """
    asked = await questions.question(caller, job, which.part if which else 1)
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


def _answer(answer: Answer) -> AnswerShown:
    call = answer.call
    return AnswerShown(
        model=call.model,
        mode=call.mode,
        outcome=call.outcome,
        at=call.at,
        text=answer.text,
        cut=answer.is_cut,
    )
