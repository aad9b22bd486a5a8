"""The pages that report errors to people."""

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
_STORE_MAY_FAIL = {500, 503}
"""Statuses at which the store may be unavailable: it is not queried then."""


def is_for_people(request: Request) -> bool:
    """Return whether a browser requests a page, rather than a program an API response."""
    by_htmx = request.headers.get("hx-request") == "true"
    wants_page = "text/html" in request.headers.get("accept", "") or by_htmx
    return wants_page and not path_of(request).startswith(_FOR_PROGRAMS)


async def error_page(request: Request, status: int, words: str) -> Response:
    """Render a page with an error."""
    return await _page(request, "error.html", status, code=status, words=words)


async def gone_page(request: Request, gone: JobDeleted) -> Response:
    """Render a page about a job that retention has deleted."""
    context: AppContext = request.app.state.get_context()
    kept = context.settings.daemon.retention.jobs
    return await _page(request, "gone.html", 410, gone=gone, kept=kept)


async def _page(request: Request, template: str, status: int, **values: object) -> Response:
    """Render a page, with the navigation if the person is known and the store available."""
    context: AppContext = request.app.state.get_context()
    with suppress(PaperclerkError):
        person = None if status in _STORE_MAY_FAIL else await identify_person(request)
        if person is not None:
            return await View(request, context, person).page(template, status=status, **values)
    return render(request, context, template, status=status, **values)
