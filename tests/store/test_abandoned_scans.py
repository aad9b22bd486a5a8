"""Scans whose process died: where several processes share a store, signs of life tell them."""

from datetime import timedelta

from core.scans import INTERRUPTED
from store import Store
from tests.store.builders import FakeClock

SILENT = timedelta(minutes=2)


async def live(store: Store, clock: FakeClock, name: str = "one:1") -> None:
    """Show a sign of life."""
    host, _, pid = name.partition(":")
    await store.workers.record_heartbeat(name, pid=int(pid), host=host, role="daemon", now=clock())


async def closed(store: Store, clock: FakeClock) -> list[int]:
    found = await store.scans.close_abandoned(silent_since=clock() - SILENT, now=clock())
    return [scan.id for scan in found]


async def test_a_scan_of_a_silent_process_ends_and_the_instance_can_be_scanned_again(
    store: Store, clock: FakeClock
) -> None:
    await live(store, clock)
    scan = await store.scans.start("home", asked_by="timer", now=clock.advance(seconds=1))
    clock.advance(minutes=3)
    await live(store, clock, "two:2")

    assert await closed(store, clock) == [scan.id]

    assert (await store.scans.get(scan.id)).problem == INTERRUPTED
    assert (await store.scans.start("home", asked_by="timer", now=clock())).id > scan.id


async def test_a_long_scan_of_a_living_process_goes_on(store: Store, clock: FakeClock) -> None:
    await live(store, clock)
    await store.scans.start("home", asked_by="timer", now=clock.advance(seconds=1))
    clock.advance(minutes=30)
    await live(store, clock)

    assert await closed(store, clock) == []


async def test_a_scan_that_has_just_begun_goes_on_whoever_began_it(
    store: Store, clock: FakeClock
) -> None:
    await store.scans.start("home", asked_by="hand", now=clock())
    clock.advance(minutes=1)

    assert await closed(store, clock) == []


async def test_what_is_only_asked_for_is_still_to_be_done(store: Store, clock: FakeClock) -> None:
    asked = await store.scans.request("home", asked_by="anna", now=clock())
    clock.advance(hours=1)

    assert await closed(store, clock) == []

    assert await store.scans.find_requested("home") == asked


async def test_who_alone_scans_ends_what_is_old_and_not_under_way(
    store: Store, clock: FakeClock
) -> None:
    left = await store.scans.start("home", asked_by="timer", now=clock())
    ours = await store.scans.start("office", asked_by="timer", now=clock())
    asked = await store.scans.request("third", asked_by="anna", now=clock())
    clock.advance(minutes=3)
    young = await store.scans.start("fourth", asked_by="timer", now=clock())

    ended = await store.scans.close_silent(
        silent_since=clock() - SILENT, under_way={ours.id}, now=clock()
    )

    assert [(scan.id, scan.problem) for scan in ended] == [(left.id, INTERRUPTED)]
    unfinished = await store.scans.list_unfinished()
    assert {scan.id for scan in unfinished} == {ours.id, asked.id, young.id}
