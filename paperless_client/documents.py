"""Documents of the Paperless API: what is read of them, and what a PATCH writes."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import date, datetime
from enum import Enum
from typing import Final

from pydantic import AwareDatetime, Field, JsonValue

from core.archive import ArchiveDocument, ArchiveFields
from core.documents import DocumentRef
from paperless_client.models import PaperlessModel


class CustomFieldValue(PaperlessModel):
    """The value of one custom field on one document."""

    field: int
    value: JsonValue


class DocumentSummary(PaperlessModel):
    """The fields of a document that a scan needs, without its text."""

    id: int
    title: str
    tags: frozenset[int]
    """Ids, also of tags that the token's user may not see."""
    added: AwareDatetime
    """In the server's own offset, so that its date is the day that Paperless shows."""
    modified: AwareDatetime
    user_can_change: bool | None = None
    """Whether the token's user may edit this document; None if Paperless does not say."""


class DocumentFields(PaperlessModel):
    """The fields of a document that can be filed, without its text."""

    id: int
    title: str
    correspondent: int | None
    document_type: int | None
    tags: frozenset[int]
    """Ids, also of tags that the token's user may not see."""
    storage_path: int | None
    """Id, also of one that the token's user may not see; None: the server's default template."""
    created: date
    added: AwareDatetime
    """In the server's own offset, so that its date is the day that Paperless shows."""
    original_file_name: str | None
    custom_fields: tuple[CustomFieldValue, ...]


@dataclass(frozen=True, slots=True)
class FreshFields:
    """A document's fields, and its lists exactly as received.

    A PATCH replaces both lists, so they are sent back in this form. This way, hidden tags, document
    links and values of unknown types are neither lost nor changed.
    """

    fields: DocumentFields
    tags: tuple[int, ...]
    custom_fields: tuple[Mapping[str, JsonValue], ...]


class DocumentText(PaperlessModel):
    """The text of a document, and the tags that decide whether it may be read."""

    id: int
    tags: frozenset[int]
    content: str = Field(repr=False)
    page_count: int | None = None
    """None for files without pages, such as mails, and where Paperless could not count them."""


@dataclass(frozen=True, slots=True)
class FetchedTexts:
    """The texts of some documents."""

    found: tuple[DocumentText, ...] = ()
    too_large: frozenset[int] = frozenset()
    """Documents whose text alone exceeds the size limit of a response."""


class Document(DocumentFields):
    """One document with its text."""

    content: str = Field(repr=False)
    modified: AwareDatetime
    owner: int | None
    page_count: int | None
    mime_type: str
    user_can_change: bool | None = None
    """Whether its owner allows a change; None if unknown (responses to a PATCH)."""


class Unset(Enum):
    """Marks a field that a patch does not change; None would make it empty."""

    UNSET = "unset"


UNSET: Final = Unset.UNSET


@dataclass(frozen=True, slots=True)
class DocumentPatch:
    """Values to write to one document; what is not set is not sent."""

    title: str | Unset = UNSET
    correspondent: int | Unset | None = UNSET
    document_type: int | Unset | None = UNSET
    created: date | Unset = UNSET
    storage_path: int | Unset | None = UNSET
    """Paperless then moves the file to where the storage path's template puts it."""
    tags: tuple[int, ...] | Unset = UNSET
    """The complete list: missing tags are removed; removing a tag removes its children."""
    custom_fields: tuple[Mapping[str, JsonValue], ...] | Unset = UNSET
    """The complete list: missing fields are removed. Paperless also validates unchanged values."""

    def __post_init__(self) -> None:
        # In Python a datetime is a date, but Paperless would convert it to its own time zone.
        if isinstance(self.created, datetime):
            raise TypeError("created is a day, not a time of day")

    def body(self) -> dict[str, JsonValue]:
        """Return the JSON to send; raise ValueError if nothing is set."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        body = {key: _as_json(value) for key, value in values.items() if value is not UNSET}
        if not body:
            # Paperless would mark the document as modified all the same.
            raise ValueError("the patch sets nothing")
        return body


def _as_json(value: object) -> JsonValue:
    match value:
        case date():
            return value.isoformat()
        case tuple():
            return [dict(item) if isinstance(item, Mapping) else item for item in value]
        case str() | int() | None:
            return value
    raise TypeError(f"a patch cannot hold {type(value).__name__}")


def build_archive_document(instance: str, document: Document) -> ArchiveDocument:
    """Build the entry of a document for the archive index."""
    fields = ArchiveFields(
        ref=DocumentRef(instance, document.id),
        title=document.title,
        correspondent=document.correspondent,
        document_type=document.document_type,
        tags=document.tags,
        created=document.created,
        added=document.added,
        modified=document.modified,
        original_file_name=document.original_file_name,
        page_count=document.page_count,
    )
    return ArchiveDocument(fields, document.content)
