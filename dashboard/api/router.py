"""Shared by the modules of the API: the router, paged lists, and documented errors."""

from collections.abc import Callable, Sequence
from typing import Annotated, Any, Generic, TypeVar

from fastapi import APIRouter, Depends, Query, Request
from fastapi.security import HTTPBearer
from pydantic import BaseModel

from actions.caller import Caller
from core.documents import DocumentRef
from dashboard.rendering import address_in

PREFIX = "/api/v1"
DOCUMENT = r"^[a-z0-9][a-z0-9_-]*/[1-9][0-9]{0,14}$"

T = TypeVar("T")
S = TypeVar("S")
# Only for the description: the authenticator accepts sessions, too.
_TOKEN = HTTPBearer(auto_error=False, description="An API token, from `paperclerk token create`.")
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


async def _get_root(request: Request) -> str:
    return address_in(request, PREFIX)


Root = Annotated[str, Depends(_get_root)]
"""The beginning of every address in responses."""

Limit = Annotated[int, Query(ge=1, le=200, description="Maximum number of items on a page.")]
After = Annotated[
    str | None,
    Query(
        pattern=r"^[1-9][0-9]{0,14}$",
        description="Continue after a page: its `next`.",
    ),
]
AfterDocument = Annotated[
    str | None,
    Query(pattern=DOCUMENT, description="Continue after a page: its `next`."),
]


class Page(BaseModel, Generic[S]):
    """One page of a list."""

    items: list[S]
    next: str | None
    """The value of `after` for the next page; null on the last page."""


class ErrorDetail(BaseModel):
    """An error: a code for programs and a message for people."""

    code: str
    message: str


class ErrorAnswer(BaseModel):
    """The body of every error response."""

    error: ErrorDetail


def api_router(path: str = "", *, tag: str = "") -> APIRouter:
    """Build a router for addresses below `/api/v1` and `path`.

    The prefix is the whole address, so that no other router needs to include it: FastAPI keeps
    the routes of an included router twice, with their schemas.
    """
    return APIRouter(
        prefix=PREFIX + path, tags=[tag] if tag else None, dependencies=[Depends(_TOKEN)]
    )


def error_responses(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Build the OpenAPI responses of a route: the errors of every route, and its own."""
    return {
        status: {"model": ErrorAnswer, "description": _MEANINGS[status]}
        for status in sorted({*_ALWAYS, *statuses})
    }


def build_page(
    found: Sequence[T], limit: int, cursor: Callable[[T], object], serialize: Callable[[T], S]
) -> Page[S]:
    """Build a page; `found` has one item more than `limit` if there is a next page."""
    here = found[:limit]
    more = str(cursor(here[-1])) if len(found) > limit else None
    return Page(items=[serialize(item) for item in here], next=more)


def parse_id_cursor(after: str | None) -> int | None:
    return None if after is None else int(after)


def parse_document_cursor(after: str | None) -> DocumentRef | None:
    return None if after is None else DocumentRef.parse(after)


def visible_instances(caller: Caller, instance: str | None) -> frozenset[str] | None:
    """Return the instances that a list is about; None means all. Raise InstanceUnknown."""
    if instance is None:
        return caller.only
    caller.require_instance(instance)
    return frozenset({instance})
