"""A PostgreSQL that is restarted in the middle: reported, survived, and nothing lost."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path

import pytest

from core.documents import DocumentRef
from core.jobs import JobStatus
from store import Store, StoreUnavailable, open_store
from tests.postgres import Server
from tests.store.builders import HOME_7, FakeClock, a_new_job, claim, enqueue_job


@pytest.fixture
def ours(postgres: Server) -> Server:
    """A server that we may stop."""
    if postgres.control is None:
        pytest.skip("the server is somebody else's")
    return postgres


@pytest.fixture
async def store(
    ours: Server, fresh_postgres: str, tmp_path: Path, clock: FakeClock
) -> AsyncIterator[Store]:
    async with open_store(fresh_postgres, tmp_path, clock=clock) as opened:
        yield opened


async def test_the_same_store_goes_on_after_a_restart(
    store: Store, ours: Server, clock: FakeClock
) -> None:
    await enqueue_job(store, clock, HOME_7)
    job = await claim(store, clock)
    await store.has_changed()

    with ours.stopped():
        for asked in (store.jobs.succeed(job, now=clock()), store.jobs.list(), store.has_changed()):
            with pytest.raises(StoreUnavailable, match="the database rejected"):
                await asked

    done = await store.jobs.succeed(job, now=clock())
    assert (done.status, done.claim) == (JobStatus.COMPLETED, job.claim)
    assert await store.has_changed()


def restart(server: Server) -> None:
    with server.stopped():
        pass


async def test_a_restart_under_load_loses_nothing_that_was_promised(
    store: Store, ours: Server, clock: FakeClock
) -> None:
    promised: set[DocumentRef] = set()
    refused: list[DocumentRef] = []
    enough = asyncio.Event()

    async def enqueue_on_and_on() -> None:
        number = 0
        while not enough.is_set():
            number += 1
            ref = DocumentRef("home", number)
            try:
                await store.jobs.enqueue(a_new_job(ref), now=clock())
                promised.add(ref)
            except StoreUnavailable:
                refused.append(ref)

    working = asyncio.create_task(enqueue_on_and_on())
    while len(promised) < 20:
        await asyncio.sleep(0)
    await asyncio.to_thread(restart, ours)
    before = len(promised)
    while len(promised) < before + 20:
        await asyncio.sleep(0)
    enough.set()
    await working

    # A connection for reading may be one of before the restart: it is refused, and then made anew.
    with suppress(StoreUnavailable):
        await store.jobs.list(limit=1)
    kept = {job.document for job in await store.jobs.list(limit=100_000)}
    assert promised <= kept
    assert refused
