"""When attempts start and jobs change, who cancels them, and which request caused what."""

from dataclasses import replace

import pytest

from core.jobs import TIMER, Actor, Event, EventName, JobStatus, Stage, request_id
from core.messages import message, plain
from store import Store
from tests.store.builders import PROBLEM, FakeClock, claim, enqueue_and_claim, enqueue_job


async def test_each_attempt_has_its_own_start(store: Store, clock: FakeClock) -> None:
    job = await enqueue_job(store, clock)
    assert job.started_at is None

    first = await claim(store, clock)
    began = clock()
    clock.advance(seconds=5)
    again = await store.jobs.retry(first, PROBLEM, at=clock(), now=clock())
    assert (first.started_at, again.started_at) == (began, began)

    clock.advance(seconds=5)
    assert (await claim(store, clock)).started_at == clock()


async def test_a_job_is_updated_by_what_happens_and_not_by_a_heartbeat(
    store: Store, clock: FakeClock
) -> None:
    job = await enqueue_and_claim(store, clock)
    claimed_at = clock()

    clock.advance(seconds=1)
    assert (await store.jobs.heartbeat(job, now=clock())).updated_at == claimed_at
    progressed = await store.jobs.record_progress(job, Stage.FETCH, 5, now=clock())
    assert progressed.updated_at == (fetched_at := clock())

    clock.advance(seconds=1)
    same = await store.jobs.record_progress(job, Stage.FETCH, 5, now=clock())
    assert same.updated_at == fetched_at

    settled = await store.jobs.succeed(job, now=clock())
    assert settled.updated_at == clock()
    assert (await store.jobs.get(job.id)).updated_at == clock()


async def test_who_cancelled_and_why_are_kept_apart(store: Store, clock: FakeClock) -> None:
    job = await enqueue_job(store, clock)

    await store.jobs.cancel(job.id, by="anna", why="a private letter", now=clock())

    stored = (await store.jobs.get(job.id)).cancellation
    assert stored is not None
    assert (stored.actor, stored.by, stored.why) == (Actor.USER, "anna", plain("a private letter"))
    assert str(stored.describe()) == "anna: a private letter"
    [_, cancelled] = await store.jobs.list_events(job.id)
    assert cancelled.data == {"by": "anna", "why": "a private letter"}


async def test_a_cancellation_by_the_worker_has_a_reason_and_no_name(
    store: Store, clock: FakeClock
) -> None:
    job = await enqueue_and_claim(store, clock)

    await store.jobs.end_cancelled(job, message("excluded by a tag"), now=clock())

    stored = (await store.jobs.get(job.id)).cancellation
    assert stored is not None
    assert (stored.actor, stored.by, str(stored.why)) == (Actor.WORKER, "", "excluded by a tag")


@pytest.mark.parametrize("retryable", [True, False, None])
async def test_a_failure_keeps_whether_a_retry_could_help(
    store: Store, clock: FakeClock, *, retryable: bool | None
) -> None:
    job = await enqueue_and_claim(store, clock)

    await store.jobs.fail(job, replace(PROBLEM, retryable=retryable), now=clock())

    problem = (await store.jobs.get(job.id)).problem
    assert problem is not None
    assert problem.retryable is retryable


async def test_jobs_and_events_have_the_id_of_the_request_that_caused_them(
    store: Store, clock: FakeClock
) -> None:
    token = request_id.set("abc-1")
    try:
        job = await enqueue_job(store, clock)
    finally:
        request_id.reset(token)
    claimed = await claim(store, clock)

    assert (job.request_id, claimed.request_id) == ("abc-1", "abc-1")
    ids = [event.data.get("request_id") for event in await store.jobs.list_events(job.id)]
    assert ids == ["abc-1", None]


@pytest.mark.parametrize(
    ("name", "data", "status", "actor"),
    [
        (EventName.ENQUEUED, {"asked_by": TIMER}, JobStatus.PENDING, Actor.SYSTEM),
        (EventName.ENQUEUED, {"asked_by": "anna"}, JobStatus.PENDING, Actor.USER),
        (EventName.CLAIMED, {}, JobStatus.PROCESSING, Actor.WORKER),
        (EventName.RECOVERED, {"status": "failed"}, JobStatus.FAILED, Actor.SYSTEM),
        (EventName.CANCELLED, {"by": "anna"}, JobStatus.CANCELLED, Actor.USER),
        (EventName.CANCELLED, {"why": "gone"}, JobStatus.CANCELLED, Actor.WORKER),
        (EventName.PROGRESSED, {"stage": "fetch"}, None, Actor.WORKER),
    ],
)
def test_an_event_says_which_status_it_gave_and_who_caused_it(
    clock: FakeClock,
    name: EventName,
    data: dict[str, object],
    status: JobStatus | None,
    actor: Actor,
) -> None:
    event = Event(1, 1, name, clock(), None, data)

    assert (event.status, event.actor) == (status, actor)
