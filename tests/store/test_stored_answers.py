"""What a model wrote, word by word: kept with the call, and not for long."""

from datetime import timedelta

from store import Store
from store.results import MAX_RESPONSE_BYTES
from store.retention import PruneCounts, RetentionPolicy
from tests.store.builders import FakeClock, enqueue_and_claim
from tests.store.test_calls import a_call, reserve

DAYS_14 = RetentionPolicy(partial_results=timedelta(days=14))


async def test_an_answer_is_kept_with_its_call(store: Store, clock: FakeClock) -> None:
    job = await enqueue_and_claim(store, clock)
    number = await reserve(store, job.id)

    await store.calls.finish(number, a_call(), '{"title": "Ä\x00"}')

    [answer] = await store.calls.list_raw_responses(job.id)
    assert (answer.call, answer.is_cut) == (a_call(), False)
    assert answer.text.startswith('{"title": "Ä')


async def test_what_was_not_answered_or_belongs_to_no_job_is_not_kept(
    store: Store, clock: FakeClock
) -> None:
    job = await enqueue_and_claim(store, clock)

    await store.calls.finish(await reserve(store, job.id), a_call())
    await store.calls.finish(await reserve(store, None), a_call(), "a trial")

    assert await store.calls.list_raw_responses(job.id) == ()


async def test_of_an_endless_answer_the_beginning_is_kept(store: Store, clock: FakeClock) -> None:
    job = await enqueue_and_claim(store, clock)

    await store.calls.finish(await reserve(store, job.id), a_call(), "€" * MAX_RESPONSE_BYTES)

    [answer] = await store.calls.list_raw_responses(job.id)
    assert answer.is_cut
    assert answer.text == "€" * (MAX_RESPONSE_BYTES // 3)


async def test_answers_go_with_partial_results_and_costs_stay(
    store: Store, clock: FakeClock
) -> None:
    job = await enqueue_and_claim(store, clock)
    await store.calls.finish(await reserve(store, job.id), a_call(), "{}")
    await store.jobs.succeed(job, now=clock())

    clock.advance(days=14)
    young = await store.retention.prune(DAYS_14, now=clock())
    clock.advance(microseconds=1)
    old = await store.retention.prune(DAYS_14, now=clock())

    assert (young, old) == (PruneCounts(), PruneCounts(answers=1))
    assert await store.calls.list_raw_responses(job.id) == ()
    assert await store.calls.list_for_job(job.id) == (a_call(),)


async def test_an_answer_goes_with_its_job(store: Store, clock: FakeClock) -> None:
    job = await enqueue_and_claim(store, clock)
    await store.calls.finish(await reserve(store, job.id), a_call(), "{}")
    await store.jobs.succeed(job, now=clock())

    clock.advance(days=2)
    short = RetentionPolicy(jobs=timedelta(days=1))

    assert (await store.retention.prune(short, now=clock())).answers == 1
