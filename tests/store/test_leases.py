"""Leases: one holder at a time, by the database's clock, and a former holder writes nothing."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import psycopg
import pytest

from core.scans import INTERRUPTED, ScanPage
from store import HeldLease, LeaseLost, Store
from store.workers import LEASE_TIMEOUT
from tests.store.builders import FakeClock
from tests.store.conftest import Place, empty

SCANNER = "scanner"


@pytest.fixture
def place(postgres_url: str, tmp_path: Path) -> Iterator[Place]:
    """A PostgreSQL: only there several processes share a store."""
    yield Place(postgres_url, tmp_path)
    empty(postgres_url)


@pytest.fixture
def first(store: Store) -> HeldLease:
    return store.new_lease(SCANNER, "one:1")


@pytest.fixture
def second(store: Store) -> HeldLease:
    return store.new_lease(SCANNER, "two:2")


def let_expire(place: Place) -> None:
    """Let as much time pass since the last renewal as another process must wait."""
    with psycopg.connect(str(place.url)) as connection:
        connection.execute("UPDATE leases SET expires_at = clock_timestamp()")


def seconds_left(place: Place) -> float:
    with psycopg.connect(str(place.url)) as connection:
        left = "SELECT EXTRACT(epoch FROM expires_at - clock_timestamp()) FROM leases"
        row = connection.execute(left).fetchone()
    assert row is not None
    return float(row[0])


async def test_only_one_process_gets_it(first: HeldLease, second: HeldLease) -> None:
    assert await first.acquire()

    assert not await second.acquire()
    assert await first.renew()
    assert (first.term, second.term) == (1, None)


async def test_it_is_valid_by_the_clock_of_the_database(
    place: Place, first: HeldLease, clock: FakeClock
) -> None:
    clock.advance(hours=5)

    await first.acquire()

    assert 0 < seconds_left(place) <= LEASE_TIMEOUT.total_seconds()


async def test_an_expired_one_is_taken_for_a_new_term(
    place: Place, first: HeldLease, second: HeldLease
) -> None:
    await first.acquire()
    let_expire(place)

    assert await second.acquire()

    assert second.term == 2
    assert not await first.renew()
    assert first.term is None
    assert not await first.acquire()


async def test_an_expired_one_that_nobody_took_goes_on(place: Place, first: HeldLease) -> None:
    await first.acquire()
    let_expire(place)

    assert await first.renew()

    assert first.term == 1
    assert seconds_left(place) > 0


async def test_one_that_was_released_is_free_at_once(first: HeldLease, second: HeldLease) -> None:
    await first.acquire()

    await first.release()

    assert await second.acquire()
    await first.release()
    assert await second.renew()


async def test_a_restarted_process_of_the_same_name_need_not_wait(
    store: Store, first: HeldLease
) -> None:
    await first.acquire()
    restarted = store.new_lease(SCANNER, "one:1")

    assert await restarted.acquire()

    assert restarted.term == 2
    assert not await first.renew()


async def test_a_former_holder_writes_nothing(
    place: Place, store: Store, first: HeldLease, second: HeldLease, clock: FakeClock
) -> None:
    await first.acquire()
    fenced = store.fenced_by(first)
    scan = await fenced.scans.start("home", asked_by="timer", term=fenced.term, now=clock())
    let_expire(place)
    await second.acquire()

    with pytest.raises(LeaseLost):
        await fenced.scans.record_page(scan.id, ScanPage(seen=3), now=clock())
    with pytest.raises(LeaseLost):
        await fenced.scans.finish(scan.id, now=clock())
    with pytest.raises(LeaseLost):
        await fenced.instances.register("home", endpoint="http://ai/v1", now=clock())

    assert await fenced.scans.get(scan.id) == scan
    assert await store.instances.get("home") is None


async def test_without_a_lease_a_fenced_store_writes_nothing(
    store: Store, first: HeldLease, clock: FakeClock
) -> None:
    with pytest.raises(LeaseLost):
        await store.fenced_by(first).scans.start("home", asked_by="timer", now=clock())

    assert await store.scans.list() == ()


async def test_the_scans_of_former_terms_end_as_interrupted_and_others_go_on(
    place: Place, store: Store, first: HeldLease, second: HeldLease, clock: FakeClock
) -> None:
    await first.acquire()
    former = await store.scans.start("home", asked_by="timer", term=first.term, now=clock())
    command = await store.scans.start("office", asked_by="hand", now=clock())
    let_expire(place)
    await second.acquire()
    ours = await store.scans.start("attic", asked_by="timer", term=second.term, now=clock())

    assert second.term is not None
    closed = await store.scans.close_of_former_terms(term=second.term, now=clock())

    assert [scan.id for scan in closed] == [former.id]
    assert (await store.scans.get(former.id)).problem == INTERRUPTED
    assert {scan.id for scan in await store.scans.list_unfinished()} == {command.id, ours.id}


async def test_a_worker_does_not_keep_the_scan_of_a_dead_process_open(
    store: Store, clock: FakeClock
) -> None:
    await beat(store, clock)
    scan = await store.scans.start("home", asked_by="hand", now=clock.advance(seconds=1))
    clock.advance(minutes=3)
    await beat(store, clock)

    silent_since = clock() - timedelta(minutes=2)
    closed = await store.scans.close_abandoned(silent_since=silent_since, now=clock())

    assert [found.id for found in closed] == [scan.id]


async def beat(store: Store, clock: FakeClock) -> None:
    await store.workers.record_heartbeat("one:1", pid=1, host="one", role="worker", now=clock())
