"""Vital signs, lists for programs, and addresses that outlive what they named."""

from datetime import timedelta
from decimal import Decimal

import pytest

from core.analysis import STARTED
from core.documents import DocumentFilter, DocumentRef, DocumentState
from core.jobs import EventName, JobStatus
from core.messages import plain
from core.scans import ScanPage
from store import JobFilter, ResultDeleted, ResultNotFound, Store
from store.retention import RetentionPolicy
from store.statistics import HealthFigures, ModelUsage
from tests.store.builders import (
    HOME_7,
    HOME_8,
    NOON,
    PROBLEM,
    FakeClock,
    a_new_job,
    a_plan,
    an_analysis,
    claim,
    enqueue_and_claim,
    enqueue_job,
)
from tests.store.test_calls import a_call, reserve

ATTIC_1 = DocumentRef("attic", 1)
HOUR = timedelta(hours=1)
AT_ONCE = RetentionPolicy(
    events=timedelta(), results=timedelta(), jobs=90 * 24 * HOUR, changes=365 * 24 * HOUR
)


async def test_the_queue_is_counted_by_instance_and_status(store: Store, clock: FakeClock) -> None:
    done = await enqueue_and_claim(store, clock)
    await store.jobs.succeed(done, now=clock())
    await enqueue_and_claim(store, clock, HOME_8)
    await enqueue_job(store, clock, HOME_7)
    await enqueue_job(store, clock, ATTIC_1)

    assert await store.health.count_live_jobs() == {
        "home": {JobStatus.PENDING: 1, JobStatus.PROCESSING: 1},
        "attic": {JobStatus.PENDING: 1},
    }


async def test_failures_are_counted_from_a_time_on(store: Store, clock: FakeClock) -> None:
    job = await enqueue_and_claim(store, clock)
    await store.jobs.fail(job, PROBLEM, now=clock())

    pulse = await store.health.get_health_figures(failed_since=(NOON, NOON + HOUR))

    assert pulse.failed == (1, 0)


async def test_the_pulse_can_be_that_of_some_instances(store: Store, clock: FakeClock) -> None:
    for seconds, document in ((2, HOME_7), (8, ATTIC_1)):
        failed = await enqueue_and_claim(store, clock, document)
        await store.jobs.fail(failed, PROBLEM, now=clock())
        done = await enqueue_and_claim(store, clock, DocumentRef(document.instance, 9))
        await store.jobs.succeed(done, now=clock.advance(seconds=seconds))
    for document in (HOME_7, ATTIC_1):
        await enqueue_job(store, clock, DocumentRef(document.instance, 10))

    attic = await store.health.get_health_figures(failed_since=[NOON], instances=["attic"])
    both = await store.health.get_health_figures(failed_since=[NOON])

    assert attic == HealthFigures(1, (1,), timedelta(seconds=8))
    assert both == HealthFigures(2, (2,), timedelta(seconds=5))


async def test_a_document_takes_from_its_last_claim_to_its_end(
    store: Store, clock: FakeClock
) -> None:
    assert await store.health.get_mean_time() is None
    for document, seconds in ((HOME_7, 2), (HOME_8, 4)):
        job = await enqueue_and_claim(store, clock, document)
        await store.jobs.release(job, plain("stop"), now=clock.advance(hours=1))
        again = await claim(store, clock)
        await store.jobs.succeed(again, now=clock.advance(seconds=seconds))

    assert await store.health.get_mean_time() == timedelta(seconds=3)


async def test_what_waits_is_counted_by_document(store: Store, clock: FakeClock) -> None:
    for document in (HOME_7, HOME_8):
        job = await enqueue_and_claim(store, clock, document)
        await store.changes.record_plan(job, a_plan(), made_from="plan", now=clock())

    assert await store.statistics.count_for_review(("home", "office")) == {"home": 2, "office": 0}


async def test_only_calls_that_have_ended_are_added_up(store: Store) -> None:
    for _ in range(2):
        await store.calls.finish(await reserve(store, 1), a_call())
    await reserve(store, 1, a_call(outcome=STARTED))

    assert await store.health.sum_model_usage(since=NOON) == (
        ModelUsage("home", "gemma", "ok", 2, 1800, 160, 2400, Decimal("0.02")),
    )
    assert await store.health.sum_model_usage(since=NOON + HOUR) == ()


async def test_spending_is_added_up_span_by_span(store: Store) -> None:
    for hours in (0, 1, 1, 3, 9):
        await reserve(store, hours, a_call(at=NOON + hours * HOUR))

    begins = [NOON + n * HOUR for n in (0, 1, 2, 4)]
    spent = (await store.calls.sum_periods(["home", "attic"], begins))["home"]

    assert {number: span.calls for number, span in spent.spans.items()} == {0: 1, 1: 2, 2: 1}
    assert spent.spans[1].documents == 1


async def test_followers_learn_what_an_event_is_about(store: Store, clock: FakeClock) -> None:
    await enqueue_job(store, clock)
    await claim(store, clock)

    first, second = await store.jobs.list_events_with_jobs(0)

    assert (first.document, first.kind) == (HOME_7, "analyze")
    assert second.event.name is EventName.CLAIMED
    assert await store.jobs.list_events_with_jobs(first.event.id) == (second,)
    assert await store.jobs.list_events_with_jobs(0, limit=1) == (first,)
    assert await store.jobs.list_job_events_after(1, after=first.event.id) == (second.event,)


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        (DocumentFilter(), [HOME_8, HOME_7, ATTIC_1]),
        (DocumentFilter(before=HOME_8), [HOME_7, ATTIC_1]),
        (DocumentFilter(before=HOME_7), [ATTIC_1]),
        (DocumentFilter(instances=frozenset({"attic"})), [ATTIC_1]),
        (DocumentFilter(instances=frozenset()), []),
        (DocumentFilter(state=DocumentState.QUEUED), [HOME_8, ATTIC_1]),
        (DocumentFilter(title="brief"), [HOME_7]),
        (DocumentFilter(title="_"), []),
    ],
)
async def test_documents_are_listed(
    store: Store, clock: FakeClock, wanted: DocumentFilter, found: list[DocumentRef]
) -> None:
    job = await enqueue_and_claim(store, clock)
    await store.documents.record_fetched(job, title="Ein Brief", content_hash="", now=clock())
    await store.jobs.succeed(job, now=clock())
    for document in (HOME_8, ATTIC_1):
        await enqueue_job(store, clock, document)

    assert [document.ref for document in await store.documents.list(wanted)] == found


async def test_scans_are_listed_for_those_who_may_see_them(store: Store, clock: FakeClock) -> None:
    for instance in ("home", "attic"):
        await store.scans.start(instance, asked_by="hand", now=clock())

    listed = await store.scans.list_for_instances(instances={"attic"})

    assert [scan.instance for scan in listed] == ["attic"]
    assert len(await store.scans.list_for_instances(instances=None)) == 2
    assert [scan.instance for scan in await store.scans.list_unfinished()] == ["home", "attic"]


async def test_failed_jobs_are_listed_by_their_cause(store: Store, clock: FakeClock) -> None:
    job = await enqueue_and_claim(store, clock)
    await store.jobs.fail(job, PROBLEM, now=clock())

    assert [found_job.id for found_job in await store.jobs.list(JobFilter(cause=PROBLEM.code))] == [
        job.id
    ]
    assert await store.jobs.list(JobFilter(cause="unexpected")) == ()
    assert await store.jobs.list(JobFilter(instances=frozenset({"attic"}))) == ()


async def test_the_address_of_a_deleted_result_stays_known(store: Store, clock: FakeClock) -> None:
    job = await enqueue_and_claim(store, clock)
    result = await store.results.save(job, an_analysis(), now=clock())
    await store.jobs.succeed(job, now=clock())
    assert await store.results.get_latest(job.id) == result

    await store.retention.prune(AT_ONCE, now=clock.advance(hours=1))

    with pytest.raises(ResultDeleted) as deleted:
        await store.results.get(result.id)
    assert (deleted.value.instance, deleted.value.deleted_at) == ("home", clock())
    assert await store.results.get_latest(job.id) is None
    with pytest.raises(ResultNotFound):
        await store.results.get(result.id)


async def test_known_instances_are_listed_by_name(store: Store) -> None:
    for name in ("home", "attic"):
        await store.instances.register(name, endpoint="http://ai/v1", now=NOON)

    assert [instance.name for instance in await store.instances.list_all()] == ["attic", "home"]


async def test_the_jobs_of_a_page_are_followed_in_order(store: Store, clock: FakeClock) -> None:
    scan = await store.scans.start("home", asked_by="hand", now=clock())
    page = ScanPage(((a_new_job(HOME_7), ""), (a_new_job(HOME_8), "")), seen=2)
    await store.scans.record_page(scan.id, page, now=clock())

    assert [event.document for event in await store.jobs.list_events_with_jobs(0)] == [
        HOME_7,
        HOME_8,
    ]
