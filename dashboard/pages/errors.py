"""What a person sees when a page cannot be shown."""

from contextlib import suppress

from starlette.requests import Request
from starlette.responses import Response

from core.errors import PaperclerkError
from dashboard.auth import identify_person
from dashboard.context import AppContext
from dashboard.pages.view import View
from dashboard.rendering import path_of, render
from store import JobDeleted

_FOR_PROGRAMS = ("/api/", "/metrics", "/health", "/events")
_OUR_TROUBLE = {500, 503}
"""The store itself may be what is wrong: nothing is asked of it."""


def is_for_people(request: Request) -> bool:
    """Tell whether a browser asks for a page, and no program for an answer."""
    by_htmx = request.headers.get("hx-request") == "true"
    wants_page = "text/html" in request.headers.get("accept", "") or by_htmx
    return wants_page and not path_of(request).startswith(_FOR_PROGRAMS)


async def error_page(request: Request, status: int, words: str) -> Response:
    """Say what is wrong."""
    return await _page(request, "error.html", status, code=status, words=words)


async def gone_page(request: Request, gone: JobDeleted) -> Response:
    """Say when a job was deleted, and where to find what is left of it."""
    context: AppContext = request.app.state.context
    kept = context.settings.daemon.retention.jobs
    return await _page(request, "gone.html", 410, gone=gone, kept=kept)


async def _page(request: Request, template: str, status: int, **values: object) -> Response:
    """Show a page; who is known keeps the navigation, if the store can be asked for it."""
    context: AppContext = request.app.state.context
    with suppress(PaperclerkError):
        person = None if status in _OUR_TROUBLE else await identify_person(request)
        if person is not None:
            return await View(request, context, person).page(template, status=status, **values)
    return render(request, context, template, status=status, **values)
