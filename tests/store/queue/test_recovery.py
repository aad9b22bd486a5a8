"""Recovery: what becomes of the jobs of a dead worker."""

from datetime import timedelta

import pytest

from core.documents import DocumentState
from core.jobs import JobStatus, Priority
from core.messages import plain
from store import Store
from tests.store.builders import (
    HOME_7,
    HOME_8,
    PROBLEM,
    FakeClock,
    claim,
    enqueue_and_claim,
    enqueue_job,
    event_names,
)


async def test_a_silent_job_comes_back_at_once_and_its_attempt_counts(
    store: Store, clock: FakeClock
) -> None:
    job = await enqueue_and_claim(store, clock)
    clock.advance(minutes=10)

    (recovered,) = await store.jobs.recover(silent_since=clock(), now=clock())

    assert (recovered.id, recovered.status) == (job.id, JobStatus.PENDING)
    assert (recovered.attempts, recovered.scheduled_for) == (1, clock())
    assert recovered.problem is not None
    assert recovered.problem.code == "crashed"
    assert (await claim(store, clock)).attempts == 2


async def test_recovery_tells_what_it_did(store: Store, clock: FakeClock) -> None:
    job = await enqueue_and_claim(store, clock)

    await store.jobs.recover_orphans(now=clock())

    *_, event = await store.jobs.list_events(job.id)
    assert event.trace == job.trace
    assert event.data == {
        "status": "pending",
        "worker": "worker",
        "attempts": 1,
        "code": "crashed",
    }


async def test_a_job_that_was_heard_of_is_left_alone(store: Store, clock: FakeClock) -> None:
    job = await enqueue_and_claim(store, clock)
    await store.jobs.heartbeat(job, now=clock.advance(minutes=10))

    recovered = await store.jobs.recover(silent_since=clock(), now=clock())

    assert recovered == ()
    assert (await store.jobs.get(job.id)).status is JobStatus.PROCESSING


async def test_a_document_that_kills_its_worker_ends_failed(store: Store, clock: FakeClock) -> None:
    await enqueue_job(store, clock, max_attempts=3)

    for _ in range(3):
        await claim(store, clock)
        (job,) = await store.jobs.recover_orphans(now=clock())

    assert (job.status, job.attempts, job.finished_at) == (JobStatus.FAILED, 3, clock())
    assert job.problem is not None
    assert job.problem.code == "crashed"
    known = await store.documents.get(HOME_7)
    assert known is not None
    assert known.state is DocumentState.FAILED
    assert await event_names(store, job) == ["enqueued", *["claimed", "recovered"] * 3]


async def test_a_cancel_asked_for_before_the_crash_is_kept(store: Store, clock: FakeClock) -> None:
    job = await enqueue_and_claim(store, clock, max_attempts=1)
    await store.jobs.cancel(job.id, by="anna", now=clock())

    (recovered,) = await store.jobs.recover_orphans(now=clock())

    assert (recovered.status, str(recovered.cancel_requested)) == (JobStatus.CANCELLED, "anna")
    assert recovered.problem is None
    known = await store.documents.get(HOME_7)
    assert known is not None
    assert known.state is DocumentState.CANCELLED


async def test_what_the_caller_is_processing_is_left_alone(store: Store, clock: FakeClock) -> None:
    await enqueue_job(store, clock, HOME_7)
    await enqueue_job(store, clock, HOME_8)
    ours, left = await claim(store, clock), await claim(store, clock)
    later = clock.advance(hours=1)

    recovered = await store.jobs.recover(
        silent_since=later, now=later, own_traces={str(ours.trace), "ended long ago"}
    )

    assert [job.id for job in recovered] == [left.id]


async def test_a_recovered_job_waits_until_its_worker_has_a_free_slot(
    store: Store, clock: FakeClock
) -> None:
    crashed = await _a_recovered_job(store, clock, priority=Priority.NEW)
    beside = await enqueue_job(store, clock, HOME_8, priority=Priority.BY_HAND)
    first = await claim(store, clock)
    assert first.id == beside.id

    assert await store.jobs.claim(worker="worker", now=clock()) is None
    assert (await claim(store, clock, worker="other")).id == crashed


async def test_nothing_is_taken_beside_a_recovered_job(store: Store, clock: FakeClock) -> None:
    await _a_recovered_job(store, clock, priority=Priority.BY_HAND)
    alone = await claim(store, clock)
    await enqueue_job(store, clock, HOME_8)
    assert await store.jobs.claim(worker="worker", now=clock()) is None

    await store.jobs.succeed(alone, now=clock())

    assert await store.jobs.claim(worker="worker", now=clock()) is not None


@pytest.mark.parametrize("end", ["retry", "release"])
async def test_who_survives_an_attempt_need_not_be_alone_again(
    store: Store, clock: FakeClock, end: str
) -> None:
    await _a_recovered_job(store, clock, priority=Priority.BACKLOG)
    job = await claim(store, clock)
    if end == "retry":
        await store.jobs.retry(job, PROBLEM, at=clock(), now=clock())
    else:
        await store.jobs.release(job, plain("stop"), now=clock())
    await enqueue_job(store, clock, HOME_8)

    both = [await claim(store, clock), await claim(store, clock)]

    assert [taken.document for taken in both] == [HOME_8, HOME_7]


async def test_a_cancelled_and_restarted_job_need_not_be_alone(
    store: Store, clock: FakeClock
) -> None:
    crashed = await _a_recovered_job(store, clock, priority=Priority.BACKLOG)
    await store.jobs.cancel(crashed, by="anna", now=clock())
    await store.jobs.restart(crashed, by="anna", now=clock())
    await enqueue_job(store, clock, HOME_8)

    assert (await claim(store, clock)).document == HOME_8
    assert (await claim(store, clock)).document == HOME_7


async def test_recovering_nothing_gives_nothing(store: Store, clock: FakeClock) -> None:
    await enqueue_job(store, clock)

    later = clock() + timedelta(days=1)

    assert await store.jobs.recover(silent_since=later, now=clock()) == ()
    assert await store.jobs.recover_orphans(now=clock()) == ()


async def _a_recovered_job(store: Store, clock: FakeClock, *, priority: int) -> int:
    await enqueue_job(store, clock, HOME_7, priority=priority)
    await claim(store, clock)
    (job,) = await store.jobs.recover_orphans(now=clock())
    return job.id
