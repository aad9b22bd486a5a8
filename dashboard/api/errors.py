"""The schema of errors, and the errors of each route for OpenAPI."""

from typing import Any

from pydantic import BaseModel


class ErrorDetail(BaseModel):
    """An error: a code for programs and a message for people."""

    code: str
    message: str


class ErrorAnswer(BaseModel):
    """The body of every error response."""

    error: ErrorDetail


_MEANINGS = {
    400: "What was sent cannot be read.",
    401: "Nobody that is known: send `Authorization: Bearer <token>`.",
    403: "Known, but without the right for this.",
    404: "Not found, or it belongs to an instance that you may not see.",
    409: "It cannot be done as things are.",
    410: "There was such a thing, until retention deleted it.",
    413: "The request is too large.",
    422: "What was sent makes no sense; the message says why.",
    502: "Paperless did not answer, or refused.",
    503: "Paperclerk's own database is not available; try again later.",
}
_ALWAYS = (400, 401, 403, 413, 422, 503)
"""Statuses that every route may return."""


def error_responses(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Build the OpenAPI responses of a route: the errors of every route, and its own."""
    return {
        status: {"model": ErrorAnswer, "description": _MEANINGS[status]}
        for status in sorted({*_ALWAYS, *statuses})
    }
