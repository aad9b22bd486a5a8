"""Times planned by a clock that was ahead are corrected once, by the correct clock."""

from datetime import timedelta

import pytest

from core.analysis import ModelCall
from core.calendar import utc_now
from core.holds import model_target
from core.jobs import TIMER, WEBHOOK, EventName, Job, NewJob, WaitSettings
from core.messages import plain
from store import Store
from tests.builders import because
from tests.store.builders import (
    HOME_8,
    PROBLEM,
    FakeClock,
    claim,
    enqueue_and_claim,
    enqueue_job,
    record_call,
)

STEP = timedelta(minutes=5)
MIN_AGE = timedelta(hours=2)
WAITS = {"home": WaitSettings(STEP, MIN_AGE)}
YEAR = timedelta(days=365)
MODEL = model_target("http://ollama/v1#12345678")


@pytest.fixture
def clock() -> FakeClock:
    """A clock that agrees with the database's: on PostgreSQL that is the one that counts."""
    return FakeClock(utc_now())


@pytest.fixture
def ahead(clock: FakeClock) -> FakeClock:
    """A clock that is a year ahead."""
    return FakeClock(clock() + YEAR)


async def pulled_in(store: Store, clock: FakeClock) -> dict[int, Job]:
    return {job.id: job for job in await store.waits.pull_in_jobs(WAITS, now=clock())}


def about(job: Job, wait: timedelta) -> bool:
    """Return whether a job is due after this time; a slow machine may take some seconds."""
    return abs(job.scheduled_for - utc_now() - wait) < timedelta(seconds=50)


async def test_a_job_that_was_enqueued_by_a_clock_ahead_is_due_at_once(
    store: Store, clock: FakeClock, ahead: FakeClock
) -> None:
    job = await enqueue_job(store, ahead)

    [pulled] = (await pulled_in(store, clock)).values()

    assert (pulled.id, about(pulled, timedelta(0))) == (job.id, True)
    *_, event = await store.jobs.list_events(job.id)
    assert event.name is EventName.PULLED_IN
    assert event.data == {
        "planned_for": job.scheduled_for.isoformat(),
        "scheduled_for": pulled.scheduled_for.isoformat(),
    }


async def test_a_retry_that_was_planned_by_a_clock_ahead_still_gets_its_pause(
    store: Store, clock: FakeClock, ahead: FakeClock
) -> None:
    job = await enqueue_and_claim(store, ahead)
    await store.jobs.retry(job, PROBLEM, at=ahead() + STEP, now=ahead())

    pulled = (await pulled_in(store, clock))[job.id]

    assert about(pulled, STEP)


async def test_a_job_that_was_given_back_for_an_outage_is_due_at_once(
    store: Store, clock: FakeClock, ahead: FakeClock
) -> None:
    job = await enqueue_and_claim(store, ahead)
    await store.jobs.release(job, plain("held"), now=ahead(), due=ahead() + timedelta(hours=1))

    assert about((await pulled_in(store, clock))[job.id], timedelta(0))


async def test_no_job_is_pulled_in_that_waits_as_long_as_it_may(
    store: Store, clock: FakeClock
) -> None:
    job = await enqueue_and_claim(store, clock)
    await store.jobs.retry(job, PROBLEM, at=clock() + STEP, now=clock())
    other = await enqueue_and_claim(store, clock, HOME_8)
    due = clock() + timedelta(minutes=59)
    await store.jobs.release(other, plain("held"), now=clock(), due=due)

    assert await pulled_in(store, clock) == {}
    assert await store.waits.list_overlong(WAITS, now=clock()) == ()


@pytest.mark.parametrize(
    ("asked_by", "wait", "is_pulled_in"),
    [
        (WEBHOOK, MIN_AGE, False),
        (WEBHOOK, MIN_AGE + timedelta(minutes=2), True),
        (TIMER, MIN_AGE, True),
    ],
)
async def test_a_job_of_a_webhook_waits_until_its_document_is_old_enough(
    store: Store, clock: FakeClock, asked_by: str, wait: timedelta, *, is_pulled_in: bool
) -> None:
    await store.jobs.enqueue(
        NewJob(HOME_8, asked_by=asked_by, not_before=clock() + wait), now=clock()
    )

    assert bool(await store.waits.list_overlong(WAITS, now=clock())) is is_pulled_in
    assert bool(await pulled_in(store, clock)) is is_pulled_in


@pytest.mark.parametrize(("is_daily", "is_pulled_in"), [(False, True), (True, False)])
async def test_while_a_daily_quota_is_used_up_a_job_may_wait_for_most_of_a_day(
    store: Store, clock: FakeClock, *, is_daily: bool, is_pulled_in: bool
) -> None:
    job, due = await enqueue_and_claim(store, clock), clock() + timedelta(hours=20)
    await store.jobs.release(job, plain("held"), now=clock(), due=due)
    cause = because("too many", is_daily_quota=is_daily)
    await store.holds.place(MODEL, cause, next_probe_at=due, now=clock())

    assert bool(await pulled_in(store, clock)) is is_pulled_in


async def test_a_job_is_pulled_in_once(store: Store, clock: FakeClock, ahead: FakeClock) -> None:
    job = await enqueue_job(store, ahead)
    await pulled_in(store, clock)
    clock.advance(seconds=30)
    again = await claim(store, clock)
    await store.jobs.retry(again, PROBLEM, at=ahead() + STEP, now=ahead())

    assert await pulled_in(store, clock) == {}
    [overlong] = await store.waits.list_overlong(WAITS, now=clock())
    assert (overlong.job.id, overlong.was_pulled_in) == (job.id, True)


async def test_a_job_of_an_instance_that_is_not_ours_is_left_alone(
    store: Store, clock: FakeClock, ahead: FakeClock
) -> None:
    await enqueue_job(store, ahead)

    assert await store.waits.pull_in_jobs({"office": WaitSettings(STEP)}, now=clock()) == ()


async def test_a_hold_is_pulled_in_once_as_long_as_it_lasts(
    store: Store, clock: FakeClock, ahead: FakeClock
) -> None:
    hold = await store.holds.place(MODEL, because("down"), next_probe_at=ahead(), now=ahead())

    assert await store.waits.pull_in_hold(hold, now=clock())

    [pulled] = await store.holds.list_active()
    assert pulled.next_probe_at == clock()
    again = await store.holds.place(MODEL, because("down"), next_probe_at=ahead(), now=ahead())
    assert not await store.waits.pull_in_hold(again, now=clock())
    await store.holds.lift(MODEL, now=clock())
    anew = await store.holds.place(MODEL, because("down"), next_probe_at=ahead(), now=ahead())
    assert await store.waits.pull_in_hold(anew, now=clock())


async def test_a_sign_of_life_of_next_year_makes_no_dead_worker_live(
    store: Store, clock: FakeClock, ahead: FakeClock
) -> None:
    job = await enqueue_and_claim(store, ahead)

    await store.waits.pull_in_heartbeats(["home"], now=clock())

    later = clock() + timedelta(minutes=5)
    [recovered] = await store.jobs.recover(silent_since=later - timedelta(minutes=2), now=later)
    assert recovered.id == job.id


async def test_what_was_spent_next_year_counts_today_and_not_each_day_until_then(
    store: Store, clock: FakeClock, ahead: FakeClock
) -> None:
    call = ModelCall("http://ollama/v1", "gemma", "text", "ok", 900, 50, 1200, ahead())
    await record_call(store, call, instance="home", job_id=1)

    await store.waits.pull_in_heartbeats(["home"], now=clock())

    tomorrow = clock() + timedelta(days=1)
    assert (await store.calls.sum_spending("home", since=tomorrow)).documents == 0
    assert (
        await store.calls.sum_spending("home", since=clock() - timedelta(hours=1))
    ).documents == 1


async def test_the_time_is_the_databases_where_machines_share_it(store: Store) -> None:
    wrong = utc_now() + YEAR

    now = await store.waits.read_time(wrong)

    assert (now == wrong) is not store.shared
    assert store.shared is (now < wrong - timedelta(days=364))
