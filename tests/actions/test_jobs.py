"""Steering the queue, also when much stands in it."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from sqlalchemy import insert

from actions import jobs
from actions.caller import Caller
from core.documents import DocumentRef
from core.jobs import JobStatus, NewJob
from core.scans import ScanPage
from store import DocumentIgnored, JobFilter, JobNotFound
from store.engine import engines_for
from store.rows import new_job_row
from store.tables import jobs as job_table
from tests.installation import home
from tests.query_counts import count_queries
from tests.store.builders import NOON, PROBLEM

MORE_THAN_ANY_LIST = 10_001
SEVERAL_TRANSACTIONS = 450
"""Jobs, of which no more than a hundred are moved at once."""


async def a_scan_of(caller: Caller, refs: Iterable[DocumentRef]) -> int:
    """Put documents into the queue as a scan does; return its number."""
    scan = await caller.store.scans.start("home", asked_by="hand", now=caller.now())
    page = ScanPage(tuple((NewJob(ref), "Brief") for ref in refs), seen=1)
    await caller.store.scans.record_page(scan.id, page, now=caller.now())
    return scan.id


async def fail(caller: Caller, count: int) -> None:
    """Let the first so many jobs of the queue fail."""
    for _ in range(count):
        job = await caller.store.jobs.claim(worker="worker", now=caller.now())
        assert job is not None
        await caller.store.jobs.fail(job, PROBLEM, now=caller.now())


def put_failed(data: Path, count: int) -> None:
    """Put so many failed jobs into the store at once."""
    engines = engines_for(None, data)
    rows = [new_job_row(NewJob(home(id_)), now=NOON, scan_id=None) for id_ in range(1, count + 1)]
    with engines.writer.begin() as connection:
        connection.execute(insert(job_table), [row | {"status": "failed"} for row in rows])
    engines.dispose()


async def with_status(caller: Caller, status: JobStatus) -> list[int]:
    return [job.id for job in await caller.store.jobs.list(JobFilter(status), limit=100_000)]


async def test_the_whole_of_a_large_scan_is_cancelled_with_few_transactions(
    caller: Caller,
) -> None:
    scan = await a_scan_of(caller, map(home, range(1, SEVERAL_TRANSACTIONS + 1)))

    with count_queries() as counted:
        cancelled = await jobs.cancel_scan(caller, scan, "too many")

    assert len(cancelled) == SEVERAL_TRANSACTIONS
    assert counted["transactions"] < 20
    assert await with_status(caller, JobStatus.PENDING) == []
    names = [event.name for event in await caller.store.jobs.list_events(cancelled[-1].id)]
    assert names == ["enqueued", "cancelled"]
    assert str(cancelled[-1].cancel_requested) == "admin: too many"


async def test_what_is_worked_on_is_asked_to_end_and_other_scans_go_on(caller: Caller) -> None:
    scan = await a_scan_of(caller, [home(1), home(2)])
    await caller.store.scans.finish(scan, now=caller.now())
    other = await a_scan_of(caller, [home(3)])
    await caller.store.jobs.claim(worker="worker", now=caller.now())

    cancelled = await jobs.cancel_scan(caller, scan)

    assert {job.document.id: job.status for job in cancelled} == {
        1: JobStatus.PROCESSING,
        2: JobStatus.CANCELLED,
    }
    assert str(cancelled[0].cancel_requested) == "admin"
    [left] = await caller.store.jobs.list(JobFilter(JobStatus.PENDING))
    assert left.scan_id == other


async def test_all_failed_jobs_are_meant_however_many(caller: Caller, tmp_path: Path) -> None:
    put_failed(tmp_path / "data", MORE_THAN_ANY_LIST)

    failed = await jobs.list_failed(caller)

    assert sorted(failed) == list(range(1, MORE_THAN_ANY_LIST + 1))


async def test_many_jobs_are_started_again_with_few_transactions(caller: Caller) -> None:
    scan = await a_scan_of(caller, map(home, range(1, SEVERAL_TRANSACTIONS + 1)))
    cancelled = await jobs.cancel_scan(caller, scan)

    with count_queries() as counted:
        again = await jobs.retry(caller, [job.id for job in cancelled])

    assert len(again.jobs) == SEVERAL_TRANSACTIONS
    assert again.refused == ()
    assert counted["transactions"] < 20


async def test_what_cannot_be_started_again_stops_no_other(caller: Caller) -> None:
    await a_scan_of(caller, [home(1), home(2)])
    await fail(caller, 2)
    await caller.store.documents.ignore(home(1), by="admin", now=caller.now())

    again = await jobs.retry(caller, [4711, *await jobs.list_failed(caller)])

    assert [job.document for job in again.jobs] == [home(2)]
    assert {type(error) for error in again.refused} == {JobNotFound, DocumentIgnored}


async def test_a_document_that_failed_twice_is_started_again_once(caller: Caller) -> None:
    for _ in range(2):
        await caller.store.jobs.enqueue(NewJob(home(1)), now=caller.now())
        await fail(caller, 1)

    again = await jobs.retry(caller, await jobs.list_failed(caller))

    assert (len(again.jobs), len(again.refused)) == (1, 1)
    assert await with_status(caller, JobStatus.PENDING) == [job.id for job in again.jobs]


async def test_jobs_that_one_may_not_see_are_as_if_they_did_not_exist(caller: Caller) -> None:
    await a_scan_of(caller, [home(1)])
    await fail(caller, 1)
    stranger = replace(caller, settings={}, only=frozenset({"attic"}))

    again = await jobs.retry(stranger, [1])

    assert again.jobs == ()
    assert [type(error) for error in again.refused] == [JobNotFound]
    assert await with_status(caller, JobStatus.FAILED) == [1]
