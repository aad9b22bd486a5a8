"""Respond to errors: one JSON shape for programs; a page, or the login, for people."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

import structlog
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from pydantic import TypeAdapter
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, RedirectResponse, Response

from actions.costs import EstimateSummary
from actions.errors import ConsentRequired
from core.errors import PaperclerkError
from dashboard.auth import identify_person
from dashboard.context import AppContext
from dashboard.errors import BadRequest, NotLoggedIn, status_of
from dashboard.pages.view import View
from dashboard.rendering import FIRST_PAGE, login_address, path_of, path_within, render
from paperless_client import PaperlessError
from store import JobDeleted

log = structlog.get_logger()

WORDS = {
    400: BadRequest.user_message,
    404: "Page not found.",
    405: "This address only accepts forms sent by a page.",
    413: "The request is too large.",
}
"""Sentences on pages for errors that the framework raises itself."""
_HOW = "send JSON, with `Content-Type: application/json`"
_UNREADABLE = f"the body cannot be read: {_HOW}, in UTF-8"
_AUTH_SCHEME = "Bearer"
"""The scheme that every 401 must name. A browser shows no prompt for it, as it does for Basic."""
_CODES = {400: "bad_request", 404: "not_found", 405: "method_not_allowed", 413: "too_long"}
_FOR_PROGRAMS = ("/api/", "/metrics", "/health", "/events")
_STORE_MAY_FAIL = {500, 503}
"""Statuses at which the store may be unavailable: it is not queried then."""


def register_error_handlers(app: FastAPI) -> None:
    """Register the handlers of every error of `app`."""
    app.add_exception_handler(PaperclerkError, _handle_own_error)
    app.add_exception_handler(PaperlessError, _handle_own_error)
    app.add_exception_handler(HTTPException, _handle_http_error)
    app.add_exception_handler(RequestValidationError, _handle_validation_error)
    app.add_exception_handler(Exception, _handle_unexpected_error)


async def _handle_own_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, PaperclerkError | PaperlessError)
    if isinstance(error, NotLoggedIn) and (to_login := _redirect_to_login(request)) is not None:
        return to_login
    if isinstance(error, JobDeleted) and _is_for_people(request):
        return await _gone_page(request, error)
    message = str(error) or error.user_message
    if isinstance(error, ConsentRequired) and not _is_for_people(request):
        return _consent_response(status_of(error), error, message)
    response = await _respond(request, status_of(error), error.code, message, error.user_message)
    if isinstance(error, NotLoggedIn):
        response.headers["www-authenticate"] = _AUTH_SCHEME
    return response


def _consent_response(status: int, error: ConsentRequired, message: str) -> JSONResponse:
    """Build the response to a run that must be confirmed, with its estimates by instance."""
    schema = TypeAdapter(EstimateSummary)
    estimates = [schema.dump_python(estimate, mode="json") for estimate in error.estimates]
    return JSONResponse(
        {
            "error": {"code": error.code, "message": message},
            "estimate": estimates[0],
            "estimates": estimates,
        },
        status_code=status,
    )


async def _handle_http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    code = _CODES.get(error.status_code, "refused")
    words = WORDS.get(error.status_code, "")
    message = _UNREADABLE if error.status_code == 400 else str(error.detail)
    response = await _respond(request, error.status_code, code, message, words)
    # Of a method that is not allowed, they list those that are.
    response.headers.update(error.headers or {})
    return response


async def _handle_validation_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    fault = error.errors()[0]
    if _is_for_people(request):
        # People who open a page need no details about the format of a number.
        status = 404 if fault["loc"][0] == "path" else 400
        return await _error_page(request, status, WORDS[status])
    return _error_response(422, "invalid", _describe_fault(fault))


def _describe_fault(fault: Mapping[str, Any]) -> str:
    """Return a sentence about a validation error of the framework, with its location.

    The framework's own messages about a body as a whole mislead: they speak of dictionaries where
    nothing was sent, or where JSON was sent with another content type.
    """
    match fault:
        case {"type": "json_invalid", "loc": (_, int(position)), "ctx": {"error": str(reason)}}:
            return f"the body is no JSON: {reason} at character {position + 1}"
        case {"type": "missing", "loc": ("body",)}:
            return f"the body is missing: {_HOW}"
        case {"loc": ("body",), "input": bytes()}:
            return f"the body was not sent as JSON: {_HOW}"
        case {"loc": ("body",)}:
            return "the body is no JSON object, such as {...}"
    place = ".".join(str(part) for part in fault["loc"])
    return f"{place}: {fault['msg']}"


async def _handle_unexpected_error(request: Request, error: Exception) -> Response:
    # One of the few places that catch everything: around one request of the web app.
    log.exception("request failed", path=request.url.path, exc_info=error)
    message = "something unexpected went wrong; the log says more"
    return await _respond(request, 500, "unexpected", message, PaperclerkError.user_message)


async def _respond(
    request: Request, status: int, code: str, message: str, words: str = ""
) -> Response:
    """Return JSON to a program; to a person, a page with `words`, or else the message."""
    if _is_for_people(request):
        return await _error_page(request, status, words or message)
    return _error_response(status, code, message)


def _is_for_people(request: Request) -> bool:
    """Return whether a browser requests a page, rather than a program an API response."""
    by_htmx = request.headers.get("hx-request") == "true"
    wants_page = "text/html" in request.headers.get("accept", "") or by_htmx
    return wants_page and not path_of(request).startswith(_FOR_PROGRAMS)


def _error_response(status: int, code: str, message: str) -> JSONResponse:
    """Build the JSON response of an error."""
    return JSONResponse({"error": {"code": code, "message": message}}, status_code=status)


def _redirect_to_login(request: Request) -> Response | None:
    """Return a redirect to the login page; None if the client is a program."""
    if not _is_for_people(request):
        return None
    if request.headers.get("hx-request"):
        # htmx requested a part of a page: the whole page must be redirected, not the part.
        address = login_address(request, _current_page(request))
        headers = {"hx-redirect": address, "www-authenticate": _AUTH_SCHEME}
        return Response(status_code=401, headers=headers)
    next_page = path_within(request) if request.method == "GET" else FIRST_PAGE
    return RedirectResponse(login_address(request, next_page), status_code=303)


def _current_page(request: Request) -> str:
    """Return the path of the page that sent an htmx request."""
    root: str = request.scope.get("root_path", "")
    current = urlsplit(request.headers.get("hx-current-url", ""))
    path = current.path.removeprefix(root) or FIRST_PAGE
    return f"{path}?{current.query}" if current.query else path


async def _error_page(request: Request, status: int, words: str) -> Response:
    """Render a page with an error."""
    return await _page(request, "error.html", status, code=status, words=words)


async def _gone_page(request: Request, gone: JobDeleted) -> Response:
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
