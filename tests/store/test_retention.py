"""Retention: what is finished and old goes by and by, and nothing that is live."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import Connection, event, insert

from core.analysis import Chunk
from core.changes import AcceptedChange, ChangeOutcome, ChangeState, Decision, Plan
from core.documents import DocumentRef
from core.jobs import ANALYZE, DRY_RUN, UNDO, Job, JobStatus
from core.messages import plain
from core.scans import ScanPage
from store import JobDeleted, JobNotFound, ResultNotFound, ScanNotFound, Store
from store.database import Database
from store.engine import engines_for
from store.retention import CHUNK, PruneCounts, Retention, RetentionPolicy
from store.tables import events
from tests.store.builders import (
    HOME_7,
    HOME_8,
    NOON,
    PROBLEM,
    FakeClock,
    a_new_job,
    a_planned_change,
    a_tag_to_review,
    an_analysis,
    claim,
    enqueue_and_claim,
    enqueue_job,
)
from tests.store.conftest import Place

POLICY = RetentionPolicy(
    events=timedelta(days=30),
    results=timedelta(days=60),
    partial_results=timedelta(days=10),
    jobs=timedelta(days=90),
    changes=timedelta(days=365),
)
NOTHING = PruneCounts()


async def finished(
    store: Store, clock: FakeClock, document: DocumentRef = HOME_7, *, kind: str = ANALYZE
) -> Job:
    """Return a completed job with events and a result."""
    job = await enqueue_and_claim(store, clock, document, kind=kind)
    await store.results.save(job, an_analysis(), now=clock())
    return await store.jobs.succeed(job, now=clock())


async def prune(store: Store, clock: FakeClock, policy: RetentionPolicy = POLICY) -> PruneCounts:
    return await store.retention.prune(policy, now=clock())


async def test_what_is_young_stays(store: Store, clock: FakeClock) -> None:
    job = await finished(store, clock)

    clock.advance(days=30)

    assert await prune(store, clock) == NOTHING
    assert len(await store.jobs.list_events(job.id)) == 4


async def test_each_thing_goes_at_its_time(store: Store, clock: FakeClock) -> None:
    job = await finished(store, clock)
    result = await store.results.get_final(job.id)
    assert result is not None

    clock.advance(days=30, microseconds=1)
    assert await prune(store, clock) == PruneCounts(events=4)
    assert await store.jobs.list_events(job.id) == ()
    assert await store.results.get(result.id) == result

    clock.advance(days=30)
    assert await prune(store, clock) == PruneCounts(results=1)
    with pytest.raises(ResultNotFound):
        await store.results.get(result.id)
    assert await store.jobs.get(job.id) == job

    clock.advance(days=30)
    assert await prune(store, clock) == PruneCounts(jobs=1)
    with pytest.raises(JobNotFound):
        await store.jobs.get(job.id)
    assert await prune(store, clock) == NOTHING


async def test_suggestions_are_kept_as_long_as_the_result(store: Store, clock: FakeClock) -> None:
    job = await enqueue_and_claim(store, clock)
    await store.results.save(job, an_analysis(), now=clock())
    await store.changes.record_plan(
        job, Plan(leave=(a_planned_change(),)), made_from="plan", now=clock()
    )
    await store.jobs.succeed(job, now=clock())

    clock.advance(days=60)
    await prune(store, clock)
    kept = await store.changes.list_suggestions(job.id)
    clock.advance(microseconds=1)
    pruned = await prune(store, clock)

    assert len(kept) == 1
    assert pruned == PruneCounts(results=1, planned_suggestions=1)
    assert await store.changes.list_suggestions(job.id) == ()


async def test_partial_results_go_first(store: Store, clock: FakeClock) -> None:
    job = await enqueue_and_claim(store, clock)
    part = replace(an_analysis(), part=Chunk(1, 2))
    await store.results.save_chunk(job, part, now=clock())
    final = await store.results.save(job, an_analysis(), now=clock())
    clock.advance(days=99)
    await store.jobs.succeed(job, now=clock())

    clock.advance(days=10)
    assert await prune(store, clock) == NOTHING
    clock.advance(microseconds=1)
    assert await prune(store, clock) == PruneCounts(results=1)

    assert await store.results.list_for_job(job.id) == (final,)


async def test_a_job_takes_along_what_would_be_kept_longer(store: Store, clock: FakeClock) -> None:
    await finished(store, clock)
    short = replace(POLICY, jobs=timedelta(days=1))

    clock.advance(days=2)

    assert await prune(store, clock, short) == PruneCounts(events=4, results=1, jobs=1)


@pytest.mark.parametrize("end", ["fail", "cancelled"])
async def test_failed_and_cancelled_jobs_are_finished_too(
    store: Store, clock: FakeClock, end: str
) -> None:
    job = await enqueue_and_claim(store, clock)
    if end == "fail":
        await store.jobs.fail(job, PROBLEM, now=clock())
    else:
        await store.jobs.end_cancelled(job, plain("asked"), now=clock())

    clock.advance(days=91)

    assert await prune(store, clock) == PruneCounts(events=3, jobs=1)


async def test_live_jobs_stay_however_old_they_are(store: Store, clock: FakeClock) -> None:
    pending = await enqueue_job(store, clock, HOME_8)
    processing = await claim(store, clock)
    assert pending.id == processing.id
    waiting = await enqueue_job(store, clock, HOME_7)
    await store.results.save(processing, an_analysis(), now=clock())

    clock.advance(days=9999)

    assert await prune(store, clock) == NOTHING
    assert await store.jobs.get(waiting.id) == waiting
    assert await store.results.get_final(processing.id) is not None


async def test_a_restarted_job_is_live_again(store: Store, clock: FakeClock) -> None:
    job = await enqueue_and_claim(store, clock)
    await store.results.save(job, an_analysis(), now=clock())
    await store.jobs.fail(job, PROBLEM, now=clock())
    clock.advance(days=9999)
    await store.jobs.restart(job.id, by="anna", now=clock())

    assert await prune(store, clock) == NOTHING


async def test_a_result_that_a_live_job_may_use_stays(store: Store, clock: FakeClock) -> None:
    rehearsal = await finished(store, clock, kind=DRY_RUN)
    await enqueue_job(store, clock, HOME_7)

    clock.advance(days=9999)

    assert await prune(store, clock) == PruneCounts(events=4)
    assert await store.jobs.get(rehearsal.id) == rehearsal
    assert await store.results.get_final(rehearsal.id) is not None


async def test_a_job_with_open_changes_stays_until_they_are_settled(
    store: Store, clock: FakeClock
) -> None:
    job = await enqueue_and_claim(store, clock)
    plan = Plan(review=(a_tag_to_review(),))
    (waiting,) = await store.changes.record_plan(job, plan, made_from="plan", now=clock())
    await store.jobs.succeed(job, now=clock())
    clock.advance(days=91)

    await prune(store, clock)
    assert (await store.jobs.get(job.id)).status is JobStatus.COMPLETED

    accept = Decision(accept=(AcceptedChange(waiting.id, waiting.after, None),))
    await store.changes.decide(HOME_7, accept, by="anna", max_attempts=3, now=clock())
    apply = await claim(store, clock)
    await prune(store, clock)
    assert (await store.jobs.get(job.id)).status is JobStatus.COMPLETED

    applied = [ChangeOutcome(waiting.id, ChangeState.APPLIED)]
    await store.changes.settle(apply, applied, now=clock())
    await store.jobs.succeed(apply, now=clock())
    assert await prune(store, clock) == PruneCounts(jobs=1)


async def test_settled_changes_stay_as_long_as_undo_is_promised(
    store: Store, clock: FakeClock
) -> None:
    job = await enqueue_and_claim(store, clock)
    plan = Plan(now=(a_planned_change(),), review=(a_tag_to_review(),))
    now, review = await store.changes.record_plan(job, plan, made_from="plan", now=clock())
    await store.changes.settle(job, [ChangeOutcome(now.id, ChangeState.APPLIED)], now=clock())
    await store.jobs.succeed(job, now=clock())

    clock.advance(days=365)
    assert (await prune(store, clock)).changes == 0

    clock.advance(microseconds=1)
    assert (await prune(store, clock)).changes == 1
    assert await store.changes.list_for_document(HOME_7) == (review,)


@pytest.mark.parametrize("state", [ChangeState.CONFLICT, None])
async def test_what_waits_or_is_intended_is_never_deleted(
    store: Store, clock: FakeClock, state: ChangeState | None
) -> None:
    job = await enqueue_and_claim(store, clock)
    (change,) = await store.changes.record_plan(
        job, Plan(now=(a_planned_change(),)), made_from="plan", now=clock()
    )
    if state is not None:
        await store.changes.settle(job, [ChangeOutcome(change.id, state)], now=clock())
    await store.jobs.succeed(job, now=clock())

    clock.advance(days=9999)

    # Without a result, nothing keeps the suggestion that the change was planned from.
    events = 4 if state is None else 5
    assert await prune(store, clock) == PruneCounts(events=events, planned_suggestions=1)
    assert [kept.id for kept in await store.changes.list_for_document(HOME_7)] == [change.id]


async def test_changes_that_are_about_to_be_undone_stay(store: Store, clock: FakeClock) -> None:
    job = await enqueue_and_claim(store, clock)
    (change,) = await store.changes.record_plan(
        job, Plan(now=(a_planned_change(),)), made_from="plan", now=clock()
    )
    await store.changes.settle(job, [ChangeOutcome(change.id, ChangeState.APPLIED)], now=clock())
    await store.jobs.succeed(job, now=clock())
    clock.advance(days=9999)
    await enqueue_job(store, clock, HOME_7, kind=UNDO)

    assert (await prune(store, clock)).changes == 0


async def scanned(store: Store, clock: FakeClock) -> tuple[int, Job]:
    """Give a finished scan and the job that it made, completed with one applied change."""
    scan = await store.scans.start("home", asked_by="hand", now=clock())
    page = ScanPage(((a_new_job(HOME_7), "Brief"),), seen=1)
    await store.scans.record_page(scan.id, page, now=clock())
    await store.scans.finish(scan.id, now=clock())
    job = await claim(store, clock)
    (change,) = await store.changes.record_plan(
        job, Plan(now=(a_planned_change(),)), made_from="plan", now=clock()
    )
    await store.changes.settle(job, [ChangeOutcome(change.id, ChangeState.APPLIED)], now=clock())
    return scan.id, await store.jobs.succeed(job, now=clock())


async def test_a_scan_can_be_undone_after_its_jobs_are_gone(store: Store, clock: FakeClock) -> None:
    scan, job = await scanned(store, clock)
    clock.advance(days=91)

    pruned = await prune(store, clock)

    assert (pruned.jobs, pruned.scans) == (1, 0)
    (change,) = await store.changes.list_for_scan(scan)
    assert change.job_id == job.id
    assert (await store.scans.get(scan)).enqueued == 1


async def test_a_scan_goes_when_nothing_of_it_is_left(store: Store, clock: FakeClock) -> None:
    scan, _ = await scanned(store, clock)
    clock.advance(days=366)

    pruned = await prune(store, clock)

    assert (pruned.jobs, pruned.changes, pruned.scans) == (1, 1, 1)
    with pytest.raises(ScanNotFound):
        await store.scans.get(scan)


async def test_young_and_unfinished_scans_stay(store: Store, clock: FakeClock) -> None:
    asked = await store.scans.request("home", asked_by="anna", now=clock())
    clock.advance(days=9999)
    young = await store.scans.start("office", asked_by="anna", now=clock())
    await store.scans.finish(young.id, now=clock())

    assert await prune(store, clock) == NOTHING
    assert await store.scans.find_requested("home") == asked


async def test_the_rows_of_documents_stay_for_ever(store: Store, clock: FakeClock) -> None:
    await finished(store, clock)

    await prune(store, clock, replace(POLICY, jobs=timedelta(0)))

    clock.advance(days=9999)
    await prune(store, clock)
    assert await store.documents.get(HOME_7) is not None


async def test_numbers_of_deleted_jobs_are_never_given_again(
    store: Store, clock: FakeClock
) -> None:
    old = await finished(store, clock)
    last = await store.jobs.get_last_event_id()
    clock.advance(days=9999)
    await prune(store, clock)

    new = await enqueue_job(store, clock)

    assert new.id > old.id
    (event,) = await store.jobs.list_events_after(last)
    assert event.job_id == new.id


async def test_numbers_of_deleted_scans_are_never_given_again(
    store: Store, clock: FakeClock
) -> None:
    old = await store.scans.start("home", asked_by="timer", now=clock())
    await store.scans.finish(old.id, now=clock())
    clock.advance(days=91)
    assert await prune(store, clock) == PruneCounts(scans=1)

    new = await store.scans.start("home", asked_by="timer", now=clock())

    assert new.id > old.id


@pytest.fixture
async def database(place: Place, store: Store) -> AsyncIterator[Database]:
    opened = Database(engines_for(place.url, place.data))
    yield opened
    await opened.close()


async def many_events(database: Database, job: Job, count: int) -> None:
    row = {"job_id": job.id, "name": "progressed", "at": NOON, "trace": None, "data": {}}

    def write(connection: Connection) -> None:
        connection.execute(insert(events), [row] * count)

    await database.write(write)


async def test_much_is_deleted_in_small_transactions(
    database: Database, store: Store, clock: FakeClock
) -> None:
    job = await finished(store, clock)
    await many_events(database, job, 3 * CHUNK)
    clock.advance(days=31)
    commits: list[int] = []
    event.listen(database.engines.writer, "commit", lambda _: commits.append(1))

    pruned = await Retention(database).prune(POLICY, now=clock())

    assert pruned.events == 3 * CHUNK + 4
    assert len(commits) == 4


async def test_others_get_their_turn_in_between(
    database: Database, store: Store, clock: FakeClock
) -> None:
    job = await finished(store, clock)
    await many_events(database, job, 3 * CHUNK)
    clock.advance(days=31)

    pruning = asyncio.create_task(Retention(database).prune(POLICY, now=clock()))
    while len(await store.jobs.list_events(job.id)) > 2 * CHUNK + 4:
        await asyncio.sleep(0)
    await enqueue_job(store, clock, HOME_8)

    assert (await pruning).events == 3 * CHUNK + 4


async def test_a_job_started_anew_while_it_is_looked_for_is_not_touched(
    database: Database, store: Store, clock: FakeClock
) -> None:
    job = await enqueue_and_claim(store, clock)
    await store.jobs.fail(job, PROBLEM, now=clock())
    clock.advance(days=9999)

    @event.listens_for(database.engines.writer, "begin")
    def start_anew(connection: Connection) -> None:
        connection.exec_driver_sql("UPDATE jobs SET status = 'pending', finished_at = NULL")

    pruned = await Retention(database).prune(POLICY, now=clock())

    assert pruned == NOTHING
    assert len(await store.jobs.list_events(job.id)) == 3


async def test_the_error_for_a_deleted_job_says_when_it_was_deleted(
    store: Store, clock: FakeClock
) -> None:
    job = await finished(store, clock)
    clock.advance(days=91)

    await prune(store, clock)

    with pytest.raises(JobDeleted) as caught:
        await store.jobs.get(job.id)
    assert (caught.value.document, caught.value.deleted_at) == (HOME_7, clock())
    with pytest.raises(JobNotFound, match="there is no job") as never:
        await store.jobs.get(job.id + 1)
    assert not isinstance(never.value, JobDeleted)
