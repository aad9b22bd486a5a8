"""Jobs of the queue: kinds, states and events."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import IntEnum, StrEnum

from core.documents import DocumentRef
from core.errors import Problem
from core.messages import Message, plain

ANALYZE = "analyze"
"""Fetch a document, call the model, plan and write."""
DRY_RUN = "rehearse"
"""The same without writing. The document's row does not change."""
APPLY = "apply"
"""Write what a person accepted in review."""
UNDO = "undo"
"""Undo written changes."""

MODEL_KINDS = frozenset({ANALYZE, DRY_RUN})
"""Kinds that call the model: an outage of it or a limit stops them, and no others."""


MAX_RECONCILES = 3
"""Maximum number of attempts to check begun changes; after them, the changes are unconfirmed."""


class JobStatus(StrEnum):
    """State of a job."""

    PENDING = "pending"
    PROCESSING = "processing"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"


class Stage(StrEnum):
    """Stage of an attempt."""

    FETCH = "fetch"
    ANALYZE = "analyze"
    APPLY = "apply"


class Priority(IntEnum):
    """Order in the queue; jobs of one priority run by age."""

    BACKLOG = 0
    NEW = 10
    BY_HAND = 20


class EventName(StrEnum):
    """Name of an event: first the changes of state, then what happens in between."""

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
    """One task about one document in the queue."""

    id: int
    document: DocumentRef
    kind: str
    status: JobStatus
    priority: int
    claim: int
    """Number of the claim; it only increases, and a settle must have the current one."""
    attempts: int
    max_attempts: int
    scheduled_for: datetime
    created_at: datetime
    asked_by: str
    """Origin: timer, hand (the command line), review, or a person's name."""
    scan_id: int | None = None
    payload: Mapping[str, object] = field(default_factory=dict)
    stage: Stage | None = None
    progress: int = 0
    """Percent; it only increases within an attempt."""
    worker: str | None = None
    trace: str | None = None
    """Id of the attempt, which its events have too."""
    heartbeat_at: datetime | None = None
    finished_at: datetime | None = None
    problem: Problem | None = None
    cancel_requested: Message | None = None
    """Who requested the cancellation and why; None if nobody did."""
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
    """Instances in order of preference among jobs of equal priority."""
    jobs: frozenset[int] | None = None
    kinds: frozenset[str] | None = None


EVERYTHING = Scope()


@dataclass(frozen=True, slots=True)
class Event:
    """One entry in the timeline of a job; it never changes."""

    id: int
    job_id: int
    name: EventName
    at: datetime
    trace: str | None
    data: Mapping[str, object]
    messages: Mapping[str, Message] = field(default_factory=dict, metadata={"is_shown": False})
    """Texts of `data` that can be translated, by key."""

    def text(self, key: str) -> Message | None:
        """Return a text of `data`; None if there is none."""
        if not self.data.get(key):
            return None
        return self.messages.get(key) or plain(str(self.data[key]))


@dataclass(frozen=True, slots=True)
class JobEvent:
    """An event with the document and kind of its job."""

    event: Event
    document: DocumentRef
    kind: str
