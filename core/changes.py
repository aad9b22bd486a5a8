"""Suggestions, planned changes, stored changes and decisions about them."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum, StrEnum
from typing import Final, Literal

from core.documents import DocumentRef
from core.fields import Field, FieldName, Name, Value, is_same_value
from core.names import AliasRule


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A value for one field as the model suggested it. Each tag is a separate suggestion."""

    field: Field
    value: str
    evidence: str
    confidence: float


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The result of one check."""

    check: str
    failure: str = ""
    """Code of the failure; empty: it passed."""


class ChangeState(StrEnum):
    """State of a change."""

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
"""Actor of a write that the settings allow."""
SUPERSEDED = "superseded"
"""Actor of a rejection because of a later analysis of the document."""
VANISHED = "vanished"
"""Actor of a rejection because the document is gone from Paperless."""
UNWRITTEN = "unwritten"
"""Actor of a rejection because its job ended without writing it."""
SYSTEM_ACTORS = frozenset({RULE, SUPERSEDED, VANISHED, UNWRITTEN})
"""Values of `decided_by` that are not persons."""


def is_system_actor(name: str) -> bool:
    """Return whether a name is one of the system actors, in any case."""
    return name.casefold() in SYSTEM_ACTORS


def as_person_name(name: str) -> str:
    """Return the name under which a person's decisions are stored.

    A proxy may have a user whose name is that of a system actor.
    """
    return f"{name} (person)" if is_system_actor(name) else name


WAITING = frozenset({ChangeState.PROPOSED, ChangeState.CONFLICT})
"""States in which a change waits for review."""
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
    """Why it needs a review or is left out; empty if it is written at once."""
    similar: tuple[str, ...] = ()
    """Names in use that a new name may mean."""
    checks: tuple[CheckResult, ...] = ()
    """Results of its checks; empty if no model suggested it."""
    pattern: str = ""
    """What is open of the pattern that made a title; "" if none did."""
    e_invoice: Value = None
    """The value that the e-invoice inside the document has for this field."""
    is_evidence_found: bool = False
    """Whether Paperclerk found the evidence: the model's own quote does not show the value."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The changes for one document: to write now, to review, to leave out."""

    now: tuple[PlannedChange, ...] = ()
    review: tuple[PlannedChange, ...] = ()
    leave: tuple[PlannedChange, ...] = ()


@dataclass(frozen=True, slots=True)
class PlannedSuggestion:
    """A suggestion of the model in a stored plan, with its checks."""

    field: Field
    value: Value
    is_left_out: bool
    reasons: tuple[str, ...]
    """Why it was left out, or is for review."""
    checks: tuple[CheckResult, ...] = ()
    before: Value = None
    """The document's value before the change."""
    is_for_review: bool = False

    @property
    def change(self) -> PlannedChange:
        """Return the change that the suggestion makes."""
        return PlannedChange(self.field, self.before, self.value, reasons=self.reasons)


@dataclass(frozen=True, slots=True)
class AutomaticValue:
    """A value written automatically that is, or may be, in Paperless."""

    document: DocumentRef
    field: Field
    after: Value


@dataclass(frozen=True, slots=True)
class Change:
    """A stored change of one field of one document, with its state."""

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
    """A person's name, or one of `SYSTEM_ACTORS`; "" while it is undecided."""
    created_at: datetime
    settled_at: datetime | None
    similar: tuple[str, ...] = ()
    """Names in use that a new name may mean."""
    why: str = ""
    """The person's reason for the rejection."""
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
    pattern: str = ""
    """What is open of the pattern that made a title; "" if none did."""
    e_invoice: Value = None
    """The value that the e-invoice inside the document has for this field."""
    is_evidence_found: bool = False
    """Whether Paperclerk found the evidence: the model's own quote does not show the value."""
    is_edited: bool = False
    """Whether a person replaced the suggested value."""

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
    def can_undo(self) -> bool:
        """Whether it was written, as far as we know, and not undone since."""
        return self.state in UNDOABLE

    @property
    def last_event_at(self) -> datetime | None:
        """When it was undone or, if it was not, when it was settled."""
        return self.undone_at or self.settled_at


def has_no_suggestion(change: Change | PlannedChange) -> bool:
    """Return whether a change only asks for a review: it does not change the value."""
    return change.field is not FieldName.TAGS and is_same_value(change.before, change.after)


def name_given_by(change: Change) -> tuple[FieldName, Name] | None:
    """Return the field and the name that a change sets; None if its value is not a name."""
    if isinstance(change.field, FieldName) and isinstance(change.after, Name):
        return change.field, change.after
    return None


class Keep(Enum):
    """Marks a stored value that does not change; None would mean empty."""

    KEEP = "keep"


KEEP: Final = Keep.KEEP


@dataclass(frozen=True, slots=True)
class ChangeOutcome:
    """The result of writing or undoing one change."""

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
    """Whether the person edited the value: then evidence and checks no longer apply."""


class FilingOutcome(StrEnum):
    """How the suggestions for a document ended, as statistics count it."""

    AUTOMATIC = "automatic"
    """Written without a person."""
    ACCEPTED = "accepted"
    """A person accepted all of them unchanged."""
    EDITED = "edited"
    """A person accepted some, or others than suggested."""
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True)
class Decision:
    """A person's decisions about one document, stored together or not at all."""

    accept: tuple[AcceptedChange, ...] = ()
    reject: tuple[int, ...] = ()
    """Ids of waiting changes."""
    unchanged: tuple[int, ...] = ()
    """Ids of those accepted with the value that Paperless has: nothing is written."""
    add: tuple[PlannedChange, ...] = ()
    """Changes that the person added to the suggestions."""
    remember: tuple[AliasRule, ...] = ()
    """Aliases to store."""
    why: str = ""
    """The person's reason for rejections."""

    @property
    def is_empty(self) -> bool:
        decided = self.accept or self.reject or self.unchanged
        return not (decided or self.add or self.remember)

    @property
    def outcome(self) -> FilingOutcome:
        """Return how the document is counted in statistics."""
        if not (self.accept or self.unchanged or self.add):
            return FilingOutcome.REJECTED
        is_edited = any(accepted.is_edited for accepted in self.accept)
        if self.reject or self.add or is_edited:
            return FilingOutcome.EDITED
        return FilingOutcome.ACCEPTED

    @property
    def new_names(self) -> tuple[str, ...]:
        """Return the accepted names that do not exist yet, each once."""
        values = [change.after for change in self.accept]
        values += [change.after for change in self.add]
        new = (value.name for value in values if isinstance(value, Name) and value.id is None)
        return tuple(dict.fromkeys(new))


@dataclass(frozen=True, slots=True)
class RevisedChange:
    """A change that stays in review with another value or fewer reasons."""

    change_id: int
    after: Value
    reasons: tuple[str, ...]
    pattern: str = ""


@dataclass(frozen=True, slots=True)
class ChangeFilter:
    """Filter of written changes; None means any."""

    since: datetime | None = None
    """Written at this time or later."""
    until: datetime | None = None
    """Written before this time."""
    model: str | None = None
    prompt_version: str | None = None
    instance: str | None = None
