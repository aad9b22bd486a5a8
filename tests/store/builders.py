"""Build values with defaults, and do the first steps of most tests."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from core.analysis import Analysis, ModelCall
from core.changes import Change, ChangeOutcome, ChangeState, Plan, PlannedChange, Suggestion
from core.documents import DocumentRef
from core.errors import Problem
from core.fields import Field, FieldName, Name, Value
from core.jobs import ANALYZE, Job, NewJob, Priority
from core.messages import plain
from core.spending import SpendingLimits
from store import Store

HOME_7 = DocumentRef("home", 7)
HOME_8 = DocumentRef("home", 8)
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
PROBLEM = Problem(
    "answer_unusable", plain("no JSON in the answer"), "The model's answer was no use."
)
STROM = Name(3, "Strom")


class FakeClock:
    """A clock that moves only when a test moves it, or lets it tick."""

    def __init__(self, start: datetime = NOON) -> None:
        self._now = start
        self._tick = timedelta()

    def __call__(self) -> datetime:
        self._now += self._tick
        return self._now

    def tick(self, **parts: float) -> None:
        """Advance by this much at each reading of the clock; without arguments, stop advancing."""
        self._tick = timedelta(**parts)

    def advance(self, **parts: float) -> datetime:
        self._now += timedelta(**parts)
        return self._now


def a_new_job(
    document: DocumentRef = HOME_7,
    *,
    kind: str = ANALYZE,
    priority: int = Priority.NEW,
    asked_by: str = "timer",
    max_attempts: int = 3,
) -> NewJob:
    return NewJob(document, kind, priority, asked_by, max_attempts)


async def enqueue_job(
    store: Store,
    clock: FakeClock,
    document: DocumentRef = HOME_7,
    *,
    kind: str = ANALYZE,
    priority: int = Priority.NEW,
    max_attempts: int = 3,
) -> Job:
    new = a_new_job(document, kind=kind, priority=priority, max_attempts=max_attempts)
    job = await store.jobs.enqueue(new, now=clock())
    assert job is not None
    return job


async def claim(store: Store, clock: FakeClock, *, worker: str = "worker") -> Job:
    job = await store.jobs.claim(worker=worker, now=clock())
    assert job is not None
    return job


async def enqueue_and_claim(
    store: Store,
    clock: FakeClock,
    document: DocumentRef = HOME_7,
    *,
    kind: str = ANALYZE,
    max_attempts: int = 3,
) -> Job:
    """Enqueue a job and claim it; nothing else may be due."""
    await enqueue_job(store, clock, document, kind=kind, max_attempts=max_attempts)
    return await claim(store, clock)


async def next_due(store: Store) -> datetime | None:
    """Return when the first claimable job is due."""
    return await store.jobs.next_due_after(datetime(1970, 1, 1, tzinfo=UTC))


async def record_call(store: Store, call: ModelCall, *, instance: str, job_id: int | None) -> None:
    """Record a finished model call, without limits."""
    number = await store.calls.reserve(
        call,
        instance=instance,
        job_id=job_id,
        limits=SpendingLimits(),
        day_start=call.at,
        month_start=call.at,
    )
    await store.calls.finish(number, call)


async def event_names(store: Store, job: Job) -> list[str]:
    """Return the names of a job's events, oldest first."""
    return [event.name.value for event in await store.jobs.list_events(job.id)]


def an_analysis(
    *,
    content_hash: str = "hash",
    prompt_version: str = "prompt",
    model: str = "gemma",
    title: str = "Stromrechnung",
) -> Analysis:
    suggestion = Suggestion(FieldName.TITLE, title, "Ihre Stromrechnung", 0.9)
    return Analysis((suggestion,), model, prompt_version, content_hash, 900, 80)


def a_planned_change(
    field: Field = FieldName.TITLE,
    before: Value = "scan_0001",
    after: Value = "Stromrechnung",
    reasons: Sequence[str] = (),
) -> PlannedChange:
    return PlannedChange(field, before, after, "Ihre Stromrechnung", 0.9, tuple(reasons))


def a_tag_to_review() -> PlannedChange:
    return a_planned_change(FieldName.TAGS, None, STROM, ("new_name",))


def a_plan() -> Plan:
    """Build a plan with one change to write, one for review and one to leave out."""
    left = a_planned_change(FieldName.DATE, None, None, ("already_so",))
    return Plan(now=(a_planned_change(),), review=(a_tag_to_review(),), leave=(left,))


async def record_a_plan(
    store: Store, clock: FakeClock, document: DocumentRef = HOME_7
) -> tuple[Job, Change, Change]:
    """Return a claimed job whose plan has one change to write and one for review."""
    job = await enqueue_and_claim(store, clock, document)
    now, review = await store.changes.record_plan(job, a_plan(), made_from="plan", now=clock())
    return job, now, review


async def settle_as(
    store: Store, job: Job, clock: FakeClock, change: Change, state: ChangeState
) -> Change:
    """Return the change after the job settled it in this state."""
    (settled,) = await store.changes.settle(job, [ChangeOutcome(change.id, state)], now=clock())
    return settled
