"""Scans: pages of documents and jobs, and a report that adds up."""

from datetime import datetime

import pytest

from core.documents import DocumentRef, DocumentState
from core.errors import Problem
from core.jobs import DRY_RUN, EventName, JobStatus, Priority
from core.messages import plain
from core.scans import ScanPage, SkipReason
from store import InvalidTransition, ScanNotFound, Store
from tests.store.builders import (
    HOME_7,
    HOME_8,
    PROBLEM,
    FakeClock,
    a_new_job,
    claim,
    enqueue_and_claim,
    enqueue_job,
)

UNKNOWN = 99


def a_page(*refs: DocumentRef, kind: str = "analyze", title: str = "Brief") -> ScanPage:
    selected = tuple((a_new_job(ref, kind=kind), title) for ref in refs)
    return ScanPage(selected, seen=len(refs))


async def start(store: Store, clock: FakeClock) -> int:
    return (await store.scans.start("home", asked_by="hand", now=clock())).id


async def test_a_scan_begins_with_nothing_seen(store: Store, clock: FakeClock) -> None:
    scan = await store.scans.start("home", asked_by="hand", now=clock())

    assert (scan.instance, scan.asked_by, scan.started_at) == ("home", "hand", clock())
    assert (scan.seen, scan.enqueued, scan.skipped, scan.finished_at) == (0, 0, {}, None)
    assert await store.scans.get(scan.id) == scan


async def test_a_page_makes_jobs_and_rows_of_its_scan(store: Store, clock: FakeClock) -> None:
    scan = await start(store, clock)

    made = await store.scans.record_page(scan, a_page(HOME_7, HOME_8), now=clock())

    assert made == 2
    known = await store.documents.get(HOME_7)
    assert known is not None
    assert (known.state, known.title) == (DocumentState.QUEUED, "Brief")
    job = await claim(store, clock)
    assert (job.document, job.scan_id, job.priority) == (HOME_7, scan, Priority.NEW)
    event, _ = await store.jobs.list_events(job.id)
    assert event.name is EventName.ENQUEUED
    assert event.data == {"asked_by": "timer", "kind": "analyze", "priority": 10, "scan": scan}


async def test_the_report_adds_up_over_pages(store: Store, clock: FakeClock) -> None:
    scan = await start(store, clock)
    skipped = {SkipReason.EXCLUDED: 2, SkipReason.DONE: 1}
    first = ScanPage(a_page(HOME_7).selected, seen=4, skipped=skipped)
    second = ScanPage(a_page(HOME_8).selected, seen=2, skipped={SkipReason.DONE: 1})

    await store.scans.record_page(scan, first, now=clock())
    await store.scans.record_page(scan, second, now=clock())

    report = await store.scans.get(scan)
    assert (report.seen, report.enqueued) == (6, 2)
    assert report.skipped == {SkipReason.EXCLUDED: 2, SkipReason.DONE: 2}


async def test_an_empty_page_counts_what_it_saw(store: Store, clock: FakeClock) -> None:
    scan = await start(store, clock)

    made = await store.scans.record_page(scan, ScanPage(seen=3), now=clock())

    assert made == 0
    assert (await store.scans.get(scan)).seen == 3


async def test_the_same_page_twice_makes_its_jobs_once(store: Store, clock: FakeClock) -> None:
    scan = await start(store, clock)
    page = a_page(HOME_7, HOME_8, HOME_8)

    assert await store.scans.record_page(scan, page, now=clock()) == 2
    assert await store.scans.record_page(scan, page, now=clock()) == 0

    report = await store.scans.get(scan)
    assert (report.seen, report.enqueued, report.skipped) == (6, 2, {SkipReason.QUEUED: 4})
    assert len(await store.jobs.list()) == 2


async def test_what_became_ignored_in_the_meantime_is_skipped(
    store: Store, clock: FakeClock
) -> None:
    scan = await start(store, clock)
    await store.documents.ignore(HOME_7, by="anna", now=clock())

    made = await store.scans.record_page(scan, a_page(HOME_7, HOME_8), now=clock())

    assert made == 1
    assert (await store.scans.get(scan)).skipped == {SkipReason.IGNORED: 1}
    known = await store.documents.get(HOME_7)
    assert known is not None
    assert known.state is DocumentState.IGNORED


async def test_a_document_selected_again_is_queued_again(store: Store, clock: FakeClock) -> None:
    job = await enqueue_and_claim(store, clock)
    await store.documents.record_fetched(job, title="Alt", content_hash="abc", now=clock())
    await store.jobs.succeed(job, now=clock())
    await store.documents.mark_trigger_removed(HOME_7, now=clock())
    first = await store.documents.get(HOME_7)
    scan = await start(store, clock)

    await store.scans.record_page(scan, a_page(HOME_7), now=clock.advance(days=1))

    known = await store.documents.get(HOME_7)
    assert first is not None
    assert known is not None
    assert (known.state, known.trigger_removed) == (DocumentState.QUEUED, False)
    assert (known.title, known.content_hash) == ("Brief", "abc")
    assert (known.first_seen_at, known.updated_at) == (first.first_seen_at, clock())


async def test_a_live_twin_keeps_its_row(store: Store, clock: FakeClock) -> None:
    await enqueue_job(store, clock)
    await store.documents.mark_trigger_removed(HOME_7, now=clock())
    before = await store.documents.get(HOME_7)
    scan = await start(store, clock)

    made = await store.scans.record_page(scan, a_page(HOME_7), now=clock.advance(days=1))

    assert made == 0
    assert await store.documents.get(HOME_7) == before


async def test_a_rehearsing_scan_leaves_the_rows_alone(store: Store, clock: FakeClock) -> None:
    scan = await start(store, clock)

    made = await store.scans.record_page(scan, a_page(HOME_7, kind=DRY_RUN), now=clock())

    assert made == 1
    assert await store.documents.get(HOME_7) is None


async def test_a_thousand_documents_are_one_quick_page(store: Store, clock: FakeClock) -> None:
    scan = await start(store, clock)
    refs = [DocumentRef("home", number) for number in range(1, 1001)]

    made = await store.scans.record_page(scan, a_page(*refs), now=clock())

    assert made == 1000
    assert len(await store.documents.get_many("home", range(1, 2000))) == 1000
    assert (await store.jobs.count_for_scan(scan))[JobStatus.PENDING] == 1000


async def test_a_page_is_written_wholly_or_not_at_all(store: Store, clock: FakeClock) -> None:
    scan = await start(store, clock)
    naive = clock().replace(tzinfo=None)

    with pytest.raises(Exception, match="must be aware"):
        await store.scans.record_page(scan, a_page(HOME_7), now=naive)

    assert await store.jobs.list() == ()
    assert (await store.scans.get(scan)).seen == 0


async def last_scan_at(store: Store) -> datetime | None:
    instance = await store.instances.get("home")
    assert instance is not None
    return instance.last_scan_at


async def test_a_scan_that_went_through_says_when(store: Store, clock: FakeClock) -> None:
    await store.instances.register("home", endpoint="http://ollama/v1", now=clock())
    scan = await start(store, clock)

    finished = await store.scans.finish(scan, now=clock.advance(seconds=9))

    assert (finished.finished_at, finished.problem) == (clock(), None)
    assert await last_scan_at(store) == clock()


@pytest.mark.parametrize(
    "problem", [PROBLEM, Problem("tag_missing", plain("none"), "", "Make it.")]
)
async def test_a_scan_that_ended_early_says_why(
    store: Store, clock: FakeClock, problem: Problem
) -> None:
    await store.instances.register("home", endpoint="http://ollama/v1", now=clock())
    scan = await start(store, clock)

    ended = await store.scans.give_up(scan, problem=problem, now=clock.advance(seconds=9))

    assert (ended.finished_at, ended.problem) == (clock(), problem)
    assert await last_scan_at(store) is None


async def test_a_finished_scan_takes_no_more(store: Store, clock: FakeClock) -> None:
    scan = await start(store, clock)
    await store.scans.finish(scan, now=clock())

    with pytest.raises(InvalidTransition):
        await store.scans.record_page(scan, a_page(HOME_7), now=clock())
    with pytest.raises(InvalidTransition):
        await store.scans.finish(scan, now=clock())
    with pytest.raises(InvalidTransition):
        await store.scans.give_up(scan, problem=PROBLEM, now=clock())

    assert await store.jobs.list() == ()


async def test_an_unknown_scan_is_not_found(store: Store, clock: FakeClock) -> None:
    with pytest.raises(ScanNotFound):
        await store.scans.get(UNKNOWN)
    with pytest.raises(ScanNotFound):
        await store.scans.record_page(UNKNOWN, ScanPage(), now=clock())
    with pytest.raises(ScanNotFound):
        await store.scans.finish(UNKNOWN, now=clock())


async def test_scans_are_listed_newest_first_and_by_page(store: Store, clock: FakeClock) -> None:
    first = await store.scans.start("home", asked_by="cron", now=clock())
    first = await store.scans.finish(first.id, now=clock())
    other = await store.scans.start("office", asked_by="cron", now=clock())
    last = await store.scans.start("home", asked_by="hand", now=clock())

    assert await store.scans.list() == (last, other, first)
    assert await store.scans.list("home") == (last, first)
    assert await store.scans.list("home", limit=1) == (last,)
    assert await store.scans.list("home", before_id=last.id) == (first,)
    assert await store.scans.get_latest("home") == last
    assert await store.scans.get_latest("attic") is None


async def test_the_newest_jobs_of_several_scans_are_counted(store: Store, clock: FakeClock) -> None:
    first = await start(store, clock)
    await store.scans.record_page(first, a_page(HOME_7), now=clock())
    await store.scans.finish(first, now=clock())
    second = await start(store, clock)
    await store.scans.record_page(second, a_page(HOME_8, DocumentRef("home", 9)), now=clock())
    done = await claim(store, clock)
    await store.jobs.succeed(done, now=clock())
    under_way = await claim(store, clock)

    assert (done.scan_id, under_way.scan_id) == (first, second)
    assert await store.jobs.count_for_scans([first, second, UNKNOWN], most=9) == {
        first: {JobStatus.COMPLETED: 1},
        second: {JobStatus.PENDING: 1, JobStatus.PROCESSING: 1},
        UNKNOWN: {},
    }
    assert await store.jobs.count_for_scans([second], most=1) == {second: {JobStatus.PENDING: 1}}
    assert await store.jobs.count_for_scans([], most=9) == {}


async def test_scans_that_found_nothing_can_be_left_out(store: Store, clock: FakeClock) -> None:
    fruitful = await start(store, clock)
    await store.scans.record_page(fruitful, a_page(HOME_7), now=clock())
    await store.scans.finish(fruitful, now=clock())
    empty = await start(store, clock)
    await store.scans.finish(empty, now=clock())
    failed = await start(store, clock)
    await store.scans.give_up(failed, problem=PROBLEM, now=clock())
    under_way = await start(store, clock)

    shown = await store.scans.list_for_instances(instances={"home"}, with_empty=False)

    assert [scan.id for scan in shown] == [under_way, failed, fruitful]
    assert len(await store.scans.list_for_instances(instances={"home"})) == 4
