"""Build requests, queries and patches for Paperless, and iterate over paged lists."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Final, Literal, TypeAlias, TypeVar

from pydantic import BaseModel, JsonValue

from core.messages import Message, message
from paperless_client.errors import ListChanged
from paperless_client.models import CustomField, Group, NamedObject, Page

MAX_ANSWER_BYTES: Final = 32 * 1024 * 1024
"""Maximum size of a response after decompression; far above the text of any usual document."""
NAMES_A_PAGE: Final = 1000
"""Large, because Paperless counts all documents again for each page of names."""

Params: TypeAlias = Mapping[str, str | int]
Body: TypeAlias = Mapping[str, JsonValue]


@dataclass(frozen=True, slots=True)
class Request:
    """One request to Paperless."""

    method: Literal["DELETE", "GET", "PATCH", "POST"]
    path: str
    """Below `/api/`. It ends with a slash: without it Paperless redirects to its login page."""
    action: Message
    """What it is for, as the end of "could not ..."."""
    permission: str
    """Codename of the required permission."""
    params: Params = field(default_factory=dict)
    body: Body | None = None
    document: int | None = None
    """The document that is gone if the answer is 404; None if a 404 means something else."""
    max_bytes: int = MAX_ANSWER_BYTES
    """Maximum size of the response."""
    named: int | None = None
    """Id of the requested tag, correspondent, document type or storage path."""

    @property
    def wanted_id(self) -> int | None:
        """Return the id that the object in the response must have; None for any."""
        return self.named if self.document is None else self.document

    @property
    def is_write(self) -> bool:
        return self.method != "GET"


def build_document_request(id_: int, params: Params) -> Request:
    """Build the request for one document."""
    path, action = f"documents/{id_}/", message("read document {id}", id=str(id_))
    return Request("GET", path, action, "view_document", params=params, document=id_)


def build_bulk_edit_request(id_: int, method: str, parameters: Body, action: Message) -> Request:
    """Build the request for a bulk edit of one document."""
    return Request(
        "POST",
        "documents/bulk_edit/",
        action,
        "change_document",
        body={"documents": [id_], "method": method, "parameters": {**parameters}},
        document=id_,
    )


def select_fields(shape: type[BaseModel]) -> dict[str, str]:
    """Return the parameters that request only the fields of `shape`."""
    return {"fields": ",".join(shape.model_fields)}


def page_params(page: int, page_size: int) -> dict[str, str | int]:
    """Return the parameters of one page, counted from 1."""
    # Paperless answers a size below 1 with its default, 25.
    if page < 1 or page_size < 1:
        raise ValueError(f"pages and their sizes are counted from 1, got {page} and {page_size}")
    return {"page": page, "page_size": page_size}


MAX_IDS: Final = 1000
"""Maximum number of ids in one query."""
_MAX_IDS_LENGTH: Final = 7000
"""Maximum length of all ids in one query: many proxies refuse URLs longer than 8 kB."""


class Ordering(StrEnum):
    """Orderings of Paperless; the id breaks ties, so that pages do not overlap."""

    ID = "id"
    ID_NEWEST_FIRST = "-id"
    ADDED = "added,id"
    ADDED_NEWEST_FIRST = "-added,-id"
    MODIFIED = "modified,id"
    MODIFIED_NEWEST_FIRST = "-modified,-id"


@dataclass(frozen=True, slots=True)
class DocumentQuery:
    """Which documents to list, and in which order."""

    include_tags: frozenset[int] = frozenset()
    """Documents must have all of them."""
    exclude_tags: frozenset[int] = frozenset()
    """Documents must have none of them."""
    added_since: datetime | None = None
    added_until: datetime | None = None
    modified_since: datetime | None = None
    modified_until: datetime | None = None
    """The four bounds are inclusive."""
    ids: frozenset[int] | None = None
    """None: any. Empty: none at all."""
    ordering: Ordering = Ordering.ID

    def __post_init__(self) -> None:
        if self.ids is not None and not _fits_query(len(self.ids), len(_join_ids(self.ids))):
            raise ValueError(f"at most {MAX_IDS} ids fit into one query, got {len(self.ids)}")
        for moment in self._bounds().values():
            # Paperless would read it in its own time zone.
            if moment is not None and moment.utcoffset() is None:
                raise ValueError(f"a query needs times with an offset, got {moment}")

    def params(self) -> dict[str, str]:
        """Return the query as filters of Paperless."""
        filters = {
            "tags__id__all": _join_ids(self.include_tags),
            "tags__id__none": _join_ids(self.exclude_tags),
            # An empty filter would be ignored and return everything; there is no document 0.
            "id__in": None if self.ids is None else _join_ids(self.ids) or "0",
            **{name: moment and moment.isoformat() for name, moment in self._bounds().items()},
        }
        return {name: value for name, value in filters.items() if value} | {
            "ordering": self.ordering
        }

    def _bounds(self) -> dict[str, datetime | None]:
        return {
            "added__gte": self.added_since,
            "added__lte": self.added_until,
            "modified__gte": self.modified_since,
            "modified__lte": self.modified_until,
        }


def chunked(ids: Iterable[int]) -> Iterator[frozenset[int]]:
    """Yield the ids in order, in sets that fit into one query."""
    chunk, length = list[int](), 0
    for id_ in ids:
        longer = length + len(str(id_)) + 1
        if chunk and not _fits_query(len(chunk) + 1, longer):
            yield frozenset(chunk)
            chunk, longer = [], len(str(id_)) + 1
        chunk.append(id_)
        length = longer
    if chunk:
        yield frozenset(chunk)


def _fits_query(count: int, length: int) -> bool:
    return count <= MAX_IDS and length <= _MAX_IDS_LENGTH


def _join_ids(ids: Iterable[int]) -> str:
    return ",".join(str(int(id_)) for id_ in sorted(ids))


Entry = TypeVar("Entry", NamedObject, CustomField, Group)


async def iterate_entries(
    fetch: Callable[[int], Awaitable[Page[Entry]]], *, action: Message
) -> AsyncIterator[Entry]:
    """Yield every entry once; raise ListChanged if the list may be incomplete.

    Paperless has no snapshots. An entry that is added or deleted between two pages moves the
    others, so that one may be seen twice or never; the counts show it.
    """
    seen: set[int] = set()
    total: int | None = None
    number = 0
    while True:
        number += 1
        page = await fetch(number)
        new = {entry.id: entry for entry in page.results if entry.id not in seen}
        seen.update(new)
        for entry in new.values():
            yield entry
        total = page.count if total is None else total
        if page.count != total or (page.has_next and not new):
            raise ListChanged(
                action,
                message("the list changed while it was read, at page {number}", number=number),
            )
        if not page.has_next:
            break
    if len(seen) != total:
        counts = message("received {n} of {total} entries", n=len(seen), total=total or 0)
        raise ListChanged(action, counts)
