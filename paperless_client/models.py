"""Objects of the Paperless API, and what a PATCH writes to a document.

Objects are immutable; unknown keys are ignored.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import date, datetime
from enum import Enum, StrEnum
from typing import Annotated, Final, Generic, TypeVar

from pydantic import (
    AliasPath,
    AwareDatetime,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    JsonValue,
)

from core.archive import ArchiveDocument, ArchiveFields
from core.documents import DocumentRef
from core.messages import Message, message

T = TypeVar("T")
TESTED_VERSIONS = ("2.20", "3.0")
"""`docs/reference/paperless-versions.md` says what was tested with each."""


class PaperlessModel(BaseModel):
    """Base of all objects; validation errors do not contain their private values."""

    model_config = ConfigDict(
        frozen=True, extra="ignore", hide_input_in_errors=True, populate_by_name=True
    )


def _is_present(url: object) -> object:
    # The URL is often wrong behind a proxy; only whether there is one counts.
    return url if isinstance(url, bool) else url is not None


class Page(PaperlessModel, Generic[T]):
    """One page of a list."""

    count: int
    """Entries on all pages together."""
    has_next: Annotated[bool, BeforeValidator(_is_present)] = Field(validation_alias="next")
    results: tuple[T, ...]


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


class NameKind(StrEnum):
    """Kinds of named objects."""

    TAG = "tag"
    CORRESPONDENT = "correspondent"
    DOCUMENT_TYPE = "document_type"
    STORAGE_PATH = "storage_path"

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
            case NameKind.STORAGE_PATH:
                return message("storage path")

    @property
    def codename(self) -> str:
        """The kind as Paperless's permissions spell it: `documenttype`."""
        return self.replace("_", "")


class NamedObject(PaperlessModel):
    """A tag, correspondent, document type or storage path."""

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
    path: str = ""
    """Storage paths only: the template of file names."""
    matching_algorithm: int | None = None
    """How Paperless assigns it automatically; 0: not at all."""

    @property
    def is_never_assigned(self) -> bool:
        """Return whether Paperless does not assign it automatically."""
        return self.matching_algorithm == 0


class SelectOption(PaperlessModel):
    """One choice of a custom field of type `select`; documents carry its id."""

    id: str
    label: str


def _options(raw: object) -> object:
    # Fields of other types may have [null] here.
    return [option for option in raw if option is not None] if isinstance(raw, list) else ()


class _ExtraData(PaperlessModel):
    """Additional data of a custom field."""

    select_options: Annotated[tuple[SelectOption, ...], BeforeValidator(_options)] = ()
    default_currency: str | None = None


class CustomField(PaperlessModel):
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


class User(PaperlessModel):
    """The user whose token we have."""

    id: int = Field(validation_alias=AliasPath("user", "id"))
    username: str = Field(validation_alias=AliasPath("user", "username"))
    is_superuser: bool = Field(validation_alias=AliasPath("user", "is_superuser"))
    permissions: frozenset[str]
    """Codenames, as in `change_document`; a superuser has them all."""


class Group(PaperlessModel):
    """Users who share their permissions."""

    id: int
    name: str


class Parties(PaperlessModel):
    """The users and groups that have a permission, by their ids."""

    users: frozenset[int] = frozenset()
    groups: frozenset[int] = frozenset()


class Shares(PaperlessModel):
    """Who may see and change an object that has an owner; without one, everybody may."""

    view: Parties = Parties()
    change: Parties = Parties()

    def as_body(self) -> JsonValue:
        return {
            verb: {"users": [*sorted(parties.users)], "groups": [*sorted(parties.groups)]}
            for verb, parties in (("view", self.view), ("change", self.change))
        }


class Rights(PaperlessModel):
    """The owner of an object, and with whom it is shared."""

    owner: int | None = None
    """None: everybody may see and change it."""
    permissions: Shares = Shares()


class Statistics(PaperlessModel):
    """Figures about the documents that the token's user may see."""

    documents_total: int


class Server(PaperlessModel):
    """The Paperless that answered."""

    version: str = Field(validation_alias="x-version")
    api_version: int = Field(validation_alias="x-api-version")
    """The newest API version that it supports."""


def is_tested(version: str) -> bool:
    """Return whether Paperclerk has been tested with this release, in any patch version."""
    release = re.match(r"[0-9]+\.[0-9]+", version)
    return release is not None and release.group() in TESTED_VERSIONS


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


def _as_json(value: object) -> JsonValue:
    match value:
        case date():
            return value.isoformat()
        case tuple():
            return [dict(item) if isinstance(item, Mapping) else item for item in value]
        case str() | int() | None:
            return value
    raise TypeError(f"a patch cannot hold {type(value).__name__}")
