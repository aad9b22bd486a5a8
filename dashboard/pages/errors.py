"""What a person sees when a page cannot be shown."""

from starlette.requests import Request
from starlette.responses import Response

from dashboard.desk import Desk
from dashboard.rendering import path_of, render
from store import JobDeleted

_FOR_PROGRAMS = ("/api/", "/metrics", "/health", "/events")


def is_for_people(request: Request) -> bool:
    """Tell whether a browser asks for a page, and no program for an answer."""
    by_htmx = request.headers.get("hx-request") == "true"
    wants_page = "text/html" in request.headers.get("accept", "") or by_htmx
    return wants_page and not path_of(request).startswith(_FOR_PROGRAMS)


def error_page(request: Request, status: int, words: str) -> Response:
    """Say what is wrong. Nothing is asked for here: the store itself may be what is wrong."""
    desk: Desk = request.app.state.desk
    return render(request, desk, "error.html", status=status, code=status, words=words)


def gone_page(request: Request, gone: JobDeleted) -> Response:
    """Say when a job was deleted, and where to find what is left of it."""
    desk: Desk = request.app.state.desk
    kept = desk.settings.daemon.retention.jobs
    return render(request, desk, "gone.html", status=410, gone=gone, kept=kept)
