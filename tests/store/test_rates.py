"""The rate of a model: kept for all who call its endpoint, and over exactly at its time."""

from dataclasses import replace
from datetime import timedelta

import pytest

from core.documents import DocumentRef
from core.holds import rate_target
from core.jobs import APPLY
from core.pace import Rate, RateReached
from store import Store
from tests.store.builders import NOON, FakeClock, enqueue_job
from tests.store.test_calls import DAY, MONTH, UNLIMITED, a_call

ENDPOINT = "http://ai/v1#1234"
ONE = Rate(requests_per_minute=1)


async def register(store: Store, *names: str, endpoint: str = ENDPOINT) -> None:
    for name in names:
        await store.instances.register(name, endpoint=endpoint, now=NOON)


async def call(store: Store, clock: FakeClock, instance: str = "home", *, rate: Rate = ONE) -> int:
    return await store.calls.reserve(
        a_call(at=clock()),
        instance=instance,
        job_id=None,
        limits=UNLIMITED,
        rate=rate,
        day_start=DAY,
        month_start=MONTH,
    )


async def test_all_who_use_an_endpoint_share_its_rate(store: Store, clock: FakeClock) -> None:
    await register(store, "home", "office")
    await register(store, "attic", endpoint="http://ai/v1#5678")
    await call(store, clock)
    clock.advance(seconds=20)

    await call(store, clock, "attic")
    with pytest.raises(RateReached) as reached:
        await call(store, clock, "office")

    assert reached.value.free_at == clock() + timedelta(seconds=40)
    clock.advance(seconds=40)
    await call(store, clock, "office")


async def test_tokens_count_as_expected_and_then_as_used(store: Store, clock: FakeClock) -> None:
    await register(store, "home")
    rate = Rate(tokens_per_minute=1_100)
    number = await call(store, clock, rate=rate)

    with pytest.raises(RateReached):
        await call(store, clock, rate=rate)

    await store.calls.finish(number, replace(a_call(at=clock()), tokens_in=20, tokens_out=1))
    await call(store, clock, rate=rate)


async def test_the_call_that_uses_up_the_rate_puts_the_endpoint_on_hold(
    store: Store, clock: FakeClock
) -> None:
    await register(store, "home")
    await call(store, clock, rate=Rate(2))
    before = await store.holds.list_active()
    clock.advance(seconds=10)
    await call(store, clock, rate=Rate(2))

    [hold] = await store.holds.list_active()

    assert before == ()
    assert (hold.target, hold.next_probe_at) == (rate_target(ENDPOINT), NOON + timedelta(minutes=1))
    assert str(hold.cause) == "rate limit reached (requests per minute: 2)"


async def test_a_rate_ends_at_its_time_although_nobody_lifted_it(
    store: Store, clock: FakeClock
) -> None:
    await register(store, "home")
    waiting = await enqueue_job(store, clock)
    accepted = await enqueue_job(store, clock, DocumentRef("home", 8), kind=APPLY)
    clock.advance(seconds=1)
    await call(store, clock)
    found_empty_at = clock()

    claimed = [await store.jobs.claim(worker="w", now=clock()) for _ in range(2)]
    due = await store.jobs.next_due_after(found_empty_at)
    clock.advance(seconds=59, milliseconds=999)
    early = await store.jobs.claim(worker="w", now=clock())
    clock.advance(milliseconds=1)
    later = await store.jobs.claim(worker="w", now=clock())

    assert [job and job.id for job in claimed] == [accepted.id, None]
    assert due == found_empty_at + timedelta(minutes=1) == clock()
    assert early is None
    assert later is not None
    assert later.id == waiting.id


async def test_a_call_of_a_clock_that_was_ahead_stops_nobody(
    store: Store, clock: FakeClock
) -> None:
    await register(store, "home")
    clock.advance(hours=3)
    await call(store, clock)
    clock.advance(hours=-3)

    await call(store, clock)
