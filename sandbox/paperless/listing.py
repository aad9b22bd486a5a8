"""Paged lists, with the ids of `all` results in API versions that have it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar
from urllib.parse import urlencode

from sandbox.paperless.calls import Call
from sandbox.paperless.replies import Refused

_DEFAULT_SIZE = 25
_LARGEST_SIZE = 100_000


class Numbered(Protocol):
    """Something with an id."""

    id: int


Item = TypeVar("Item", bound=Numbered)


@dataclass(frozen=True, slots=True)
class _Page:
    """Which part of a list is shown."""

    number: int
    size: int
    last: int


def page_of(
    call: Call, items: Sequence[Item], as_json: Callable[[Item], dict[str, object]]
) -> dict[str, object]:
    """Build the response for one page of `items`."""
    page = _chosen(call, len(items))
    start = (page.number - 1) * page.size
    answer: dict[str, object] = {
        "count": len(items),
        "next": _address(call, page.number + 1) if page.number < page.last else None,
        "previous": _address(call, page.number - 1) if page.number > 1 else None,
    }
    if call.api <= 9:
        # All ids on every page; this cannot be disabled.
        answer["all"] = [item.id for item in items]
    answer["results"] = [as_json(item) for item in items[start : start + page.size]]
    return answer


def _chosen(call: Call, count: int) -> _Page:
    size = _size(call.query.get("page_size", ""))
    last = max(1, -(-count // size))
    asked = call.query.get("page", "1")
    number = last if asked == "last" else _positive(asked)
    if number is None or number > last:
        raise Refused(404, {"detail": "Invalid page."})
    return _Page(number, size, last)


def _size(text: str) -> int:
    return min(_positive(text) or _DEFAULT_SIZE, _LARGEST_SIZE)


def _positive(text: str) -> int | None:
    return int(text) if text.isdecimal() and int(text) > 0 else None


def _address(call: Call, number: int) -> str:
    """Return the address of a page: sorted parameters, no page number for the first."""
    parameters = {key: value for key, value in call.query.items() if key != "page"}
    if number > 1:
        parameters["page"] = str(number)
    query = urlencode(sorted(parameters.items()))
    return f"{call.address}?{query}" if query else call.address
