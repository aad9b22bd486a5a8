"""Give-backs are capped: a slow document and a restarting daemon cannot circle for ever."""

from core.documents import DocumentState
from core.jobs import Job, JobStatus
from core.messages import plain
from store import Store
from store.queue.moves import MAX_RELEASES
from tests.store.builders import HOME_7, PROBLEM, FakeClock, claim, enqueue_job


async def release(store: Store, clock: FakeClock) -> Job:
    return await store.jobs.release(await claim(store, clock), plain("stop"), now=clock())


async def test_what_is_always_given_back_fails_in_the_end(store: Store, clock: FakeClock) -> None:
    await enqueue_job(store, clock, max_attempts=3)

    seen = [await release(store, clock) for _ in range(MAX_RELEASES + 3)]

    assert [job.attempts for job in seen] == [0] * MAX_RELEASES + [1, 2, 3]
    assert {job.status for job in seen[:-1]} == {JobStatus.PENDING}
    failed = seen[-1]
    assert (failed.status, failed.finished_at) == (JobStatus.FAILED, clock())
    assert failed.problem is not None
    assert failed.problem.code == "given_back_too_often"
    known = await store.documents.get(HOME_7)
    assert known is not None
    assert known.state is DocumentState.FAILED
    *_, event = await store.jobs.list_events(failed.id)
    assert (event.name, event.data["code"]) == ("failed", "given_back_too_often")


async def test_the_last_free_give_back_is_free_at_the_last_attempt_too(
    store: Store, clock: FakeClock
) -> None:
    await enqueue_job(store, clock, max_attempts=1)

    seen = [await release(store, clock) for _ in range(MAX_RELEASES)]

    assert (seen[-1].status, seen[-1].attempts) == (JobStatus.PENDING, 0)
    assert (await release(store, clock)).status is JobStatus.FAILED


async def test_a_cancel_wins_over_the_cap(store: Store, clock: FakeClock) -> None:
    await enqueue_job(store, clock, max_attempts=1)
    for _ in range(MAX_RELEASES):
        await release(store, clock)
    job = await claim(store, clock)
    await store.jobs.cancel(job.id, by="anna", now=clock())

    ended = await store.jobs.release(job, plain("stop"), now=clock())

    assert ended.status is JobStatus.CANCELLED


async def test_an_earlier_failure_does_not_hide_the_cause(store: Store, clock: FakeClock) -> None:
    await enqueue_job(store, clock, max_attempts=2)
    await store.jobs.retry(await claim(store, clock), PROBLEM, at=clock(), now=clock())

    seen = [await release(store, clock) for _ in range(MAX_RELEASES + 1)]

    assert seen[-2].problem == PROBLEM
    assert seen[-1].problem is not None
    assert seen[-1].problem.code == "given_back_too_often"
