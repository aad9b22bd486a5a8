"""Objects of the Paperless API: immutable, unknown keys are ignored."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum
from typing import Annotated, Generic, TypeVar

from pydantic import (
    AliasPath,
    AwareDatetime,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    JsonValue,
)

from core.messages import Message, message

T = TypeVar("T")


class _PaperlessModel(BaseModel):
    """Base of all objects; validation errors do not contain their private values."""

    model_config = ConfigDict(
        frozen=True, extra="ignore", hide_input_in_errors=True, populate_by_name=True
    )


class CustomFieldValue(_PaperlessModel):
    """The value of one custom field on one document."""

    field: int
    value: JsonValue


class DocumentSummary(_PaperlessModel):
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


class DocumentFields(_PaperlessModel):
    """The fields of a document that can be filed, without its text."""

    id: int
    title: str
    correspondent: int | None
    document_type: int | None
    tags: frozenset[int]
    """Ids, also of tags that the token's user may not see."""
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


class DocumentText(_PaperlessModel):
    """The text of a document, and the tags that decide whether it may be read."""

    id: int
    tags: frozenset[int]
    content: str = Field(repr=False)


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


def _is_present(url: object) -> object:
    # The URL is often wrong behind a proxy; only whether there is one counts.
    return url if isinstance(url, bool) else url is not None


class Page(_PaperlessModel, Generic[T]):
    """One page of a list."""

    count: int
    """Entries on all pages together."""
    has_next: Annotated[bool, BeforeValidator(_is_present)] = Field(validation_alias="next")
    results: tuple[T, ...]


class NameKind(StrEnum):
    """Kinds of named objects."""

    TAG = "tag"
    CORRESPONDENT = "correspondent"
    DOCUMENT_TYPE = "document_type"

    @property
    def noun(self) -> Message:
        """Return the kind as a word for people."""
        match self:
            case NameKind.TAG:
                return message("tag")
            case NameKind.CORRESPONDENT:
                return message("correspondent")
            case NameKind.DOCUMENT_TYPE:
                return message("document type")

    @property
    def codename(self) -> str:
        """The kind as Paperless's permissions spell it: `documenttype`."""
        return self.replace("_", "")


class NamedObject(_PaperlessModel):
    """A tag, correspondent or document type."""

    id: int
    name: str
    document_count: int | None = None
    """Documents that have it; None if unknown (just created)."""
    owner: int | None = None
    """None: visible to everybody."""
    parent: int | None = None
    """Tags only: the tag above this one."""
    is_inbox_tag: bool = False
    """Tags only: put on every new document by Paperless."""
    matching_algorithm: int | None = None
    """How Paperless assigns it automatically; 0: not at all."""


class SelectOption(_PaperlessModel):
    """One choice of a custom field of type `select`; documents carry its id."""

    id: str
    label: str


def _options(raw: object) -> object:
    # Fields of other types may have [null] here.
    return [option for option in raw if option is not None] if isinstance(raw, list) else ()


class _ExtraData(_PaperlessModel):
    """Additional data of a custom field."""

    select_options: Annotated[tuple[SelectOption, ...], BeforeValidator(_options)] = ()
    default_currency: str | None = None


class CustomField(_PaperlessModel):
    """A custom field that documents may have."""

    id: int
    name: str
    data_type: str
    extra_data: _ExtraData | None = None

    @property
    def options(self) -> tuple[SelectOption, ...]:
        return self.extra_data.select_options if self.extra_data else ()

    @property
    def default_currency(self) -> str | None:
        return self.extra_data.default_currency if self.extra_data else None


class User(_PaperlessModel):
    """The user whose token we have."""

    id: int = Field(validation_alias=AliasPath("user", "id"))
    username: str = Field(validation_alias=AliasPath("user", "username"))
    is_superuser: bool = Field(validation_alias=AliasPath("user", "is_superuser"))
    permissions: frozenset[str]
    """Codenames, as in `change_document`; a superuser has them all."""


class Statistics(_PaperlessModel):
    """Figures about the documents that the token's user may see."""

    documents_total: int


class Server(_PaperlessModel):
    """The Paperless that answered."""

    version: str = Field(validation_alias="x-version")
    api_version: int = Field(validation_alias="x-api-version")
    """The newest API version that it supports."""


@dataclass(frozen=True, slots=True)
class Thumbnail:
    """The thumbnail of a document."""

    content: bytes = field(repr=False)
    content_type: str
