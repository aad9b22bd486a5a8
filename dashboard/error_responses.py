"""Handle errors: one JSON shape for programs, a page for people."""

import structlog
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from pydantic import TypeAdapter
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response

from actions.errors import ConsentRequired
from actions.estimates import EstimateSummary
from core.errors import PaperclerkError
from dashboard.auth.routes import AUTH_SCHEME, redirect_to_login
from dashboard.errors import UNREADABLE, BadRequest, NotLoggedIn, describe_fault, status_of
from dashboard.pages.errors import error_page, gone_page, is_for_people
from paperless_client import PaperlessError
from store import JobDeleted

log = structlog.get_logger()

API = "/api/"
WORDS = {
    400: BadRequest.user_message,
    404: "Page not found.",
    405: "This address only accepts forms sent by a page.",
    413: "The request is too large.",
}
"""Sentences on pages for errors that the framework raises itself."""
_CODES = {400: "bad_request", 404: "not_found", 405: "method_not_allowed", 413: "too_long"}


def register_error_handlers(app: FastAPI) -> None:
    """Register the handlers of every error of `app`."""
    app.add_exception_handler(PaperclerkError, _handle_own_error)
    app.add_exception_handler(PaperlessError, _handle_own_error)
    app.add_exception_handler(HTTPException, _handle_http_error)
    app.add_exception_handler(RequestValidationError, _handle_validation_error)
    app.add_exception_handler(Exception, _handle_unexpected_error)


def error_response(status: int, code: str, message: str) -> JSONResponse:
    """Build the JSON response of an error."""
    return JSONResponse({"error": {"code": code, "message": message}}, status_code=status)


async def _handle_own_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, PaperclerkError | PaperlessError)
    if isinstance(error, NotLoggedIn) and (to_login := redirect_to_login(request)) is not None:
        return to_login
    if isinstance(error, JobDeleted) and is_for_people(request):
        return await gone_page(request, error)
    message = str(error) or error.user_message
    if isinstance(error, ConsentRequired) and not is_for_people(request):
        return _consent_response(status_of(error), error, message)
    response = await _respond(request, status_of(error), error.code, message, error.user_message)
    if isinstance(error, NotLoggedIn):
        response.headers["www-authenticate"] = AUTH_SCHEME
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
    message = UNREADABLE if error.status_code == 400 else str(error.detail)
    response = await _respond(request, error.status_code, code, message, words)
    # Of a method that is not allowed, they list those that are.
    response.headers.update(error.headers or {})
    return response


async def _handle_validation_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    fault = error.errors()[0]
    if is_for_people(request):
        # People who open a page need no details about the format of a number.
        status = 404 if fault["loc"][0] == "path" else 400
        return await error_page(request, status, WORDS[status])
    return error_response(422, "invalid", describe_fault(fault))


async def _handle_unexpected_error(request: Request, error: Exception) -> Response:
    # One of the few places that catch everything: around one request of the web app.
    log.exception("request failed", path=request.url.path, exc_info=error)
    message = "something unexpected went wrong; the log says more"
    return await _respond(request, 500, "unexpected", message, PaperclerkError.user_message)


async def _respond(
    request: Request, status: int, code: str, message: str, words: str = ""
) -> Response:
    """Return JSON to a program; to a person, a page with `words`, or else the message."""
    if is_for_people(request):
        return await error_page(request, status, words or message)
    return error_response(status, code, message)
