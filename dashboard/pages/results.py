"""`/results/7`: one stored result and what became of its suggestions; a permanent address."""

from fastapi import APIRouter
from starlette.responses import HTMLResponse

from actions.documents import get_titles
from actions.jobs import get_job_details
from actions.timeline import list_left_out
from core.analysis import ResultKind
from dashboard.context import PathId
from dashboard.pages.view import ReadView

router = APIRouter(include_in_schema=False)


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
