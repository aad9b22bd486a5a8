"""`/notifications`: what Paperclerk reported, with its deliveries, and what is unread."""

from typing import Annotated

from fastapi import APIRouter, Form
from starlette.responses import HTMLResponse, RedirectResponse

from actions.notifications import PAGES, build_lines, list_notifications, mark_all_read, mark_read
from dashboard.context import MAX_ID, Before, PathId
from dashboard.pages.view import ActView, ReadView

router = APIRouter(include_in_schema=False)

_PATH = "/notifications"
_PAGE = 50


@router.get(_PATH)
async def notifications(view: ReadView, before: Before = None) -> HTMLResponse:
    """List notifications, newest first."""
    found = await list_notifications(view.caller, limit=_PAGE + 1, before_id=before)
    shown = found[:_PAGE]
    translator = view.translator
    return await view.page(
        "notifications.html",
        notifications=[(item, build_lines(item, translator), PAGES[item.kind]) for item in shown],
        may_act=view.may_act,
        next_before=shown[-1].id if len(found) > _PAGE else None,
        is_first=before is None,
    )


@router.post(f"{_PATH}/read")
async def read_all(
    view: ActView, until: Annotated[int | None, Form(ge=1, le=MAX_ID)] = None
) -> RedirectResponse:
    """Mark all notifications as read, up to the newest that the page showed."""
    return await view.perform(
        _PATH, mark_all_read(view.caller, until), "All notifications marked as read."
    )


@router.post(f"{_PATH}/{{notification}}/read")
async def read(view: ActView, notification: PathId) -> RedirectResponse:
    """Mark one notification as read."""
    return await view.perform(
        _PATH, mark_read(view.caller, notification), "Notification marked as read."
    )
