"""Suggestions, changes and the plan that leads from one to the other."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from core.documents import DocumentRef
from core.fields import FieldName, Value


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A proposed value for one field, as the model gave it. Each tag is a suggestion of its own."""

    field: FieldName
    value: str
    evidence: str
    confidence: float


class ChangeState(StrEnum):
    """The life of a change."""

    PROPOSED = "proposed"
    INTENDED = "intended"
    APPLIED = "applied"
    REJECTED = "rejected"
    CONFLICT = "conflict"
    OVERRIDDEN = "overridden"
    UNDONE = "undone"


WAITING = frozenset({ChangeState.PROPOSED, ChangeState.CONFLICT})
"""States in which a change waits for a person."""


@dataclass(frozen=True, slots=True)
class PlannedChange:
    """A change that is not stored yet. A tag is added by None -> Name and removed by Name -> None."""

    field: FieldName
    before: Value
    after: Value
    evidence: str = ""
    confidence: float = 1.0
    reasons: tuple[str, ...] = ()
    """Why a person must look, or why it is left; empty for what is written at once."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The changes for one document: to write now, to put before a person, to leave."""

    now: tuple[PlannedChange, ...] = ()
    review: tuple[PlannedChange, ...] = ()
    leave: tuple[PlannedChange, ...] = ()


@dataclass(frozen=True, slots=True)
class Change:
    """One field of one document, before -> after, with its own life."""

    id: int
    document: DocumentRef
    job_id: int
    field: FieldName
    before: Value
    after: Value
    state: ChangeState
    evidence: str
    confidence: float
    reasons: tuple[str, ...]
    found: Value
    """What Paperless had instead, for conflict and overridden; None otherwise."""
    decided_by: str
    """`rule` when the settings allowed the write, else who decided."""
    created_at: datetime
    settled_at: datetime | None
