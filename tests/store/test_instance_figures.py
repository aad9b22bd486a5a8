"""How instances stand, several at one look; and lists that are put together from several."""

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

from core.changes import ChangeOutcome, ChangeState, Plan
from core.documents import DocumentRef
from core.jobs import JobStatus, NewJob
from store import HistoryFilter, JobFilter, Store
from tests.store.builders import (
    HOME_7,
    HOME_8,
    NOON,
    PROBLEM,
    FakeClock,
    a_planned_change,
    enqueue_and_claim,
    enqueue_job,
    record_call,
)
from tests.store.test_calls import a_call

ATTIC_1 = DocumentRef("attic", 1)
DAY, MONTH = NOON.replace(hour=0), NOON - timedelta(days=20)


async def test_each_instance_stands_for_itself(store: Store, clock: FakeClock) -> None:
    await store.instances.register("home", endpoint="http://ai/v1", now=clock())
    job = await enqueue_and_claim(store, clock, HOME_7)
    await store.changes.record_plan(
        job, Plan(review=(a_planned_change(),)), made_from="plan", now=clock()
    )
    await store.jobs.succeed(job, now=clock())
    await store.jobs.fail(await enqueue_and_claim(store, clock, HOME_8), PROBLEM, now=clock())
    await enqueue_job(store, clock, ATTIC_1)
    for number, at in enumerate((DAY - timedelta(days=1), NOON, NOON)):
        await record_call(store, a_call(at=at, cost="0.5"), instance="home", job_id=number)

    seen = await store.instances.get_figures(["home", "attic"], day=DAY, month=MONTH)

    home, attic = seen["home"], seen["attic"]
    assert home.known is not None
    assert attic.known is None
    assert home.jobs == {JobStatus.PENDING: 0, JobStatus.PROCESSING: 0, JobStatus.FAILED: 1}
    assert attic.jobs[JobStatus.PENDING] == 1
    assert (home.for_review, attic.for_review) == (1, 0)
    assert (home.documents_today, home.cost_this_month) == (2, Decimal("1.5"))
    assert (attic.documents_today, attic.cost_this_month) == (0, Decimal(0))


async def test_the_newest_scan_and_the_last_that_ended_are_told_apart(
    store: Store, clock: FakeClock
) -> None:
    for instance in ("home", "home", "attic"):
        scan = await store.scans.start(instance, asked_by="cron", now=clock())
        await store.scans.finish(scan.id, now=clock())
    under_way = await store.scans.start("home", asked_by="cron", now=clock())

    seen = await store.instances.get_figures(["home", "cellar"], day=DAY, month=MONTH)

    assert seen["home"].newest_scan == under_way
    assert seen["home"].last_ended_scan == await store.scans.get(scan.id - 1)
    assert (seen["cellar"].newest_scan, seen["cellar"].last_ended_scan) == (None, None)


async def test_nobody_stands_where_no_instance_is(store: Store) -> None:
    assert await store.instances.get_figures([], day=DAY, month=MONTH) == {}
    assert await store.scans.list_for_instances(instances=[]) == ()
    assert await store.jobs.list(JobFilter(instances=frozenset())) == ()
    assert await store.changes.list_history(HistoryFilter(instances=frozenset())) == ()
    assert await store.statistics.count_by_status([], most=10) == dict.fromkeys(JobStatus, 0)


async def test_jobs_of_several_instances_are_listed_as_one_row(
    store: Store, clock: FakeClock
) -> None:
    refs = [HOME_7, ATTIC_1, HOME_8, DocumentRef("cellar", 2)]
    for ref in refs:
        await enqueue_job(store, clock, ref)
    job = await enqueue_and_claim(store, clock, DocumentRef("home", 9))
    await store.jobs.succeed(job, now=clock())

    seen = await store.jobs.list(JobFilter(instances=frozenset({"home", "attic"})), 3)
    everybody = await store.jobs.list()

    assert [event.document.id for event in seen] == [9, 8, 1]
    assert [event.document for event in everybody[1:]] == list(reversed(refs))


async def test_of_very_many_jobs_only_so_many_are_counted(store: Store, clock: FakeClock) -> None:
    for number in range(1, 6):
        await store.jobs.enqueue(NewJob(DocumentRef("home", number)), now=clock())
    await enqueue_job(store, clock, ATTIC_1)

    assert (await store.statistics.count_by_status(["home", "attic"], most=5))[
        JobStatus.PENDING
    ] == 5
    assert (await store.statistics.count_by_status(["home", "attic"], most=9))[
        JobStatus.PENDING
    ] == 6


async def test_what_was_written_last_comes_first_whenever_it_was_planned(
    store: Store, clock: FakeClock
) -> None:
    first = await enqueue_and_claim(store, clock, HOME_7)
    second = await enqueue_and_claim(store, clock, ATTIC_1)
    for job in (first, second):
        await store.changes.record_plan(
            job, Plan(now=(a_planned_change(),)), made_from="plan", now=clock()
        )
    for job in (second, first):
        clock.advance(minutes=1)
        (change,) = await store.changes.list_for_job(job.id)
        done = (ChangeOutcome(change.id, ChangeState.APPLIED),)
        await store.changes.settle(job, done, now=clock())

    newest, oldest = await store.changes.list_history()

    assert (newest.document, oldest.document) == (HOME_7, ATTIC_1)
    assert await store.changes.list_history(HistoryFilter(before_id=newest.id)) == (oldest,)
    assert await store.changes.list_history(HistoryFilter(before_id=oldest.id)) == ()


async def test_documents_of_several_instances_are_found_at_once(
    store: Store, clock: FakeClock
) -> None:
    for ref in (HOME_7, HOME_8, ATTIC_1):
        await enqueue_job(store, clock, ref)

    known = await store.documents.get_many_by_ref([HOME_7, ATTIC_1, DocumentRef("attic", 7)])

    assert known.keys() == {HOME_7, ATTIC_1}
    assert await store.documents.get_many_by_ref([]) == {}


async def test_a_document_that_two_models_read_is_one_document(store: Store) -> None:
    for model, job in (("small", 1), ("large", 1), ("small", 2)):
        await record_call(store, replace(a_call(), model=model), instance="home", job_id=job)

    begins = [NOON, NOON + timedelta(days=1)]
    found = await store.calls.sum_periods(["home", "attic"], begins)

    assert (found["home"].total.documents, found["home"].total.calls) == (2, 3)
    assert {name: spent.documents for name, spent in found["home"].models.items()} == {
        "large": 1,
        "small": 2,
    }
    assert found["attic"].models == {}
