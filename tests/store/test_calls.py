"""Model calls: booked before they are made, and counted against the limits."""

import asyncio
from dataclasses import replace
from datetime import datetime, timedelta
from decimal import Decimal

import pytest

from core.analysis import NOT_CONNECTED, STARTED, ModelCall
from core.documents import DocumentRef
from core.jobs import Job
from core.spending import LimitKind, LimitReached, Spending, SpendingLimits, TypicalUsage
from store import ClaimLost, InvalidTransition, Store, open_store
from store.retention import RetentionPolicy
from tests.store.builders import NOON, FakeClock, enqueue_and_claim, record_call
from tests.store.conftest import Place

DAY = NOON.replace(hour=0)
MONTH = DAY.replace(day=1)
UNLIMITED = SpendingLimits()


def a_call(*, cost: str = "0.01", at: datetime = NOON, outcome: str = "ok") -> ModelCall:
    return ModelCall(
        "http://ai/v1", "gemma", "json_schema", outcome, 900, 80, 1200, at, Decimal(cost)
    )


async def reserve(
    store: Store,
    job_id: int | None,
    call: ModelCall | None = None,
    *,
    limits: SpendingLimits = UNLIMITED,
    instance: str = "home",
    day_start: datetime = DAY,
) -> int:
    return await store.calls.reserve(
        call or a_call(),
        instance=instance,
        job_id=job_id,
        limits=limits,
        day_start=day_start,
        month_start=MONTH,
    )


async def test_a_call_is_booked_with_what_it_may_cost(store: Store) -> None:
    await reserve(store, 1, a_call(cost="0.02"))

    assert await store.calls.list_for_job(1) == (a_call(cost="0.02", outcome=STARTED),)


async def test_a_worker_that_was_taken_for_dead_books_no_call(
    store: Store, clock: FakeClock
) -> None:
    job = await enqueue_and_claim(store, clock)
    await store.jobs.recover_orphans(now=clock())

    with pytest.raises(ClaimLost):
        await store.calls.reserve(
            a_call(),
            instance="home",
            job_id=job.id,
            limits=UNLIMITED,
            day_start=DAY,
            month_start=MONTH,
            claimed=job,
        )

    assert await store.calls.list_for_job(job.id) == ()


async def reserve_claimed(store: Store, job: Job, call: ModelCall | None = None) -> int:
    """Book a call of a job that is being processed."""
    return await store.calls.reserve(
        call or a_call(),
        instance="home",
        job_id=job.id,
        limits=UNLIMITED,
        day_start=DAY,
        month_start=MONTH,
        claimed=job,
    )


async def fetch(store: Store, clock: FakeClock, id_: int, *, pages: int | None) -> Job:
    """Return a claimed job whose document was fetched."""
    job = await enqueue_and_claim(store, clock, DocumentRef("home", id_))
    await store.documents.record_fetched(
        job, title="Brief", content_hash="", pages=pages, now=clock()
    )
    return job


async def test_the_pages_of_a_document_count_once_however_many_calls_it_takes(
    store: Store, clock: FakeClock
) -> None:
    job = await fetch(store, clock, 7, pages=12)
    for _ in range(3):
        await reserve_claimed(store, job)

    spent = await store.calls.sum_spending("home", since=DAY)

    assert (spent.pages, spent.cost_of_pages) == (12, Decimal("0.03"))
    assert spent.cost_per_page == Decimal("0.0025")


async def test_a_call_that_was_never_sent_counts_no_pages(store: Store, clock: FakeClock) -> None:
    job = await fetch(store, clock, 7, pages=12)
    number = await reserve_claimed(store, job)
    await store.calls.finish(number, a_call(cost="0", outcome=NOT_CONNECTED))
    await reserve_claimed(store, job)

    assert (await store.calls.sum_spending("home", since=DAY)).pages == 12


async def test_documents_without_known_pages_do_not_make_a_page_dearer(
    store: Store, clock: FakeClock
) -> None:
    await reserve_claimed(store, await fetch(store, clock, 7, pages=2))
    await reserve_claimed(store, await fetch(store, clock, 8, pages=None), a_call(cost="5"))

    periods = await store.calls.sum_periods(["home"], [DAY, DAY + timedelta(days=1)])

    total = periods["home"].total
    assert (total.documents, total.pages, total.cost) == (2, 2, Decimal("5.01"))
    assert total.cost_per_page == Decimal("0.005")
    assert periods["home"].models == {"gemma": total}


async def test_without_pages_there_is_no_cost_of_a_page(store: Store) -> None:
    await reserve(store, 1)

    assert (await store.calls.sum_spending("home", since=DAY)).cost_per_page is None


async def test_what_it_really_took_replaces_what_was_booked(store: Store) -> None:
    number = await reserve(store, 1, a_call(cost="0.02"))
    taken = replace(a_call(cost="0.0000005"), mode="text", tokens_in=5, tokens_out=7, took_ms=3)

    await store.calls.finish(number, taken)

    assert await store.calls.list_for_job(1) == (taken,)


async def test_a_call_ends_once(store: Store) -> None:
    number = await reserve(store, 1)
    await store.calls.finish(number, a_call())

    with pytest.raises(InvalidTransition, match="not under way"):
        await store.calls.finish(number, a_call(cost="9"))
    with pytest.raises(InvalidTransition):
        await store.calls.finish(99, a_call())

    assert (await store.calls.sum_spending("home", since=DAY)).cost == Decimal("0.01")


@pytest.mark.parametrize("cost", ["0", "0.000000001", "0.1", "0.123456789", "1234567.89"])
async def test_amounts_come_back_as_they_were(store: Store, cost: str) -> None:
    await reserve(store, 1, a_call(cost=cost))

    (call,) = await store.calls.list_for_job(1)

    assert call.cost == Decimal(cost)


async def test_many_small_amounts_add_up_exactly(store: Store) -> None:
    for _ in range(10):
        await reserve(store, 1, a_call(cost="0.1"))

    assert (await store.calls.sum_spending("home", since=DAY)).cost == Decimal(1)


async def test_spending_is_added_up_since_a_time_and_by_instance(store: Store) -> None:
    before = a_call(at=DAY - timedelta(microseconds=1))
    await reserve(store, 1, before)
    await reserve(store, 2, a_call(at=DAY))
    await reserve(store, 2, a_call(cost="0.03"))
    await reserve(store, 3)
    await reserve(store, None)
    await reserve(store, 4, instance="office")

    spent = await store.calls.sum_spending("home", since=DAY)

    assert spent == Spending(2, 4, 4 * 900, 4 * 80, Decimal("0.06"))
    assert await store.calls.sum_spending("attic", since=DAY) == Spending()


async def test_the_day_has_so_many_documents(store: Store) -> None:
    limits = SpendingLimits(documents_per_day=2)
    await reserve(store, 1, limits=limits)
    await reserve(store, 2, limits=limits)

    with pytest.raises(LimitReached) as caught:
        await reserve(store, 3, limits=limits)

    assert (caught.value.kind, caught.value.used, caught.value.limit) == (
        LimitKind.DOCUMENTS_PER_DAY,
        2,
        2,
    )
    assert await store.calls.list_for_job(3) == ()


async def test_a_document_counts_once_however_many_calls_it_takes(store: Store) -> None:
    limits = SpendingLimits(documents_per_day=1)

    for _ in range(3):
        await reserve(store, 1, limits=limits)

    assert (await store.calls.sum_spending("home", since=DAY)).documents == 1


async def test_a_call_that_never_connected_takes_no_place_of_the_day(store: Store) -> None:
    limits = SpendingLimits(documents_per_day=1)
    for job_id in (1, 2):
        number = await reserve(store, job_id, limits=limits)
        await store.calls.finish(number, a_call(cost="0", outcome=NOT_CONNECTED))

    await reserve(store, 3, limits=limits)

    with pytest.raises(LimitReached):
        await reserve(store, 1, limits=limits)
    assert (await store.calls.sum_spending("home", since=DAY)).documents == 1


async def test_a_call_that_never_connected_is_no_analysis(store: Store) -> None:
    await record_call(store, a_call(cost="0", outcome=NOT_CONNECTED), instance="home", job_id=1)

    month = await store.calls.sum_periods(["home"], [DAY, DAY + timedelta(days=1)])
    today = await store.instances.get_figures(["home"], day=DAY, month=MONTH)

    assert await store.calls.sum_spending("home", since=DAY) == Spending()
    assert (month["home"].total, month["home"].models) == (Spending(), {})
    assert today["home"].documents_today == 0


async def test_a_document_of_this_morning_is_free_all_day(store: Store) -> None:
    limits = SpendingLimits(documents_per_day=1)
    await reserve(store, 1, a_call(at=DAY), limits=limits)

    await reserve(store, 1, a_call(at=DAY + timedelta(hours=23)), limits=limits)

    assert len(await store.calls.list_for_job(1)) == 2


async def test_yesterdays_documents_and_other_instances_do_not_count(store: Store) -> None:
    limits = SpendingLimits(documents_per_day=1)
    await reserve(store, 1, a_call(at=DAY - timedelta(hours=2)))
    await reserve(store, 2, instance="office")

    await reserve(store, 3, limits=limits)

    with pytest.raises(LimitReached):
        await reserve(store, 1, limits=limits)


async def test_an_attempt_that_goes_on_over_midnight_is_not_cut_off(store: Store) -> None:
    limits = SpendingLimits(documents_per_day=1)
    await reserve(store, 1, a_call(at=DAY - timedelta(minutes=1)), limits=limits)
    await reserve(store, 2, a_call(at=DAY), limits=limits)

    await reserve(store, 1, a_call(at=DAY + timedelta(minutes=1)), limits=limits)

    assert len(await store.calls.list_for_job(1)) == 2


async def test_a_call_without_a_job_is_no_document(store: Store) -> None:
    limits = SpendingLimits(documents_per_day=1)
    await reserve(store, 1, limits=limits)

    await reserve(store, None, limits=limits)

    assert (await store.calls.sum_spending("home", since=DAY)).documents == 1


async def test_the_month_has_so_much_to_spend(store: Store) -> None:
    limits = SpendingLimits(cost_per_month=Decimal("0.05"))
    await reserve(store, 1, a_call(cost="9", at=MONTH - timedelta(seconds=1)))
    await reserve(store, 1, a_call(cost="0.04", at=MONTH), limits=limits)

    with pytest.raises(LimitReached) as caught:
        await reserve(store, 1, a_call(cost="0.02"), limits=limits)

    assert (caught.value.kind, caught.value.used) == (LimitKind.COST_PER_MONTH, Decimal("0.04"))
    await reserve(store, 1, a_call(cost="0.01"), limits=limits)


async def test_a_call_that_its_process_did_not_survive_stays_booked(store: Store) -> None:
    limits = SpendingLimits(cost_per_month=Decimal("0.05"))

    await reserve(store, 1, a_call(cost="0.05"), limits=limits)

    with pytest.raises(LimitReached):
        await reserve(store, 2, a_call(cost="0.01"), limits=limits)


async def test_what_was_booked_too_high_is_free_again(store: Store) -> None:
    limits = SpendingLimits(cost_per_month=Decimal("0.05"))
    number = await reserve(store, 1, a_call(cost="0.05"), limits=limits)

    await store.calls.finish(number, a_call(cost="0.01"))

    await reserve(store, 2, a_call(cost="0.04"), limits=limits)
    with pytest.raises(LimitReached):
        await reserve(store, 3, a_call(cost="0.01"), limits=limits)


async def test_two_processes_cannot_both_take_the_last_place(place: Place, store: Store) -> None:
    limits = SpendingLimits(documents_per_day=5)

    async with open_store(place.url, place.data) as other:
        asked = [
            reserve(opened, job, limits=limits) for job in range(10) for opened in (store, other)
        ]
        answers = await asyncio.gather(*asked, return_exceptions=True)

    refused = [answer for answer in answers if isinstance(answer, LimitReached)]
    assert len(refused) == 10
    assert (await store.calls.sum_spending("home", since=DAY)).documents == 5


async def test_costs_stay_when_the_job_is_gone(store: Store, clock: FakeClock) -> None:
    job = await enqueue_and_claim(store, clock)
    await reserve(store, job.id)
    await store.jobs.succeed(job, now=clock())

    await store.retention.prune(RetentionPolicy(), now=clock.advance(days=999))

    assert await store.jobs.list() == ()
    assert await store.calls.sum_spending("home", since=DAY) == Spending(
        1, 1, 900, 80, Decimal("0.01")
    )


async def took(
    store: Store,
    job_id: int | None,
    *calls: tuple[str, int, int],
    instance: str = "home",
    endpoint: str = "http://ai/v1",
    model: str = "gemma",
) -> None:
    """Record a job's calls: outcome, tokens out, milliseconds."""
    for outcome, tokens_out, took_ms in calls:
        call = replace(a_call(outcome=outcome), endpoint=endpoint, model=model)
        call = replace(call, tokens_out=tokens_out, took_ms=took_ms)
        await record_call(store, call, instance=instance, job_id=job_id)


async def experience(store: Store) -> TypicalUsage | None:
    return await store.calls.get_typical_usage("home", endpoint="http://ai/v1", model="gemma")


async def test_experience_is_the_median_of_what_answered_documents_took(store: Store) -> None:
    await took(store, 1, ("ok", 100, 1_000))
    await took(store, 2, ("answer_cut", 300, 2_000), ("ok", 200, 4_000))
    await took(store, 3, ("ok", 90, 9_000))

    assert await experience(store) == TypicalUsage(
        3, tokens_out=100, took_ms=6_000, tokens_in=900, calls=1
    )


async def test_there_is_no_experience_with_what_was_not_answered_or_is_another(
    store: Store,
) -> None:
    await took(store, 1, ("model_unavailable", 0, 10))
    await took(store, 2, ("ok", 100, 1_000), model="another")
    await took(store, 3, ("ok", 100, 1_000), endpoint="http://elsewhere/v1")
    await took(store, 4, ("ok", 100, 1_000), instance="office")
    await took(store, None, ("ok", 100, 1_000))

    assert await experience(store) is None


async def test_only_the_latest_documents_make_experience(store: Store) -> None:
    await took(store, 1, ("ok", 1, 1))
    for job_id in range(2, 202):
        await took(store, job_id, ("ok", 50, 500))

    assert await experience(store) == TypicalUsage(200, tokens_out=50, took_ms=500, tokens_in=900)


async def finish_call(store: Store, call: ModelCall) -> None:
    number = await reserve(store, 1, call)
    await store.calls.finish(number, call)


async def usual_time(store: Store) -> int | None:
    return await store.calls.get_usual_time(endpoint="http://ai/v1", model="gemma")


async def test_the_usual_time_is_the_median_of_a_models_answered_calls(store: Store) -> None:
    for took_ms in (1_000, 2_000, 40_000):
        await finish_call(store, replace(a_call(), took_ms=took_ms))
    await finish_call(store, replace(a_call(), took_ms=9, outcome="probe"))
    await finish_call(store, replace(a_call(), took_ms=9, outcome="answer_interrupted"))
    await finish_call(store, replace(a_call(), took_ms=9, model="another"))
    await finish_call(store, replace(a_call(), took_ms=9, endpoint="http://elsewhere/v1"))

    assert await usual_time(store) == 2_000


async def test_two_calls_have_no_usual_time(store: Store) -> None:
    for _ in range(2):
        await finish_call(store, a_call())

    assert await usual_time(store) is None
