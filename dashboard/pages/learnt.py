"""`/names/learnt`: what was learnt from filed documents, by sender, and how to delete it."""

from enum import StrEnum
from typing import Annotated

from fastapi import APIRouter, Form, Query
from pydantic import BaseModel
from starlette.responses import HTMLResponse, RedirectResponse

from actions.learnt import delete_learnt, list_learnt, restore_learnt
from dashboard.auth.csrf import local_path
from dashboard.pages.view import ActView, ReadView

router = APIRouter(include_in_schema=False)

_PAGE = 100


class LearntAction(StrEnum):
    """What to do with a learnt fact."""

    DELETE = "delete"
    RESTORE = "restore"


class LearntForm(BaseModel):
    """The form with a decision about a learnt fact."""

    instance: str
    id: str
    action: LearntAction
    back: str = "/names/learnt"
    """The page to return to."""


@router.get("/names/learnt")
async def learnt(view: ReadView, start: Annotated[int, Query(ge=0)] = 0) -> HTMLResponse:
    """List what was learnt, by instance; `start` counts from the first fact of each."""
    pages = {
        name: await list_learnt(view.caller, name, start=start, limit=_PAGE)
        for name in view.names
        if name in view.context.instances
    }
    return await view.page("learnt.html", pages=pages, start=start)


@router.post("/names/learnt")
async def decide(view: ActView, form: Annotated[LearntForm, Form()]) -> RedirectResponse:
    """Delete a learnt fact, or restore a deleted one."""
    back = local_path(form.back)
    if form.action is LearntAction.DELETE:
        delete = delete_learnt(view.caller, form.instance, [form.id])
        return await view.perform(back, delete, "Deleted. It will not be learnt again.")
    restore = restore_learnt(view.caller, form.instance, [form.id])
    return await view.perform(back, restore, "Restored.")
