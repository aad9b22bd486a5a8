"""Jobs of the queue: kinds, states, events, scopes, and the longest time that a job may wait.

A longer wait was set by a clock that was ahead, and is corrected.
"""

from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import IntEnum, StrEnum

from core.documents import DocumentRef
from core.errors import Problem
from core.messages import Message, message, plain
from core.spending import Consent

ANALYZE = "analyze"
"""Fetch a document, call the model, plan and write."""
DRY_RUN = "rehearse"
"""The same without writing. The document's row does not change."""
APPLY = "apply"
"""Write what a person accepted in review."""
UNDO = "undo"
"""Undo written changes."""

TIMER = "timer"
"""`asked_by` of jobs that a timer enqueued."""
WEBHOOK = "webhook"
"""`asked_by` of jobs that a webhook enqueued."""

MODEL_KINDS = frozenset({ANALYZE, DRY_RUN})
"""Kinds that call the model: an outage of it or a limit stops them, and no others."""

MAX_RECONCILES = 3
"""Maximum number of attempts to check begun changes; after them, the changes are unconfirmed."""
CLOCK_TOLERANCE = timedelta(minutes=1)
"""Differences between clocks up to this are harmless."""
_MAX_RECONCILE_WAIT = timedelta(minutes=10)
"""Maximum delay before an attempt that only checks begun writes, whatever the retry step."""

request_id: ContextVar[str | None] = ContextVar("request_id", default=None)
"""Id of the HTTP request that is being handled; None outside of a request, as in the processor."""


class JobStatus(StrEnum):
    """State of a job."""

    PENDING = "pending"
    PROCESSING = "processing"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"


LIVE = frozenset({JobStatus.PENDING, JobStatus.PROCESSING})
"""States of a job that has not ended."""


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


class Actor(StrEnum):
    """Who caused an event or a cancellation."""

    USER = "user"
    """A person or a program, by pages, API or command line."""
    SYSTEM = "system"
    """A timer, or the recovery after a crash or a wrong clock."""
    WORKER = "worker"
    """The processor, while it works on the job."""


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


MOVES_TO_PENDING = frozenset(
    {
        EventName.ENQUEUED,
        EventName.RETRIED,
        EventName.RELEASED,
        EventName.RECOVERED,
        EventName.RESTARTED,
    }
)
"""Events after which a job waits."""
_STATUS_AFTER = {
    EventName.ENQUEUED: JobStatus.PENDING,
    EventName.CLAIMED: JobStatus.PROCESSING,
    EventName.COMPLETED: JobStatus.COMPLETED,
    EventName.RETRIED: JobStatus.PENDING,
    EventName.RELEASED: JobStatus.PENDING,
    EventName.FAILED: JobStatus.FAILED,
    EventName.CANCELLED: JobStatus.CANCELLED,
    EventName.RECOVERED: JobStatus.PENDING,
    EventName.RESTARTED: JobStatus.PENDING,
    EventName.RECONCILING: JobStatus.PENDING,
    EventName.PULLED_IN: JobStatus.PENDING,
}
"""Status of a job after an event, unless its data name another; the others do not change it."""
_ACTORS = {EventName.RECOVERED: Actor.SYSTEM, EventName.PULLED_IN: Actor.SYSTEM}
_DECISION_UNDONE = message("the decision was undone")


@dataclass(frozen=True, slots=True)
class Cancellation:
    """A cancellation that was requested or carried out."""

    actor: Actor
    by: str = ""
    """The name of who requested it; "" for the worker."""
    why: Message | None = None
    is_undo: bool = False
    """Whether a person undid the decision that the job would have written."""

    @classmethod
    def of_undo(cls, by: str) -> "Cancellation":
        """Build the cancellation of a job whose decision a person undid before it was written."""
        return cls(Actor.USER, by, _DECISION_UNDONE, is_undo=True)

    @classmethod
    def of_user(cls, by: str, why: str = "") -> "Cancellation":
        """Build the cancellation by a person or program; `why` may be empty."""
        return cls(Actor.USER, by, plain(why) if why else None)

    def describe(self) -> Message:
        """Return who requested it and why."""
        if self.why is None:
            return plain(self.by)
        return message("{by}: {why}", by=self.by, why=self.why) if self.by else self.why


@dataclass(frozen=True, slots=True)
class CallProgress:
    """A model call under way, as it was at one of the last heartbeats."""

    started_at: datetime
    tokens: int = 0
    """Approximate number of tokens so far; 0 before the first, and if nothing is streamed."""
    is_thinking: bool = False
    usual_ms: int | None = None
    """How long recent calls of this model took; None if there are too few."""

    def estimate_percent(self, begin: int, end: int, *, now: datetime) -> int:
        """Return how far the call is between two percentages; never beyond the second."""
        if not self.usual_ms:
            return begin
        elapsed_ms = (now - self.started_at).total_seconds() * 1000
        return begin + int((end - begin) * min(1, max(0, elapsed_ms / self.usual_ms)))


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
    cancellation: Cancellation | None = None
    """None if nobody has requested one."""
    ends_as: JobStatus | None = None
    """Final status of a job whose attempts only check the effect of begun changes."""
    reconciles: int = 0
    """Number of such attempts, counted separately from the others."""
    started_at: datetime | None = None
    """Start of the current or latest attempt."""
    updated_at: datetime | None = None
    """When status, stage or progress last changed; None for a finished job of an old version."""
    request_id: str | None = None
    """Id of the HTTP request that enqueued it."""
    model_call: CallProgress | None = None
    """The model call under way."""
    consent: Consent | None = None
    """Of the person who last started it; None: it needed none, or belongs to a scan."""
    pages: int | None = None
    """Of its document; None until it was fetched, or if Paperless does not know them."""
    title: str | None = None
    """Title of the document of a dry run, once fetched; None for other jobs."""
    cancel_requested: Message | None = field(init=False)
    """Who requested the cancellation and why, in words; None if nobody did."""

    def __post_init__(self) -> None:
        words = None if self.cancellation is None else self.cancellation.describe()
        object.__setattr__(self, "cancel_requested", words)

    @property
    def can_be_restarted(self) -> bool:
        """Whether a person can start it again: it has ended, and there is something left to do."""
        is_undone = self.cancellation is not None and self.cancellation.is_undo
        return self.status in {JobStatus.FAILED, JobStatus.CANCELLED} and not is_undone

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
    asked_by: str = TIMER
    max_attempts: int = 3
    payload: Mapping[str, object] = field(default_factory=dict)
    consent: Consent | None = None
    not_before: datetime | None = None
    """When it is due; None: at once."""


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

    @property
    def status(self) -> JobStatus | None:
        """The job's status from this event on; None if the event did not change it."""
        recovered = self.data.get("status")
        return JobStatus(str(recovered)) if recovered else _STATUS_AFTER.get(self.name)

    @property
    def actor(self) -> Actor:
        """Who caused the event."""
        if self.data.get("asked_by") in {TIMER, WEBHOOK}:
            return Actor.SYSTEM
        if self.data.get("by") or self.data.get("asked_by"):
            return Actor.USER
        return _ACTORS.get(self.name, Actor.WORKER)

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


@dataclass(frozen=True, slots=True)
class OverlongWait:
    """A pending job that waits longer than the maximum for its kind."""

    job: Job
    due_at: datetime
    """The latest time at which it should be due."""
    was_pulled_in: bool
    """Whether it was already corrected; a job is corrected only once."""


@dataclass(frozen=True, slots=True)
class WaitSettings:
    """Settings of an instance that let its jobs wait."""

    retry_step: timedelta
    """Delay after the first attempt of a job."""
    min_age: timedelta = timedelta(0)
    """Age of a document at which the job that its webhook enqueued is due."""


WaitsByInstance = Mapping[str, WaitSettings]


def retry_wait(attempts: int, step: timedelta) -> timedelta:
    """Return the usual delay after a number of attempts."""
    return step * max(attempts, 1)


def longest_wait_of(
    job: Job, last_move: EventName | None, settings: WaitSettings, *, longest_hold: timedelta
) -> timedelta:
    """Return the maximum wait of a pending job after its last event.

    A released job waits for the next probe, at most `longest_hold` away. `None` as the event means
    that retention removed it, and the job should not wait any longer.
    """
    if last_move is EventName.RETRIED:
        return max(retry_wait(job.attempts, settings.retry_step), _MAX_RECONCILE_WAIT)
    if last_move is EventName.RELEASED:
        return longest_hold
    if last_move is EventName.ENQUEUED and job.asked_by == WEBHOOK:
        return settings.min_age
    return timedelta(0)


def due_after_pull_in(
    last_move: EventName | None, *, attempts: int, step: timedelta, now: datetime
) -> datetime:
    """Return the corrected due time of a job that waits too long; a retry keeps its delay."""
    return now + retry_wait(attempts, step) if last_move is EventName.RETRIED else now
