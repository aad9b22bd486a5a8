"""Paging of lists: limits, cursors, and the page with the cursor of the next one."""

from collections.abc import Callable, Sequence
from typing import Annotated, Generic, TypeVar

from fastapi import Depends, Query, Request
from pydantic import BaseModel

from actions.caller import Caller
from core.documents import DocumentRef
from dashboard.auth.csrf import address_in

PREFIX = "/api/v1"


DOCUMENT = r"^[a-z0-9][a-z0-9_-]*/[1-9][0-9]{0,14}$"

T = TypeVar("T")
S = TypeVar("S")


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
