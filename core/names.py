"""What people decided about names, and the names that we made."""

from dataclasses import dataclass
from datetime import datetime

from core.fields import FieldName, Name

NAMED_FIELDS = frozenset({FieldName.CORRESPONDENT, FieldName.DOCUMENT_TYPE, FieldName.TAGS})
"""Fields whose value is a name."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a name is one: an instance, and a field of its documents."""

    instance: str
    field: FieldName


@dataclass(frozen=True, slots=True)
class Meaning:
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
    meaning: Meaning
    decided_by: str
    decided_at: datetime
