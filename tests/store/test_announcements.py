"""Announcements on PostgreSQL: work is heard of at once, and what is lost is found by looking."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg.pq import TransactionStatus
from sqlalchemy import Connection, Engine, event

from core.documents import DocumentRef
from store import Store, StoreUnavailable, open_store
from store.change_signal import LOOK_INTERVAL, Listener
from store.database import Announcer, Channel
from store.engine import engines_for
from tests.postgres import Server
from tests.store.builders import FakeClock, a_new_job, enqueue_and_claim, enqueue_job
from tests.store.conftest import Place, empty
from tests.waiting import LONG

Statements = list[tuple[str, bool]]
"""Each statement, and whether it ran inside of a transaction that began before it."""


@pytest.fixture
def place(postgres_url: str, tmp_path: Path) -> Iterator[Place]:
    yield Place(postgres_url, tmp_path)
    empty(postgres_url)


@pytest.fixture
def sent() -> Iterator[Statements]:
    """Every statement of the test."""
    statements: Statements = []

    def note(_: Connection, cursor: Any, statement: str, *_more: object) -> None:
        status = cursor.connection.info.transaction_status
        statements.append((statement, status is not TransactionStatus.IDLE))

    event.listen(Engine, "before_cursor_execute", note)
    yield statements
    event.remove(Engine, "before_cursor_execute", note)


@pytest.fixture
async def other(place: Place, clock: FakeClock) -> AsyncIterator[Store]:
    async with open_store(place.url, place.data, clock=clock) as opened:
        yield opened


class Ear:
    """Counts what a listener hears of work."""

    def __init__(self) -> None:
        self._heard = asyncio.Semaphore(0)

    def hear(self) -> None:
        self._heard.release()

    async def wait(self) -> None:
        async with asyncio.timeout(LONG):
            await self._heard.acquire()

    @property
    def is_silent(self) -> bool:
        return self._heard.locked()


@asynccontextmanager
async def listening(store: Store) -> AsyncIterator[Ear]:
    """Listen; the first call, after the connection, is over when the context begins."""
    ear = Ear()
    task = asyncio.create_task(store.listen(ear.hear))
    await ear.wait()
    try:
        yield ear
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def test_a_new_job_of_another_process_is_heard_of(
    store: Store, other: Store, clock: FakeClock
) -> None:
    async with listening(store) as ear:
        assert ear.is_silent

        await enqueue_job(other, clock)

        await ear.wait()


async def test_a_cancel_a_requested_scan_and_the_end_of_a_hold_are_heard_of(
    store: Store, other: Store, clock: FakeClock
) -> None:
    job = await enqueue_job(other, clock)
    async with listening(store) as ear:
        await other.jobs.cancel(job.id, by="anna", now=clock())
        await ear.wait()
        await other.scans.request("home", asked_by="anna", now=clock())
        await ear.wait()
        await other.holds.lift("pause:*", now=clock())
        await ear.wait()


async def test_pages_notice_without_a_query(
    store: Store, other: Store, clock: FakeClock, sent: Statements
) -> None:
    job = await enqueue_and_claim(other, clock)
    signal = store.new_change_signal()
    async with listening(store):
        await signal.has_changed()
        sent.clear()

        assert not await signal.has_changed()
        await other.jobs.succeed(job, now=clock())
        async with asyncio.timeout(LONG):
            while not await signal.has_changed():
                await asyncio.sleep(0)

        assert [words for words, _ in sent if "FROM events" in words] == []


async def test_signs_of_life_are_not_announced(
    place: Place, other: Store, clock: FakeClock, sent: Statements
) -> None:
    async with open_store(place.url, place.data, clock=clock) as first:
        job = await enqueue_and_claim(first, clock)
    sent.clear()

    await other.jobs.heartbeat(job, now=clock())
    await other.workers.record_heartbeat("one:1", pid=1, host="one", role="daemon", now=clock())
    assert await other.jobs.claim(worker="two", now=clock()) is None
    await other.close()

    assert announced(sent) == []


async def test_an_announcement_follows_the_commit_on_a_connection_of_its_own(
    place: Place, clock: FakeClock, sent: Statements
) -> None:
    async with open_store(place.url, place.data, clock=clock) as store:
        await enqueue_job(store, clock)

    words = [words for words, _ in sent]
    first = next(number for number, statement in enumerate(words) if "pg_notify" in statement)
    assert any("INSERT INTO jobs" in statement for statement in words[:first])
    assert announced(sent) == [False]


async def test_changes_are_announced_together_and_work_at_once(
    place: Place, sent: Statements
) -> None:
    engines = engines_for(place.url, place.data)
    assert engines.announcer is not None
    announcer = Announcer(engines.announcer)

    for _ in range(100):
        announcer.announce(Channel.CHANGES)
    announcer.announce(Channel.WORK)
    announcer.close()
    engines.dispose()

    assert 1 <= len(announced(sent)) <= 3


async def test_a_lost_announcement_is_made_up_for_by_a_look(place: Place) -> None:
    engines = engines_for(place.url, place.data)
    assert engines.announcer is not None
    ear = Ear()
    listener = Listener(engines.announcer, look_interval=timedelta(milliseconds=20))
    task = asyncio.create_task(listener.listen(ear.hear))

    for _ in range(3):
        await ear.wait()

    task.cancel()
    await asyncio.wait({task})
    engines.dispose()
    assert timedelta(seconds=30) > LOOK_INTERVAL


async def test_a_connection_that_breaks_is_reported_and_the_next_looks_at_once(
    store: Store, place: Place, postgres: Server
) -> None:
    ear = Ear()
    task = asyncio.create_task(store.listen(ear.hear))
    await ear.wait()
    with psycopg.connect(str(place.url), autocommit=True) as connection:
        kill = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = %s"
        connection.execute(kill, ["paperclerk listener"])

    with pytest.raises(StoreUnavailable):
        await asyncio.wait_for(task, LONG)

    async with listening(store):
        pass


async def test_while_nobody_listens_the_tables_are_asked(
    store: Store, other: Store, clock: FakeClock
) -> None:
    await store.has_changed()

    await other.jobs.enqueue(a_new_job(DocumentRef("home", 9)), now=clock())

    assert await store.has_changed()


def announced(sent: Statements) -> list[bool]:
    """Return of each announcement whether it was sent inside of a transaction."""
    return [in_transaction for statement, in_transaction in sent if "pg_notify" in statement]
