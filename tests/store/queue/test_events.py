"""Following: all events in the order of commits, and noticing what other processes commit."""

import asyncio
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import timedelta

import pytest
from sqlalchemy import Connection

from core.holds import PAUSE_ALL
from core.jobs import EventName
from store import Store, open_store
from store.database import Database
from store.engine import engines_for
from store.queue import enqueue
from tests.builders import because
from tests.store.builders import (
    HOME_7,
    HOME_8,
    FakeClock,
    a_new_job,
    claim,
    enqueue_and_claim,
    enqueue_job,
)
from tests.store.conftest import Place
from tests.waiting import LONG


@pytest.fixture
async def other(place: Place, clock: FakeClock) -> AsyncIterator[Store]:
    """The store as another process has it."""
    async with open_store(place.url, place.data, clock=clock) as opened:
        yield opened


async def test_a_follower_goes_on_where_it_was(store: Store, clock: FakeClock) -> None:
    assert await store.jobs.get_last_event_id() == 0
    first = await enqueue_and_claim(store, clock, HOME_7)
    last = await store.jobs.get_last_event_id()
    second = await enqueue_job(store, clock, HOME_8)
    await store.jobs.succeed(first, now=clock())

    events = await store.jobs.list_events_after(last)

    assert [(event.job_id, event.name) for event in events] == [
        (second.id, EventName.ENQUEUED),
        (first.id, EventName.COMPLETED),
    ]
    assert await store.jobs.get_last_event_id() == events[-1].id
    assert await store.jobs.list_events_after(events[-1].id) == ()


async def test_a_follower_takes_as_much_as_it_wants(store: Store, clock: FakeClock) -> None:
    await enqueue_and_claim(store, clock, HOME_7)
    await enqueue_job(store, clock, HOME_8)

    first = await store.jobs.list_events_after(0, limit=2)
    rest = await store.jobs.list_events_after(first[-1].id, limit=2)

    assert [event.id for event in first + rest] == [1, 2, 3]


async def test_a_later_number_is_never_seen_before_an_earlier_one(
    place: Place, store: Store, clock: FakeClock
) -> None:
    slow = Database(engines_for(place.url, place.data))
    committed, let_go = threading.Event(), threading.Event()

    def enqueue_slowly(connection: Connection) -> None:
        enqueue.enqueue(connection, a_new_job(HOME_7), now=clock())
        committed.set()
        assert let_go.wait(LONG)

    first = asyncio.create_task(slow.write(enqueue_slowly))
    assert await asyncio.to_thread(committed.wait, LONG)
    second = asyncio.create_task(enqueue_job(store, clock, HOME_8))
    # Were they not kept in line, the second would be done by now, and be seen first.
    await asyncio.wait([second], timeout=0.2)
    seen = [event.id for event in await store.jobs.list_events_after(0)]
    let_go.set()
    await asyncio.gather(first, second)
    seen += [event.id for event in await store.jobs.list_events_after(max(seen, default=0))]
    await slow.close()

    assert seen == [1, 2]


Action = Callable[[Store, FakeClock], Awaitable[object]]
ACTIONS: dict[str, Action] = {
    "a new job": lambda store, clock: enqueue_job(store, clock, HOME_8),
    "a cancel": lambda store, clock: store.jobs.cancel(1, by="anna", now=clock()),
    "a claim": claim,
    "a pause": lambda store, clock: store.holds.place(
        PAUSE_ALL, because("asked"), next_probe_at=None, now=clock()
    ),
    "a failed probe": lambda store, clock: store.holds.place(
        "paperless:home",
        because("still away"),
        next_probe_at=clock() + timedelta(hours=1),
        now=clock(),
    ),
    "a lifted hold": lambda store, clock: store.holds.lift("paperless:home", now=clock()),
    "a scan asked for": lambda store, clock: store.scans.request(
        "office", asked_by="anna", now=clock()
    ),
    "a started scan": lambda store, clock: store.scans.start(
        "home", asked_by="timer", now=clock.advance(seconds=1)
    ),
    "a finished scan": lambda store, clock: store.scans.finish(1, now=clock()),
}


@pytest.mark.parametrize("action", ACTIONS)
async def test_what_another_process_does_is_noticed_once(
    store: Store, other: Store, clock: FakeClock, action: str
) -> None:
    await enqueue_job(store, clock, HOME_7)
    await store.scans.request("home", asked_by="hand", now=clock())
    await store.holds.place("paperless:home", because("away"), next_probe_at=clock(), now=clock())
    if action == "a claim":
        await store.holds.lift("paperless:home", now=clock())
    assert await store.has_changed()
    assert not await store.has_changed()

    await ACTIONS[action](other, clock)

    assert await store.has_changed()
    assert not await store.has_changed()


async def test_looking_around_is_no_change(store: Store, other: Store, clock: FakeClock) -> None:
    await enqueue_job(store, clock, HOME_7)
    await store.holds.place(PAUSE_ALL, because("asked"), next_probe_at=None, now=clock())
    await store.has_changed()

    for opened in (store, other):
        assert await opened.jobs.claim(worker="worker", now=clock()) is None
        await opened.jobs.next_due_after(clock())
        await opened.jobs.list()
        await opened.jobs.recover_orphans(now=clock())

    assert not await store.has_changed()


async def test_signs_of_life_wake_nobody_on_a_shared_database(
    fresh_postgres: str, place: Place, clock: FakeClock
) -> None:
    async with open_store(fresh_postgres, place.data) as store:
        job = await enqueue_and_claim(store, clock)
        await store.has_changed()

        await store.jobs.heartbeat(job, now=clock())
        await store.workers.record_heartbeat("vm:7", pid=7, host="vm", role="daemon", now=clock())

        assert not await store.has_changed()


async def test_each_store_notices_for_itself(store: Store, other: Store, clock: FakeClock) -> None:
    await enqueue_job(store, clock, HOME_7)

    assert await store.has_changed()
    assert await other.has_changed()
    assert not await store.has_changed()
    assert not await other.has_changed()
