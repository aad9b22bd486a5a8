"""Several processes on one queue: each job is done once, and events are numbered as committed."""

import asyncio
import sys
from pathlib import Path

import pytest
from sqlalchemy import Connection, select

from core.documents import DocumentRef
from core.jobs import Event, JobStatus
from core.scans import ScanPage
from store import ClaimLost, Store
from store.database import Database
from store.engine import engines_for
from store.tables import events
from tests.store.builders import FakeClock, a_new_job
from tests.store.conftest import Place

JOBS = 60
WORKER = """
import asyncio, sys
from datetime import datetime
from pathlib import Path
from store import open_store

async def drain(url, data, name, now):
    async with open_store(url or None, Path(data)) as store:
        print("ready", flush=True)
        await asyncio.to_thread(sys.stdin.readline)
        while job := await store.jobs.claim(worker=name, now=now):
            await store.jobs.succeed(job, now=now)
            print(job.id, flush=True)

asyncio.run(drain(*sys.argv[1:4], datetime.fromisoformat(sys.argv[4])))
"""


async def start_worker(place: Place, name: str, clock: FakeClock) -> asyncio.subprocess.Process:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-c", WORKER, place.url or "", str(place.data), name, clock().isoformat()),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        cwd=Path(__file__).parents[3],
    )
    assert process.stdout is not None
    assert await process.stdout.readline() == b"ready\n"
    return process


async def ids_done_by(process: asyncio.subprocess.Process) -> list[int]:
    output, _ = await process.communicate(b"go\n")
    assert process.returncode == 0
    return [int(line) for line in output.split()]


async def follow_until(database: Database, count: int) -> list[int]:
    """Read events as a live page does: always what comes after the last number seen."""
    seen: list[int] = []
    while len(seen) < count:
        seen += await database.read(_after, seen[-1] if seen else 0)
    return seen


async def test_two_processes_share_the_work_and_a_follower_misses_nothing(
    place: Place, store: Store, clock: FakeClock
) -> None:
    scan = await store.scans.start("home", asked_by="hand", now=clock())
    refs = [DocumentRef("home", number) for number in range(1, JOBS + 1)]
    page = ScanPage(tuple((a_new_job(ref), "Brief") for ref in refs), seen=JOBS)
    await store.scans.record_page(scan.id, page, now=clock())
    workers = [await start_worker(place, name, clock) for name in ("one", "two")]
    follower = Database(engines_for(place.url, place.data))

    first, second, seen = await asyncio.gather(
        *(ids_done_by(worker) for worker in workers), follow_until(follower, 3 * JOBS)
    )
    await follower.close()

    assert sorted(first + second) == list(range(1, JOBS + 1))
    assert (await store.jobs.count_for_scan(scan.id))[JobStatus.COMPLETED] == JOBS
    assert seen == list(range(1, 3 * JOBS + 1))


async def test_refused_moves_leave_no_gap_in_the_numbers(store: Store, clock: FakeClock) -> None:
    events: list[Event] = []
    for number in range(1, 4):
        new = a_new_job(DocumentRef("home", number))
        job = await store.jobs.enqueue(new, now=clock())
        assert job is not None
        assert await store.jobs.enqueue(new, now=clock()) is None
        await store.jobs.cancel(job.id, by="anna", now=clock())
        await store.jobs.cancel(job.id, by="anna", now=clock())
        with pytest.raises(ClaimLost):
            await store.jobs.succeed(job, now=clock())
        events += await store.jobs.list_events(job.id)

    assert [event.id for event in events] == [1, 2, 3, 4, 5, 6]


def _after(connection: Connection, last: int) -> list[int]:
    return list(connection.scalars(select(events.c.id).where(events.c.id > last).order_by("id")))
