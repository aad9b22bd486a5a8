"""What is asked of Paperless, as values (pure)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from pydantic import BaseModel, JsonValue

from core.messages import Message, message

Params: TypeAlias = Mapping[str, str | int]
Body: TypeAlias = Mapping[str, JsonValue]


@dataclass(frozen=True, slots=True)
class Request:
    """One thing asked of Paperless."""

    method: Literal["DELETE", "GET", "PATCH", "POST"]
    path: str
    """Below `/api/`. It ends with a slash: without it Paperless redirects to its login page."""
    action: Message
    """What it is for, as the end of "could not ..."."""
    permission: str
    """Codename of the permission it takes."""
    params: Params = field(default_factory=dict)
    body: Body | None = None
    document: int | None = None
    """The document that is gone if the answer is 404; None if a 404 means something else."""
    named: int | None = None
    """Id of the requested tag, correspondent or document type."""

    @property
    def wanted_id(self) -> int | None:
        """Return the id that the object in the response must have; None for any."""
        return self.named if self.document is None else self.document

    @property
    def is_write(self) -> bool:
        return self.method != "GET"


def read_document(id_: int, params: Params) -> Request:
    """Build the request for one document."""
    path, action = f"documents/{id_}/", message("read document {id}", id=str(id_))
    return Request("GET", path, action, "view_document", params=params, document=id_)


def bulk_edit(id_: int, method: str, parameters: Body, action: Message) -> Request:
    """Build the request for a bulk edit of one document."""
    return Request(
        "POST",
        "documents/bulk_edit/",
        action,
        "change_document",
        body={"documents": [id_], "method": method, "parameters": {**parameters}},
        document=id_,
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
