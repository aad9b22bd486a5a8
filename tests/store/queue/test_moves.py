"""Every move of a job: what it leaves on the job, on the document's row, and in its events."""

from collections.abc import Awaitable, Callable
from datetime import timedelta

import pytest

from core.documents import DocumentRef, DocumentState
from core.jobs import ANALYZE, APPLY, DRY_RUN, UNDO, Actor, EventName, Job, JobStatus, Priority
from core.messages import plain
from store import AlreadyQueued, ClaimLost, DocumentIgnored, InvalidTransition, JobNotFound, Store
from store.queue.moves import DOCUMENT_GONE, MAX_RELEASES
from tests.store.builders import (
    HOME_7,
    PROBLEM,
    FakeClock,
    a_new_job,
    claim,
    enqueue_and_claim,
    enqueue_job,
    event_names,
)

Settle = Callable[[Store, Job, FakeClock], Awaitable[Job]]

SETTLES: dict[str, Settle] = {
    "succeed": lambda store, job, clock: store.jobs.succeed(job, now=clock()),
    "retry": lambda store, job, clock: store.jobs.retry(job, PROBLEM, at=clock(), now=clock()),
    "release": lambda store, job, clock: store.jobs.release(job, plain("stop"), now=clock()),
    "fail": lambda store, job, clock: store.jobs.fail(job, PROBLEM, now=clock()),
    "cancelled": lambda store, job, clock: store.jobs.end_cancelled(
        job, plain("asked"), now=clock()
    ),
    "forget": lambda store, job, clock: store.jobs.end_gone(job, now=clock()),
}


async def state_of(store: Store, ref: DocumentRef = HOME_7) -> DocumentState | None:
    known = await store.documents.get(ref)
    return None if known is None else known.state


@pytest.mark.parametrize(
    ("settle", "status", "row", "event"),
    [
        ("succeed", JobStatus.COMPLETED, DocumentState.DONE, EventName.COMPLETED),
        ("retry", JobStatus.PENDING, DocumentState.QUEUED, EventName.RETRIED),
        ("release", JobStatus.PENDING, DocumentState.QUEUED, EventName.RELEASED),
        ("fail", JobStatus.FAILED, DocumentState.FAILED, EventName.FAILED),
        ("cancelled", JobStatus.CANCELLED, DocumentState.CANCELLED, EventName.CANCELLED),
        ("forget", JobStatus.CANCELLED, DocumentState.GONE, EventName.CANCELLED),
    ],
)
async def test_a_settle_moves_job_row_and_story_together(
    store: Store, clock: FakeClock, settle: str, status: JobStatus, row: DocumentState, event: str
) -> None:
    job = await enqueue_and_claim(store, clock)
    clock.advance(seconds=3)

    settled = await SETTLES[settle](store, job, clock)

    assert settled == await store.jobs.get(job.id)
    assert (settled.status, settled.worker, settled.heartbeat_at) == (status, None, None)
    assert settled.finished_at == (None if status is JobStatus.PENDING else clock())
    assert await state_of(store) is row
    assert await event_names(store, job) == ["enqueued", "claimed", event]


@pytest.mark.parametrize("settle", SETTLES)
async def test_a_stale_worker_cannot_settle(store: Store, clock: FakeClock, settle: str) -> None:
    stale = await enqueue_and_claim(store, clock)
    await store.jobs.recover_orphans(now=clock())
    present = await claim(store, clock)
    before = await event_names(store, present)

    with pytest.raises(ClaimLost):
        await SETTLES[settle](store, stale, clock)

    assert await store.jobs.get(present.id) == present
    assert await event_names(store, present) == before


@pytest.mark.parametrize("settle", SETTLES)
@pytest.mark.parametrize("first", SETTLES)
async def test_nothing_is_settled_twice(
    store: Store, clock: FakeClock, first: str, settle: str
) -> None:
    job = await enqueue_and_claim(store, clock)
    await SETTLES[first](store, job, clock)
    row, before = await state_of(store), await event_names(store, job)

    with pytest.raises(ClaimLost):
        await SETTLES[settle](store, job, clock)

    assert await state_of(store) is row
    assert await event_names(store, job) == before


@pytest.mark.parametrize("settle", SETTLES)
async def test_a_job_that_nobody_claimed_cannot_be_settled(
    store: Store, clock: FakeClock, settle: str
) -> None:
    pending = await enqueue_job(store, clock)

    with pytest.raises(ClaimLost):
        await SETTLES[settle](store, pending, clock)


@pytest.mark.parametrize("kind", [DRY_RUN, APPLY, UNDO])
@pytest.mark.parametrize("settle", [name for name in SETTLES if name != "forget"])
async def test_only_an_analysis_moves_the_row(
    store: Store, clock: FakeClock, kind: str, settle: str
) -> None:
    done = await enqueue_and_claim(store, clock)
    await store.jobs.succeed(done, now=clock())

    job = await enqueue_and_claim(store, clock, kind=kind)
    await SETTLES[settle](store, job, clock)

    assert await state_of(store) is DocumentState.DONE


async def test_a_document_found_gone_is_gone_whatever_the_job(
    store: Store, clock: FakeClock
) -> None:
    done = await enqueue_and_claim(store, clock)
    await store.jobs.succeed(done, now=clock())

    job = await enqueue_and_claim(store, clock, kind=UNDO)
    forgotten = await store.jobs.end_gone(job, now=clock())

    assert await state_of(store) is DocumentState.GONE
    assert forgotten.cancel_requested == DOCUMENT_GONE


async def test_a_retried_job_waits_its_five_minutes_and_no_longer(
    store: Store, clock: FakeClock
) -> None:
    job = await enqueue_and_claim(store, clock)

    retried = await store.jobs.retry(job, PROBLEM, at=clock() + timedelta(minutes=5), now=clock())

    assert retried.problem == PROBLEM
    clock.advance(minutes=4, seconds=59)
    assert await store.jobs.claim(worker="worker", now=clock()) is None
    clock.advance(seconds=1)
    assert (await claim(store, clock)).attempts == 2


async def test_a_person_makes_a_retry_due_at_once_and_its_attempts_stay_counted(
    store: Store, clock: FakeClock
) -> None:
    job = await enqueue_and_claim(store, clock)
    at = clock() + timedelta(minutes=5)
    await store.jobs.retry(job, PROBLEM, at=at, now=clock())

    moved = await store.jobs.bring_forward(job.id, Priority.BY_HAND, by="anna", now=clock())

    assert (moved.scheduled_for, moved.priority, moved.attempts) == (clock(), Priority.BY_HAND, 1)
    *_, event = await store.jobs.list_events(job.id)
    assert (event.name, event.actor) == (EventName.PULLED_IN, Actor.USER)
    assert event.data == {"by": "anna", "planned_for": at.isoformat()}
    assert (await claim(store, clock)).attempts == 2


@pytest.mark.parametrize("is_running", [False, True])
async def test_a_job_that_is_due_or_running_is_not_brought_forward(
    store: Store, clock: FakeClock, *, is_running: bool
) -> None:
    job = await enqueue_job(store, clock)
    if is_running:
        await claim(store, clock)
    before = await store.jobs.get(job.id)
    clock.advance(minutes=1)

    assert await store.jobs.bring_forward(job.id, job.priority, by="anna", now=clock()) == before

    assert EventName.PULLED_IN not in await event_names(store, job)


async def test_a_retry_tells_its_facts(store: Store, clock: FakeClock) -> None:
    job = await enqueue_and_claim(store, clock)
    at = clock() + timedelta(minutes=5)

    await store.jobs.retry(job, PROBLEM, at=at, now=clock())

    *_, event = await store.jobs.list_events(job.id)
    assert event.data == {
        "attempts": 1,
        "scheduled_for": at.isoformat(),
        "code": PROBLEM.code,
        "message": str(PROBLEM.message),
    }


async def test_a_release_gives_the_attempt_back(store: Store, clock: FakeClock) -> None:
    job = await enqueue_and_claim(store, clock)

    released = await store.jobs.release(
        job, plain("the daemon stops"), now=clock.advance(seconds=9)
    )

    assert (released.attempts, released.claim) == (0, 1)
    assert released.scheduled_for == clock()
    *_, event = await store.jobs.list_events(job.id)
    assert event.data == {"why": "the daemon stops", "attempts": 0}


async def test_give_backs_are_capped(store: Store, clock: FakeClock) -> None:
    await enqueue_job(store, clock)

    for _ in range(MAX_RELEASES):
        released = await store.jobs.release(await claim(store, clock), plain("stop"), now=clock())
        assert released.attempts == 0
    kept = await store.jobs.release(await claim(store, clock), plain("stop"), now=clock())

    assert kept.attempts == 1


async def test_success_clears_the_problem_of_an_earlier_attempt(
    store: Store, clock: FakeClock
) -> None:
    job = await enqueue_and_claim(store, clock)
    await store.jobs.retry(job, PROBLEM, at=clock(), now=clock())

    done = await store.jobs.succeed(await claim(store, clock), now=clock())

    assert done.problem is None


async def test_a_failed_job_keeps_its_problem(store: Store, clock: FakeClock) -> None:
    job = await enqueue_and_claim(store, clock)

    failed = await store.jobs.fail(job, PROBLEM, now=clock())

    assert failed.problem == PROBLEM
    *_, event = await store.jobs.list_events(job.id)
    assert event.data == {"attempts": 1, "code": PROBLEM.code, "message": str(PROBLEM.message)}


@pytest.mark.parametrize("settle", ["retry", "release"])
async def test_a_cancel_that_was_asked_for_is_not_forgotten(
    store: Store, clock: FakeClock, settle: str
) -> None:
    job = await enqueue_and_claim(store, clock)
    await store.jobs.cancel(job.id, by="anna", now=clock())

    settled = await SETTLES[settle](store, job, clock)

    assert settled.status is JobStatus.CANCELLED
    assert str(settled.cancel_requested) == "anna"
    assert await state_of(store) is DocumentState.CANCELLED


async def test_what_has_ended_in_spite_of_a_cancel_has_ended(
    store: Store, clock: FakeClock
) -> None:
    job = await enqueue_and_claim(store, clock)
    await store.jobs.cancel(job.id, by="anna", now=clock())

    done = await store.jobs.succeed(job, now=clock())

    assert done.status is JobStatus.COMPLETED


async def test_enqueueing_twice_is_harmless(store: Store, clock: FakeClock) -> None:
    first = await enqueue_job(store, clock)

    assert await store.jobs.enqueue(a_new_job(), now=clock()) is None
    await claim(store, clock)
    assert await store.jobs.enqueue(a_new_job(), now=clock()) is None

    assert await event_names(store, first) == ["enqueued", "claimed"]
    assert len(await store.jobs.list()) == 1


async def test_kinds_do_not_stand_in_each_others_way(store: Store, clock: FakeClock) -> None:
    kinds = [ANALYZE, DRY_RUN, APPLY, UNDO]

    made = [await store.jobs.enqueue(a_new_job(kind=kind), now=clock()) for kind in kinds]

    assert [job.kind for job in made if job is not None] == kinds


@pytest.mark.parametrize("settle", ["succeed", "fail", "cancelled", "forget"])
async def test_a_finished_document_may_be_enqueued_again(
    store: Store, clock: FakeClock, settle: str
) -> None:
    job = await enqueue_and_claim(store, clock)
    await SETTLES[settle](store, job, clock)

    again = await enqueue_job(store, clock)

    assert again.id != job.id
    assert await state_of(store) is DocumentState.QUEUED


async def test_a_new_job_keeps_what_was_asked_for(store: Store, clock: FakeClock) -> None:
    new = a_new_job(asked_by="hand", max_attempts=1)

    job = await store.jobs.enqueue(new, now=clock())

    assert job is not None
    assert (job.asked_by, job.max_attempts, job.attempts, job.claim) == ("hand", 1, 0, 0)
    assert job.scheduled_for == job.created_at == clock()
    assert (await store.jobs.list_events(job.id))[0].data == {
        "asked_by": "hand",
        "kind": "analyze",
        "priority": 10,
    }


async def test_a_rehearsal_leaves_no_row(store: Store, clock: FakeClock) -> None:
    await enqueue_job(store, clock, kind=DRY_RUN)

    assert await state_of(store) is None


async def test_an_ignored_document_is_not_analysed(store: Store, clock: FakeClock) -> None:
    await store.documents.ignore(HOME_7, by="anna", now=clock())

    with pytest.raises(DocumentIgnored):
        await store.jobs.enqueue(a_new_job(), now=clock())

    assert await store.jobs.enqueue(a_new_job(kind=UNDO), now=clock()) is not None


async def test_a_pending_job_is_cancelled_at_once(store: Store, clock: FakeClock) -> None:
    job = await enqueue_job(store, clock)

    cancelled = await store.jobs.cancel(job.id, by="anna", now=clock.advance(seconds=1))

    assert cancelled.status is JobStatus.CANCELLED
    assert (str(cancelled.cancel_requested), cancelled.finished_at) == ("anna", clock())
    assert await state_of(store) is DocumentState.CANCELLED
    assert await event_names(store, job) == ["enqueued", "cancelled"]


async def test_a_processing_job_is_asked_to_stop_once(store: Store, clock: FakeClock) -> None:
    job = await enqueue_and_claim(store, clock)

    await store.jobs.cancel(job.id, by="anna", now=clock())
    asked = await store.jobs.cancel(job.id, by="bert", now=clock())

    assert (asked.status, str(asked.cancel_requested)) == (JobStatus.PROCESSING, "anna")
    assert await state_of(store) is DocumentState.QUEUED
    assert await event_names(store, job) == ["enqueued", "claimed", "cancel_requested"]


async def test_a_cancelled_job_keeps_who_asked_for_it(store: Store, clock: FakeClock) -> None:
    job = await enqueue_and_claim(store, clock)
    await store.jobs.cancel(job.id, by="anna", now=clock())

    cancelled = await store.jobs.end_cancelled(job, plain("before the first write"), now=clock())

    assert str(cancelled.cancel_requested) == "anna"


@pytest.mark.parametrize("settle", ["succeed", "fail", "cancelled"])
async def test_cancelling_what_is_finished_changes_nothing(
    store: Store, clock: FakeClock, settle: str
) -> None:
    job = await SETTLES[settle](store, await enqueue_and_claim(store, clock), clock)
    before = await event_names(store, job)

    again = await store.jobs.cancel(job.id, by="anna", now=clock())

    assert again == job
    assert await event_names(store, job) == before


@pytest.mark.parametrize("settle", ["fail", "cancelled"])
async def test_a_person_can_start_a_failed_or_cancelled_job_anew(
    store: Store, clock: FakeClock, settle: str
) -> None:
    ended = await SETTLES[settle](store, await enqueue_and_claim(store, clock), clock)

    job = await store.jobs.restart(ended.id, by="anna", now=clock.advance(days=1))

    assert (job.status, job.attempts, job.claim) == (JobStatus.PENDING, 0, 1)
    assert (job.problem, job.cancel_requested, job.finished_at) == (None, None, None)
    assert job.scheduled_for == clock()
    assert await state_of(store) is DocumentState.QUEUED
    assert (await event_names(store, job))[-1] == "restarted"
    assert (await claim(store, clock)).claim == 2


async def test_a_restarted_job_has_its_give_backs_again(store: Store, clock: FakeClock) -> None:
    await enqueue_job(store, clock)
    for _ in range(MAX_RELEASES):
        await store.jobs.release(await claim(store, clock), plain("stop"), now=clock())
    failed = await store.jobs.fail(await claim(store, clock), PROBLEM, now=clock())

    await store.jobs.restart(failed.id, by="anna", now=clock())
    released = await store.jobs.release(await claim(store, clock), plain("stop"), now=clock())

    assert released.attempts == 0


@pytest.mark.parametrize("kind", [DRY_RUN, APPLY, UNDO])
async def test_restarting_another_kind_leaves_the_row(
    store: Store, clock: FakeClock, kind: str
) -> None:
    failed = await store.jobs.fail(
        await enqueue_and_claim(store, clock, kind=kind), PROBLEM, now=clock()
    )

    await store.jobs.restart(failed.id, by="anna", now=clock())

    assert await state_of(store) is None


async def test_only_failed_and_cancelled_jobs_can_be_started_anew(
    store: Store, clock: FakeClock
) -> None:
    pending = await enqueue_job(store, clock)
    with pytest.raises(InvalidTransition):
        await store.jobs.restart(pending.id, by="anna", now=clock())

    processing = await claim(store, clock)
    with pytest.raises(InvalidTransition):
        await store.jobs.restart(processing.id, by="anna", now=clock())

    completed = await store.jobs.succeed(processing, now=clock())
    with pytest.raises(InvalidTransition, match=f"job {completed.id} is completed"):
        await store.jobs.restart(completed.id, by="anna", now=clock())


async def test_a_job_with_a_live_twin_cannot_be_started_anew(
    store: Store, clock: FakeClock
) -> None:
    failed = await store.jobs.fail(await enqueue_and_claim(store, clock), PROBLEM, now=clock())
    await enqueue_job(store, clock)

    with pytest.raises(AlreadyQueued):
        await store.jobs.restart(failed.id, by="anna", now=clock())

    assert await store.jobs.get(failed.id) == failed


async def test_an_ignored_documents_job_cannot_be_started_anew(
    store: Store, clock: FakeClock
) -> None:
    failed = await store.jobs.fail(await enqueue_and_claim(store, clock), PROBLEM, now=clock())
    await store.documents.ignore(HOME_7, by="anna", now=clock())

    with pytest.raises(DocumentIgnored):
        await store.jobs.restart(failed.id, by="anna", now=clock())


async def test_an_unknown_job_is_not_found(store: Store, clock: FakeClock) -> None:
    with pytest.raises(JobNotFound, match="no job 99"):
        await store.jobs.get(99)
    with pytest.raises(JobNotFound):
        await store.jobs.cancel(99, by="anna", now=clock())
    with pytest.raises(JobNotFound):
        await store.jobs.restart(99, by="anna", now=clock())
