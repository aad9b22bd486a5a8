"""Names of tags, correspondents and the like: aliases, policies and created names."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from core.documents import DocumentRef
from core.fields import FieldName, Name


@dataclass(frozen=True, slots=True)
class NameScope:
    """The scope of a name: an instance and a field."""

    instance: str
    field: FieldName


@dataclass(frozen=True, slots=True)
class NameFilter:
    """Filter by instance and field; None means any."""

    instance: str | None = None
    field: FieldName | None = None

    def covers(self, place: NameScope) -> bool:
        return self.instance in {None, place.instance} and self.field in {None, place.field}


@dataclass(frozen=True, slots=True)
class AliasRule:
    """A person's decision about a spelling of a name."""

    field: FieldName
    key: str
    """Key that equivalent spellings share."""
    spelling: str
    """The spelling as suggested."""
    target: Name | None
    """The name to use; None: never suggest it."""


@dataclass(frozen=True, slots=True)
class Alias:
    """A stored alias rule of one instance."""

    instance: str
    meaning: AliasRule
    decided_by: str
    decided_at: datetime


class NameOwner(StrEnum):
    """Who owns the names that we create."""

    NOBODY = "nobody"
    """Visible to everybody."""
    ME = "me"
    """The user of the token; visible to others only if shared."""
    DOCUMENT = "document"
    """The owner of the document that it is created for, shared with the document's groups."""


@dataclass(frozen=True, slots=True)
class WantedName:
    """A name that a change needs and that does not exist yet."""

    field: FieldName
    key: str
    name: str
    change_id: int


@dataclass(frozen=True, slots=True)
class NameReservation:
    """The right to create a name, which one job has at a time."""

    id: int
    is_inherited: bool
    """Whether a failed job had it before and may have created the name."""


@dataclass(frozen=True, slots=True)
class CreatedName:
    """A name that we created, or intended to create."""

    id: int
    field: FieldName
    name: str
    name_id: int | None
    """Its id in Paperless; None if it is unknown whether it was created."""
    document: DocumentRef
    """The document that it was created for."""
    change_id: int
    job_id: int
    intended_at: datetime
    made_at: datetime | None
    removed_at: datetime | None


class KeepReason(StrEnum):
    """Why a name that we created is not removed."""

    IN_USE = "in_use"
    RENAMED = "renamed"
    HAS_RULES = "has_rules"
    IS_PARENT = "is_parent"
    IN_SETTINGS = "in_settings"
    HAS_ALIAS = "has_alias"
    WAITS = "waits"
