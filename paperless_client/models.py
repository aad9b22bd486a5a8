"""Objects of the Paperless API: immutable, unknown keys are ignored."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated, Generic, TypeVar

from pydantic import (
    AliasPath,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    JsonValue,
)

from core.messages import Message, message

T = TypeVar("T")


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


@dataclass(frozen=True, slots=True)
class Thumbnail:
    """The thumbnail of a document."""

    content: bytes = field(repr=False)
    content_type: str


@dataclass(frozen=True, slots=True)
class FileStream:
    """The file of a document, which is read piece by piece."""

    content_type: str
    size: int | None
    """Bytes of the whole file; None if Paperless does not say."""
    start: int
    """The position of the first byte that is read."""
    has_ranges: bool
    """Whether Paperless can start at another position."""
    pieces: AsyncIterator[bytes] = field(repr=False)
