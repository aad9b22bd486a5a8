"""The errors that a route may answer with, for the description of the API."""

from typing import Any

from pydantic import BaseModel


class ErrorDetail(BaseModel):
    """What went wrong: a code for programs, a sentence for people."""

    code: str
    message: str


class ErrorAnswer(BaseModel):
    """Every error, whatever its status, has this shape."""

    error: ErrorDetail


_MEANS = {
    400: "What was sent cannot be read.",
    401: "Nobody that is known: send `Authorization: Bearer <token>`.",
    403: "Known, but without the right for this.",
    404: "There is no such thing, or it belongs to an instance that you may not see.",
    409: "It cannot be done as things are.",
    410: "There was such a thing, until retention deleted it.",
    413: "The request is too large.",
    422: "What was sent makes no sense; the message says why.",
    502: "Paperless did not answer, or refused.",
    503: "Paperclerk's own database is not available; try again later.",
}
_ALWAYS = (400, 401, 403, 413, 422, 503)
"""Any route may answer with these."""


def error_responses(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Describe the errors of a route: those of every route, and its own."""
    every = sorted({*_ALWAYS, *statuses})
    return {status: {"model": ErrorAnswer, "description": _MEANS[status]} for status in every}
