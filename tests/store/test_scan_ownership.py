"""Whose scan it is: asked for by one process, done by another, one at a time."""

from datetime import timedelta

import pytest
from sqlalchemy import Connection, insert
from sqlalchemy.exc import IntegrityError

from core.jobs import ANALYZE, DRY_RUN
from core.scans import INTERRUPTED, ScanPage
from store import InstanceNotFound, InvalidTransition, ScanRunning, Store, open_store
from store.database import Database
from store.engine import engines_for
from store.tables import scans
from tests.store.builders import NOON, PROBLEM, FakeClock
from tests.store.conftest import Place


async def test_a_scan_asked_for_waits_until_it_is_started(store: Store, clock: FakeClock) -> None:
    asked = await store.scans.request(
        "home", asked_by="webhook", kind=DRY_RUN, limit=5, now=clock()
    )

    assert (asked.asked_by, asked.kind, asked.limit) == ("webhook", DRY_RUN, 5)
    assert (asked.requested_at, asked.started_at) == (clock(), None)
    assert await store.scans.find_requested("home") == asked
    assert await store.scans.find_requested("office") is None


async def test_another_process_starts_it_as_it_was_asked_for(
    place: Place, store: Store, clock: FakeClock
) -> None:
    asked = await store.scans.request("home", asked_by="anna", kind=DRY_RUN, limit=5, now=clock())

    async with open_store(place.url, place.data) as other:
        later = clock.advance(seconds=9)
        started = await other.scans.start("home", asked_by="timer", now=later)

    assert started.id == asked.id
    assert (started.asked_by, started.kind, started.limit) == ("anna", DRY_RUN, 5)
    assert (started.requested_at, started.started_at) == (asked.requested_at, later)
    assert await store.scans.find_requested("home") is None


async def test_who_asks_second_joins_the_first(store: Store, clock: FakeClock) -> None:
    first = await store.scans.request("home", asked_by="anna", now=clock())

    joined = await store.scans.request("home", asked_by="bert", limit=1, now=clock())
    started = await store.scans.start("home", asked_by="timer", now=clock())
    joined_late = await store.scans.request("home", asked_by="carl", now=clock())

    assert joined == first
    assert joined_late == started
    assert len(await store.scans.list()) == 1


async def test_a_scan_nobody_asked_for_is_started_at_once(store: Store, clock: FakeClock) -> None:
    scan = await store.scans.start("home", asked_by="timer", kind=ANALYZE, limit=3, now=clock())

    assert (scan.asked_by, scan.kind, scan.limit) == ("timer", ANALYZE, 3)
    assert scan.requested_at == scan.started_at == clock()


async def test_scans_of_one_instance_do_not_overlap(store: Store, clock: FakeClock) -> None:
    running = await store.scans.start("home", asked_by="timer", now=clock())

    with pytest.raises(ScanRunning) as caught:
        await store.scans.start("home", asked_by="hand", now=clock())

    assert caught.value.scan == running
    elsewhere = await store.scans.start("office", asked_by="hand", now=clock())
    assert elsewhere.id != running.id


async def test_the_database_itself_refuses_two_unfinished_scans(
    place: Place, store: Store, clock: FakeClock
) -> None:
    scan = await store.scans.request("home", asked_by="hand", now=clock())
    database = Database(engines_for(place.url, place.data))
    twin = {"instance": "home", "asked_by": "x", "requested_at": NOON, "kind": ANALYZE}

    def insert_twin(connection: Connection) -> None:
        connection.execute(insert(scans).values(**twin, seen=0, enqueued=0, skipped={}))

    with pytest.raises(IntegrityError):
        await database.write(insert_twin)
    await store.scans.finish(scan.id, now=clock())
    await database.write(insert_twin)
    await database.close()


async def test_after_its_end_the_next_may_be_asked_for(store: Store, clock: FakeClock) -> None:
    first = await store.scans.start("home", asked_by="timer", now=clock())
    await store.scans.finish(first.id, now=clock())

    assert await store.scans.find_requested("home") is None
    assert (await store.scans.request("home", asked_by="anna", now=clock())).id != first.id


async def test_what_is_only_asked_for_takes_no_pages_but_may_be_refused(
    store: Store, clock: FakeClock
) -> None:
    await store.instances.register("home", endpoint="http://ai/v1", now=clock())
    asked = await store.scans.request("home", asked_by="anna", now=clock())

    with pytest.raises(InvalidTransition, match="only asked for"):
        await store.scans.record_page(asked.id, ScanPage(seen=1), now=clock())
    refused = await store.scans.give_up(asked.id, problem=PROBLEM, now=clock())

    assert (refused.started_at, refused.problem) == (None, PROBLEM)
    known = await store.instances.get("home")
    assert known is not None
    assert known.last_scan_at is None


async def test_orphans_end_as_interrupted_and_requests_stay(store: Store, clock: FakeClock) -> None:
    ended = await store.scans.start("home", asked_by="timer", now=clock())
    ended = await store.scans.finish(ended.id, now=clock())
    dead = await store.scans.start("home", asked_by="timer", now=clock())
    other = await store.scans.start("office", asked_by="timer", now=clock())
    asked = await store.scans.request("shed", asked_by="anna", now=clock())

    closed = await store.scans.close_orphans(now=clock.advance(minutes=1))

    assert [scan.id for scan in closed] == [dead.id, other.id]
    assert {(scan.problem, scan.finished_at) for scan in closed} == {(INTERRUPTED, clock())}
    assert await store.scans.get(ended.id) == ended
    assert await store.scans.find_requested("shed") == asked
    assert await store.scans.close_orphans(now=clock()) == ()
    assert (await store.scans.start("home", asked_by="timer", now=clock())).id > dead.id


async def test_the_next_scan_is_planned_and_kept(store: Store, clock: FakeClock) -> None:
    await store.instances.register("home", endpoint="http://ai/v1", now=clock())
    at = clock() + timedelta(hours=1)

    planned = await store.instances.plan_scan("home", cron="0 * * * *", next_scan_at=at)

    assert (planned.cron, planned.next_scan_at) == ("0 * * * *", at)
    again = await store.instances.register("home", endpoint="http://ai/v1", now=clock())
    assert again == planned


async def test_no_scan_is_planned_for_an_unknown_instance(store: Store, clock: FakeClock) -> None:
    with pytest.raises(InstanceNotFound, match="no instance attic"):
        await store.instances.plan_scan("attic", cron="0 * * * *", next_scan_at=clock())
