"""Claiming: what goes first, what waits, and what a claim leaves on the job."""

from datetime import timedelta

import pytest

from core.documents import DocumentRef
from core.jobs import (
    ANALYZE,
    APPLY,
    DRY_RUN,
    UNDO,
    CallProgress,
    EventName,
    JobStatus,
    Priority,
    Scope,
    Stage,
)
from core.messages import plain
from store import ClaimLost, Store
from tests.store.builders import (
    HOME_7,
    HOME_8,
    PROBLEM,
    FakeClock,
    a_new_job,
    claim,
    enqueue_and_claim,
    enqueue_job,
    event_names,
    next_due,
)


async def test_a_claim_counts_the_attempt_and_leaves_its_mark(
    store: Store, clock: FakeClock
) -> None:
    await enqueue_job(store, clock)
    clock.advance(microseconds=7)

    job = await claim(store, clock, worker="vm")

    assert job.status is JobStatus.PROCESSING
    assert (job.claim, job.attempts, job.worker) == (1, 1, "vm")
    assert job.heartbeat_at == clock()
    assert job.trace is not None
    assert await store.jobs.get(job.id) == job


async def test_nothing_is_claimed_from_an_empty_queue(store: Store, clock: FakeClock) -> None:
    assert await store.jobs.claim(worker="worker", now=clock()) is None


async def test_a_job_is_claimed_once(store: Store, clock: FakeClock) -> None:
    await enqueue_and_claim(store, clock)

    assert await store.jobs.claim(worker="other", now=clock()) is None


async def test_higher_priority_goes_first_and_then_the_older(
    store: Store, clock: FakeClock
) -> None:
    backlog = await enqueue_job(store, clock, DocumentRef("home", 1), priority=Priority.BACKLOG)
    new = await enqueue_job(store, clock, DocumentRef("home", 2), priority=Priority.NEW)
    newer = await enqueue_job(store, clock, DocumentRef("home", 3), priority=Priority.NEW)
    by_hand = await enqueue_job(store, clock, DocumentRef("home", 4), priority=Priority.BY_HAND)

    taken = [(await claim(store, clock)).id for _ in range(4)]

    assert taken == [by_hand.id, new.id, newer.id, backlog.id]


async def test_a_job_is_due_at_its_time_and_not_before(store: Store, clock: FakeClock) -> None:
    await enqueue_job(store, clock)
    too_early = clock() - timedelta(microseconds=1)

    assert await store.jobs.claim(worker="worker", now=too_early) is None
    assert await store.jobs.claim(worker="worker", now=clock()) is not None


async def test_a_job_that_is_not_due_does_not_hold_up_a_lesser_one(
    store: Store, clock: FakeClock
) -> None:
    later = clock() + timedelta(minutes=5)
    await store.jobs.enqueue(a_new_job(HOME_7, priority=Priority.BY_HAND), now=later)
    due = await enqueue_job(store, clock, HOME_8, priority=Priority.BACKLOG)

    job = await claim(store, clock)

    assert job.id == due.id


async def test_a_document_is_processed_by_one_worker_at_a_time(
    store: Store, clock: FakeClock
) -> None:
    analysis = await enqueue_and_claim(store, clock)
    apply = await enqueue_job(store, clock, kind=APPLY, priority=Priority.BY_HAND)
    assert await store.jobs.claim(worker="worker", now=clock()) is None

    await store.jobs.succeed(analysis, now=clock())

    assert (await claim(store, clock)).id == apply.id


async def test_another_document_may_be_claimed_beside_it(store: Store, clock: FakeClock) -> None:
    await enqueue_and_claim(store, clock, HOME_7)
    await enqueue_job(store, clock, HOME_7, kind=APPLY, priority=Priority.BY_HAND)
    beside = await enqueue_job(store, clock, HOME_8, priority=Priority.BACKLOG)

    assert (await claim(store, clock)).id == beside.id


async def test_a_worker_takes_only_what_is_in_its_scope(store: Store, clock: FakeClock) -> None:
    await enqueue_job(store, clock, HOME_7, priority=Priority.BY_HAND)
    office = await enqueue_job(store, clock, DocumentRef("office", 7))
    wanted = await enqueue_job(store, clock, HOME_8, priority=Priority.BACKLOG)

    async def claim_within(scope: Scope) -> int | None:
        job = await store.jobs.claim(worker="worker", now=clock(), scope=scope)
        return None if job is None else job.id

    assert await claim_within(Scope(instances=())) is None
    assert await claim_within(Scope(("home",), frozenset({office.id}))) is None
    assert await claim_within(Scope(kinds=frozenset({DRY_RUN}))) is None
    assert await claim_within(Scope(jobs=frozenset({wanted.id}))) == wanted.id
    assert await claim_within(Scope(instances=("office",))) == office.id


async def test_each_claim_has_its_own_number_and_trace(store: Store, clock: FakeClock) -> None:
    first = await enqueue_and_claim(store, clock)
    await store.jobs.release(first, plain("the daemon stops"), now=clock())

    second = await claim(store, clock)

    assert (second.claim, second.attempts) == (2, 1)
    assert second.trace != first.trace


async def test_a_new_attempt_begins_at_nothing(store: Store, clock: FakeClock) -> None:
    first = await enqueue_and_claim(store, clock)
    await store.jobs.record_progress(first, Stage.ANALYZE, 60, now=clock())
    await store.jobs.retry(first, PROBLEM, at=clock(), now=clock())

    second = await claim(store, clock)

    assert (second.stage, second.progress) == (None, 0)


async def test_events_of_an_attempt_carry_its_trace(store: Store, clock: FakeClock) -> None:
    job = await enqueue_and_claim(store, clock)
    await store.jobs.succeed(job, now=clock())

    traces = {event.name: event.trace for event in await store.jobs.list_events(job.id)}

    assert traces == {
        EventName.ENQUEUED: None,
        EventName.CLAIMED: job.trace,
        EventName.COMPLETED: job.trace,
    }


async def test_a_heartbeat_is_kept_and_is_no_event(store: Store, clock: FakeClock) -> None:
    job = await enqueue_and_claim(store, clock)

    alive = await store.jobs.heartbeat(job, now=clock.advance(seconds=15))

    assert alive.heartbeat_at == clock()
    assert await event_names(store, job) == ["enqueued", "claimed"]


async def test_a_heartbeat_shows_that_a_cancel_was_asked_for(
    store: Store, clock: FakeClock
) -> None:
    job = await enqueue_and_claim(store, clock)
    await store.jobs.cancel(job.id, by="anna", now=clock())

    alive = await store.jobs.heartbeat(job, now=clock())

    assert str(alive.cancel_requested) == "anna"


async def test_progress_never_goes_down_within_an_attempt(store: Store, clock: FakeClock) -> None:
    job = await enqueue_and_claim(store, clock)
    await store.jobs.record_progress(job, Stage.ANALYZE, 40, now=clock())

    after = await store.jobs.record_progress(job, Stage.APPLY, 20, now=clock.advance(seconds=1))

    assert (after.stage, after.progress) == (Stage.APPLY, 40)
    assert after.heartbeat_at == clock()


async def test_each_step_is_an_event_and_no_step_is_none(store: Store, clock: FakeClock) -> None:
    job = await enqueue_and_claim(store, clock)

    for stage, percent in [(Stage.FETCH, 0), (Stage.FETCH, 10), (Stage.FETCH, 5)]:
        await store.jobs.record_progress(job, stage, percent, now=clock())

    events = await store.jobs.list_events(job.id)
    steps = [event.data for event in events if event.name is EventName.PROGRESSED]
    assert steps == [{"stage": "fetch", "percent": 0}, {"stage": "fetch", "percent": 10}]


async def test_the_progress_of_a_model_call_is_kept_and_is_no_event(
    store: Store, clock: FakeClock
) -> None:
    job = await enqueue_and_claim(store, clock)
    await store.jobs.record_progress(job, Stage.ANALYZE, 20, now=clock())
    call = CallProgress(clock(), tokens=7, is_thinking=True, usual_ms=40_000)

    after = await store.jobs.record_model_call(job, call, 30, now=clock.advance(seconds=2))

    assert after == await store.jobs.get(job.id)
    assert (after.model_call, after.progress, after.heartbeat_at) == (call, 30, clock())
    events = [event.name for event in await store.jobs.list_events(job.id)]
    assert events.count(EventName.PROGRESSED) == 1


async def test_the_progress_of_a_model_call_never_goes_down(store: Store, clock: FakeClock) -> None:
    job = await enqueue_and_claim(store, clock)
    await store.jobs.record_progress(job, Stage.ANALYZE, 40, now=clock())

    after = await store.jobs.record_model_call(job, CallProgress(clock()), 30, now=clock())

    assert after.progress == 40


async def test_a_model_call_is_over_with_the_next_stage_and_with_the_next_attempt(
    store: Store, clock: FakeClock
) -> None:
    job = await enqueue_and_claim(store, clock)

    await store.jobs.record_model_call(job, CallProgress(clock()), 30, now=clock())
    moved = await store.jobs.record_progress(job, Stage.APPLY, 70, now=clock())
    await store.jobs.record_model_call(job, CallProgress(clock()), 70, now=clock())
    await store.jobs.retry(job, PROBLEM, at=clock(), now=clock())
    second = await claim(store, clock)

    assert moved.model_call is None
    assert second.model_call is None


@pytest.mark.parametrize("percent", [-1, 101])
async def test_progress_is_a_percentage(store: Store, clock: FakeClock, percent: int) -> None:
    job = await enqueue_and_claim(store, clock)

    with pytest.raises(ValueError, match="between 0 and 100"):
        await store.jobs.record_progress(job, Stage.FETCH, percent, now=clock())


async def test_who_lost_the_claim_can_neither_beat_nor_step(store: Store, clock: FakeClock) -> None:
    stale = await enqueue_and_claim(store, clock)
    await store.jobs.recover_orphans(now=clock())
    await claim(store, clock)

    with pytest.raises(ClaimLost):
        await store.jobs.heartbeat(stale, now=clock())
    with pytest.raises(ClaimLost):
        await store.jobs.record_progress(stale, Stage.FETCH, 1, now=clock())
    with pytest.raises(ClaimLost):
        await store.jobs.record_model_call(stale, CallProgress(clock()), 1, now=clock())


async def test_next_due_is_the_earliest_time_of_what_is_pending(
    store: Store, clock: FakeClock
) -> None:
    assert await next_due(store) is None
    soon, later = clock() + timedelta(minutes=5), clock() + timedelta(minutes=10)
    await store.jobs.enqueue(a_new_job(HOME_7, priority=Priority.BY_HAND), now=later)
    await store.jobs.enqueue(a_new_job(HOME_8, priority=Priority.BACKLOG), now=soon)

    assert await next_due(store) == soon


async def test_next_due_promises_nothing_that_a_claim_would_refuse(
    store: Store, clock: FakeClock
) -> None:
    await enqueue_and_claim(store, clock, HOME_7)
    await enqueue_job(store, clock, HOME_7, kind=APPLY)

    assert await next_due(store) is None


@pytest.mark.parametrize("kind", [ANALYZE, DRY_RUN, APPLY, UNDO])
async def test_every_kind_of_job_goes_through_the_queue(
    store: Store, clock: FakeClock, kind: str
) -> None:
    job = await enqueue_and_claim(store, clock, kind=kind)

    done = await store.jobs.succeed(job, now=clock())

    assert (done.kind, done.status, done.progress) == (kind, JobStatus.COMPLETED, 100)
    assert await event_names(store, job) == ["enqueued", "claimed", "completed"]
