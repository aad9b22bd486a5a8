"""Jobs, their states and what happens to them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import IntEnum, StrEnum

from core.documents import DocumentRef
from core.errors import Problem
from core.messages import Message, plain

ANALYZE = "analyze"
"""Fetch a document, ask the model, plan and write."""
DRY_RUN = "rehearse"
"""The same without the write: a dry run. It leaves the document's row as it is."""
APPLY = "apply"
"""Write what a person accepted in review."""
UNDO = "undo"
"""Take written changes back."""

MODEL_KINDS = frozenset({ANALYZE, DRY_RUN})
"""Kinds that a model's outage and a limit stop; the others write what is decided already."""


MAX_RECONCILES = 3
"""Maximum number of attempts to check begun changes; after them, the changes are unconfirmed."""


class JobStatus(StrEnum):
    """Where a job is in its life."""

    PENDING = "pending"
    PROCESSING = "processing"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"


class Stage(StrEnum):
    """Where an attempt is."""

    FETCH = "fetch"
    ANALYZE = "analyze"
    APPLY = "apply"


class Priority(IntEnum):
    """What goes first; within one priority the older job does."""

    BACKLOG = 0
    NEW = 10
    BY_HAND = 20


class EventName(StrEnum):
    """Something that happened to a job. The moves come first, then what happened in between."""

    ENQUEUED = "enqueued"
    CLAIMED = "claimed"
    COMPLETED = "completed"
    RETRIED = "retried"
    RELEASED = "released"
    FAILED = "failed"
    CANCELLED = "cancelled"
    RECOVERED = "recovered"
    RESTARTED = "restarted"
    RECONCILING = "reconciling"
    """The job would have ended, but a write had begun: its effect is checked first."""
    PULLED_IN = "pulled_in"
    CANCEL_REQUESTED = "cancel_requested"
    PROGRESSED = "progressed"
    RESULT_STORED = "result_stored"
    CHANGES_RECORDED = "changes_recorded"
    CHANGES_SETTLED = "changes_settled"


@dataclass(frozen=True, slots=True)
class Job:
    """One document's turn in the queue."""

    id: int
    document: DocumentRef
    kind: str
    status: JobStatus
    priority: int
    claim: int
    """Number of the claim; it never goes down and fences every settle."""
    attempts: int
    max_attempts: int
    scheduled_for: datetime
    created_at: datetime
    asked_by: str
    """Who asked for it: timer, hand (the command line), review, or a person's name."""
    scan_id: int | None = None
    payload: Mapping[str, object] = field(default_factory=dict)
    stage: Stage | None = None
    progress: int = 0
    """Percent, never going down within an attempt."""
    worker: str | None = None
    trace: str | None = None
    """One id per attempt, carried by its events."""
    heartbeat_at: datetime | None = None
    finished_at: datetime | None = None
    problem: Problem | None = None
    cancel_requested: Message | None = None
    """Who asked for the cancel and why; None if nobody did."""
    ends_as: JobStatus | None = None
    """Final status of a job whose attempts only check the effect of begun changes."""
    reconciles: int = 0
    """Number of such attempts, counted separately from the others."""

    @property
    def tries(self) -> int:
        """Number of attempts of the current kind."""
        return self.attempts if self.ends_as is None else self.reconciles

    @property
    def max_tries(self) -> int:
        return self.max_attempts if self.ends_as is None else MAX_RECONCILES


@dataclass(frozen=True, slots=True)
class NewJob:
    """A job to be enqueued."""

    document: DocumentRef
    kind: str = ANALYZE
    priority: int = Priority.NEW
    asked_by: str = "timer"
    max_attempts: int = 3
    payload: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Scope:
    """Which jobs a worker takes; None means any."""

    instances: tuple[str, ...] | None = None
    """Of jobs of equal priority, that of the instance goes first which stands first here."""
    jobs: frozenset[int] | None = None
    kinds: frozenset[str] | None = None


EVERYTHING = Scope()


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened to a job: numbered, never altered."""

    id: int
    job_id: int
    name: EventName
    at: datetime
    trace: str | None
    data: Mapping[str, object]
    messages: Mapping[str, Message] = field(default_factory=dict, metadata={"is_shown": False})
    """Texts of `data` that can be translated, by their keys."""

    def text(self, key: str) -> Message | None:
        """Return a text of `data`; None if there is none."""
        if not self.data.get(key):
            return None
        return self.messages.get(key) or plain(str(self.data[key]))


@dataclass(frozen=True, slots=True)
class JobEvent:
    """An event, with what its job is about: what a follower of all jobs wants to know."""

    event: Event
    document: DocumentRef
    kind: str
