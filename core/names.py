"""What people decided about names, and the names that we made."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from core.documents import DocumentRef
from core.fields import FieldName, Name

NAMED_FIELDS = frozenset({FieldName.CORRESPONDENT, FieldName.DOCUMENT_TYPE, FieldName.TAGS})
"""Fields whose value is a name."""


@dataclass(frozen=True, slots=True)
class NameScope:
    """Where a name is one: an instance, and a field of its documents."""

    instance: str
    field: FieldName


@dataclass(frozen=True, slots=True)
class NameFilter:
    """Where a name is meant, as far as it was said; None means anywhere."""

    instance: str | None = None
    field: FieldName | None = None

    def covers(self, place: NameScope) -> bool:
        return self.instance in {None, place.instance} and self.field in {None, place.field}


@dataclass(frozen=True, slots=True)
class AliasRule:
    """What a spelling of a name means by a person's word."""

    field: FieldName
    key: str
    """What all spellings share that are the same to a person."""
    spelling: str
    """As it was suggested."""
    target: Name | None
    """The name that is meant; None: it is never to be suggested."""


@dataclass(frozen=True, slots=True)
class Alias:
    """A meaning that is remembered for one instance."""

    instance: str
    meaning: AliasRule
    decided_by: str
    decided_at: datetime


class NameOwner(StrEnum):
    """Who owns the names that we make."""

    NOBODY = "nobody"
    """Everybody sees them."""
    ME = "me"
    """The user of the token: others see them only if they are shared."""


@dataclass(frozen=True, slots=True)
class WantedName:
    """A name that a change needs and that does not exist."""

    field: FieldName
    key: str
    name: str
    change_id: int


@dataclass(frozen=True, slots=True)
class NameReservation:
    """The right to make a name, which one job has at a time."""

    id: int
    is_inherited: bool
    """A job that came to nothing had it before: it may have made the name."""


@dataclass(frozen=True, slots=True)
class CreatedName:
    """A name that we made, or were about to."""

    id: int
    field: FieldName
    name: str
    name_id: int | None
    """Its number in Paperless; None: nobody knows whether it was made."""
    document: DocumentRef
    """The one that it was made for."""
    change_id: int
    job_id: int
    intended_at: datetime
    made_at: datetime | None
    removed_at: datetime | None


class KeepReason(StrEnum):
    """Why a name that we made is not to be removed."""

    IN_USE = "in_use"
    RENAMED = "renamed"
    HAS_RULES = "has_rules"
    IS_PARENT = "is_parent"
    IN_SETTINGS = "in_settings"
    HAS_ALIAS = "has_alias"
    WAITS = "waits"
