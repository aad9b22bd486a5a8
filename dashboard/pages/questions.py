"""`/jobs/7/prompt` and `/jobs/7/answers`: how a result came about, for who asks for it."""

from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import HTMLResponse

from actions import questions
from core.errors import PaperclerkError
from dashboard.numbers import GREATEST, Number
from dashboard.pages.view import Acting, Reading
from paperless_client import PaperlessError

router = APIRouter(include_in_schema=False)


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
        asked = await questions.question(view.caller, job_id, part)
    except (PaperlessError, PaperclerkError) as error:
        trouble = error.user_message
    return await view.page("prompt.html", job=job, asked=asked, trouble=trouble)


@router.get("/jobs/{job_id}/answers")
async def answers(view: Reading, job_id: Number) -> HTMLResponse:
    """Show word by word what the model wrote."""
    job = await view.caller.job(job_id)
    told = await questions.answers(view.caller, job_id)
    return await view.page("answers.html", job=job, answers=told)
