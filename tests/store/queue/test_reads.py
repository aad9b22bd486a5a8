"""Lists and counts of jobs."""

from dataclasses import replace

import pytest
from sqlalchemy import event

from core.documents import DocumentRef
from core.jobs import ANALYZE, APPLY, Job, JobStatus
from core.scans import ScanPage
from store import JobFilter, Store
from store.database import Database
from store.engine import engines_for
from store.store import Jobs
from tests.store.builders import HOME_7, HOME_8, FakeClock, a_new_job, claim, enqueue_job
from tests.store.conftest import Place

OFFICE_7 = DocumentRef("office", 7)


async def some_jobs(store: Store, clock: FakeClock) -> dict[str, Job]:
    scan = await store.scans.start("home", asked_by="hand", now=clock())
    page = ScanPage(((a_new_job(HOME_7), "Brief"),), seen=1)
    await store.scans.record_page(scan.id, page, now=clock())
    scanned = await claim(store, clock)
    beside = await enqueue_job(store, clock, HOME_8)
    apply = await enqueue_job(store, clock, HOME_8, kind=APPLY)
    office = await enqueue_job(store, clock, OFFICE_7)
    return {"scanned": scanned, "beside": beside, "apply": apply, "office": office}


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        (JobFilter(), ["office", "apply", "beside", "scanned"]),
        (JobFilter(status=JobStatus.PROCESSING), ["scanned"]),
        (JobFilter(instance="home"), ["apply", "beside", "scanned"]),
        (JobFilter(kind=ANALYZE), ["office", "beside", "scanned"]),
        (JobFilter(document=HOME_8), ["apply", "beside"]),
        (JobFilter(scan_id=1), ["scanned"]),
        (JobFilter(before_id=3), ["beside", "scanned"]),
        (JobFilter(instance="home", status=JobStatus.PENDING, kind=APPLY), ["apply"]),
        (JobFilter(document=DocumentRef("attic", 1)), []),
    ],
)
async def test_jobs_are_listed_as_asked_for_and_newest_first(
    store: Store, clock: FakeClock, wanted: JobFilter, found: list[str]
) -> None:
    made = await some_jobs(store, clock)

    listed = await store.jobs.list(wanted)

    assert listed == tuple(made[name] for name in found)


async def test_a_list_goes_on_where_its_page_ended(store: Store, clock: FakeClock) -> None:
    made = await some_jobs(store, clock)

    first = await store.jobs.list(JobFilter(), limit=2)
    second = await store.jobs.list(replace(JobFilter(), before_id=first[-1].id), limit=2)

    assert [*first, *second] == [made[n] for n in ("office", "apply", "beside", "scanned")]


async def test_a_list_is_one_query(place: Place, store: Store, clock: FakeClock) -> None:
    await some_jobs(store, clock)
    engines = engines_for(place.url, place.data)
    database = Database(engines)
    queries: list[str] = []

    @event.listens_for(engines.reader, "before_cursor_execute")
    def note(_c: object, _cursor: object, statement: str, *_: object) -> None:
        queries.append(statement)

    await Jobs(database).list()
    await database.close()

    assert len([query for query in queries if query.startswith("SELECT")]) == 1


async def test_a_tally_has_a_number_for_every_status(store: Store, clock: FakeClock) -> None:
    await some_jobs(store, clock)
    none = dict.fromkeys(JobStatus, 0)

    assert await store.jobs.count_for_scan(1) == none | {JobStatus.PROCESSING: 1}
    assert await store.jobs.count_by_status("home") == none | {
        JobStatus.PROCESSING: 1,
        JobStatus.PENDING: 2,
    }
    assert await store.jobs.count_by_status() == none | {
        JobStatus.PROCESSING: 1,
        JobStatus.PENDING: 3,
    }
    assert await store.jobs.count_for_scan(99) == none
