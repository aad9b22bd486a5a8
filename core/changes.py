"""Suggestions, changes and the plan that leads from one to the other."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum, StrEnum
from typing import Final, Literal

from core.documents import DocumentRef
from core.fields import Field, FieldName, Name, Value, is_same_value
from core.names import AliasRule


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A proposed value for one field, as the model gave it. Each tag is a suggestion of its own."""

    field: Field
    value: str
    evidence: str
    confidence: float


@dataclass(frozen=True, slots=True)
class CheckResult:
    """A check that was made of a suggestion, and how it ended."""

    check: str
    failure: str = ""
    """What it found to doubt; empty: it passed."""


class ChangeState(StrEnum):
    """The life of a change."""

    PROPOSED = "proposed"
    INTENDED = "intended"
    APPLIED = "applied"
    REJECTED = "rejected"
    CONFLICT = "conflict"
    OVERRIDDEN = "overridden"
    UNCONFIRMED = "unconfirmed"
    """Its write or undo was sent, but the effect could not be read back."""
    UNDONE = "undone"


RULE = "rule"
"""Who decided when the settings allowed the write."""
SUPERSEDED = "superseded"
"""Who decided when a later analysis of the same document made the question moot."""
VANISHED = "vanished"
"""Who decided when the document is gone from Paperless."""
UNWRITTEN = "unwritten"
"""Who decided when its job ended without having written it."""
SYSTEM_ACTORS = frozenset({RULE, SUPERSEDED, VANISHED, UNWRITTEN})
"""Who decides about changes beside people."""


def is_system_actor(name: str) -> bool:
    """Return whether a name stands for what decides beside people."""
    return name.casefold() in SYSTEM_ACTORS


def as_person_name(name: str) -> str:
    """Return by which name the decisions of a person are kept.

    A proxy may name its users as it likes, also like what is no person.
    """
    return f"{name} (person)" if is_system_actor(name) else name


WAITING = frozenset({ChangeState.PROPOSED, ChangeState.CONFLICT})
"""States in which a change waits for a person."""
LATE_WRITE = timedelta(minutes=4)
"""How long Paperless may take to carry out a write after the client has stopped waiting.

It is shorter than the usual delay before a retry, so that a retry finds the final state.
"""
UNDOABLE = frozenset({ChangeState.APPLIED, ChangeState.UNCONFIRMED})
"""States in which Paperless has, or may have, the value of a change."""


@dataclass(frozen=True, slots=True)
class PlannedChange:
    """A change that is not stored yet.

    A tag is added by None -> Name and removed by Name -> None.
    """

    field: Field
    before: Value
    after: Value
    evidence: str = ""
    confidence: float = 1.0
    reasons: tuple[str, ...] = ()
    """Why a person must look, or why it is left; empty for what is written at once."""
    similar: tuple[str, ...] = ()
    """Names in use that a new name may stand for."""
    checks: tuple[CheckResult, ...] = ()
    """The checks that were made of it; none of what no model suggested."""


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
    field: Field
    before: Value
    after: Value
    state: ChangeState
    evidence: str
    confidence: float
    reasons: tuple[str, ...]
    found: Value
    """What Paperless had instead, for conflict and overridden; None otherwise."""
    decided_by: str
    """A person's name, or one of `NO_PERSON`; "" while nobody has decided."""
    created_at: datetime
    settled_at: datetime | None
    similar: tuple[str, ...] = ()
    """Names in use that a new name may stand for."""
    why: str = ""
    """A person's own word about why it was rejected."""
    apply_job_id: int | None = None
    """The job that writes it, if it was accepted in review."""
    write_begun_at: datetime | None = None
    """Set just before its write is sent; None once the effect is known."""
    undo_begun_at: datetime | None = None
    """The same for its undo."""
    undone_at: datetime | None = None
    undone_by: str | None = None
    changed_seen_at: datetime | None = None
    """When a scan detected that someone changed our value; None while it is unchanged."""
    changed_to: Value = None
    """The value it was changed to."""

    @property
    def has_begun(self) -> bool:
        """Whether its write or undo was sent and the effect is not known yet."""
        return self.begun_at is not None

    @property
    def begun_at(self) -> datetime | None:
        """When its write or undo was sent; None if nothing was, or once the effect is known."""
        return self.write_begun_at or self.undo_begun_at

    def may_take_effect_late(self, now: datetime, within: timedelta = LATE_WRITE) -> bool:
        """Return whether its write or undo was sent so recently that it may still be carried out.

        A clock that was set back must not make it recent for longer than that.
        """
        return self.begun_at is not None and abs(now - self.begun_at) < within

    @property
    def is_changed_since(self) -> bool:
        """Whether a scan detected that someone changed the written value."""
        return self.state is ChangeState.APPLIED and self.changed_seen_at is not None

    @property
    def last_event_at(self) -> datetime | None:
        """When it was undone or, if it was not, when it was settled."""
        return self.undone_at or self.settled_at


def has_no_suggestion(change: Change | PlannedChange) -> bool:
    """Return whether a change only puts a document before a person: its value is as it was."""
    return change.field is not FieldName.TAGS and is_same_value(change.before, change.after)


def name_given_by(change: Change) -> tuple[FieldName, Name] | None:
    """Return the field and the name that a change gives to it; None if its value is no name."""
    if isinstance(change.field, FieldName) and isinstance(change.after, Name):
        return change.field, change.after
    return None


class Keep(Enum):
    """Say that a stored value stays as it is; None cannot, it means empty."""

    KEEP = "keep"


KEEP: Final = Keep.KEEP


@dataclass(frozen=True, slots=True)
class ChangeOutcome:
    """What became of one change when it was carried out or taken back."""

    change_id: int
    state: ChangeState
    found: Value = None
    """What Paperless had instead, for conflict and overridden."""
    after: Value | Literal[Keep.KEEP] = KEEP
    """The value with its id, when a name was created for it."""


@dataclass(frozen=True, slots=True)
class SeenChange:
    """The value that a scan found in Paperless for a written change."""

    change_id: int
    found: Value
    is_ours: bool
    """Whether it is the value that was written."""


@dataclass(frozen=True, slots=True)
class AcceptedChange:
    """A waiting change that a person wants written, perhaps with another value."""

    change_id: int
    after: Value
    seen: Value
    """What Paperless had when the person decided; it becomes the change's `before`."""
    is_edited: bool = False
    """Whether the person gave the value: then no quote and no doubt of the suggestion is its."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What a person decided about one document, all of it or nothing of it."""

    accept: tuple[AcceptedChange, ...] = ()
    reject: tuple[int, ...] = ()
    """Ids of waiting changes."""
    unchanged: tuple[int, ...] = ()
    """Ids of those that are accepted just as Paperless has them: there is nothing to write."""
    add: tuple[PlannedChange, ...] = ()
    """What the person wants written beyond the suggestions."""
    remember: tuple[AliasRule, ...] = ()
    """What names mean from now on."""
    why: str = ""
    """The person's own word about why something is rejected."""

    @property
    def is_empty(self) -> bool:
        decided = self.accept or self.reject or self.unchanged
        return not (decided or self.add or self.remember)

    @property
    def new_names(self) -> tuple[str, ...]:
        """The names that do not exist yet and are made with what is accepted, each once."""
        wanted = [*(one.after for one in self.accept), *(one.after for one in self.add)]
        new = (one.name for one in wanted if isinstance(one, Name) and one.id is None)
        return tuple(dict.fromkeys(new))


@dataclass(frozen=True, slots=True)
class RevisedChange:
    """A waiting change that goes on waiting, with another value or with fewer reasons."""

    change_id: int
    after: Value
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ChangeFilter:
    """What changes that were written have in common; None means any."""

    since: datetime | None = None
    """Written at this time or later."""
    until: datetime | None = None
    """Written before this time."""
    model: str | None = None
    prompt_version: str | None = None
    instance: str | None = None
