"""What is asked of Paperless, as values (pure)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from pydantic import BaseModel, JsonValue

Params: TypeAlias = Mapping[str, str | int]
Body: TypeAlias = Mapping[str, JsonValue]


@dataclass(frozen=True, slots=True)
class Request:
    """One thing asked of Paperless."""

    method: Literal["DELETE", "GET", "PATCH", "POST"]
    path: str
    """Below `/api/`. It ends with a slash: without it Paperless redirects to its login page."""
    action: str
    """What it is for, as the end of "could not ..."."""
    permission: str
    """Codename of the permission it takes."""
    params: Params = field(default_factory=dict)
    body: Body | None = None
    document: int | None = None
    """The document that is gone if the answer is 404; None if a 404 means something else."""

    @property
    def is_write(self) -> bool:
        return self.method != "GET"


def read_document(id_: int, params: Params) -> Request:
    """Build the request for one document."""
    path, action = f"documents/{id_}/", f"read document {id_}"
    return Request("GET", path, action, "view_document", params=params, document=id_)


def bulk_edit(documents: list[int], method: str, parameters: Body) -> Request:
    """Build the request that changes several documents at once, all or none."""
    which = f"document {documents[0]}" if len(documents) == 1 else f"{len(documents)} documents"
    return Request(
        "POST",
        "documents/bulk_edit/",
        f"{method.replace('_', ' ')} of {which}",
        "change_document",
        body={"documents": [*documents], "method": method, "parameters": {**parameters}},
        document=documents[0] if len(documents) == 1 else None,
    )


def only(shape: type[BaseModel]) -> dict[str, str]:
    """Ask for the fields of `shape` and no others."""
    return {"fields": ",".join(shape.model_fields)}


def paged(page: int, page_size: int) -> dict[str, str | int]:
    """Ask for one page, counted from 1."""
    # Paperless answers a size below 1 with its default, 25.
    if page < 1 or page_size < 1:
        raise ValueError(f"pages and their sizes are counted from 1, got {page} and {page_size}")
    return {"page": page, "page_size": page_size}
