"""Workers: who is alive, since when, and who has gone."""

from datetime import timedelta

from core.workers import Worker
from store import Store
from store.workers import FORGOTTEN_AFTER
from tests.store.builders import FakeClock


async def beat(store: Store, clock: FakeClock, name: str = "vm:7", pid: int = 7) -> Worker:
    return await store.workers.record_heartbeat(
        name, pid=pid, host="vm", role="daemon", now=clock()
    )


async def test_a_worker_is_alive_while_it_beats(store: Store, clock: FakeClock) -> None:
    started = await beat(store, clock)
    clock.advance(seconds=15)

    beating = await beat(store, clock)

    assert started == Worker("vm:7", 7, "vm", "daemon", started.beat_at, started.beat_at)
    assert (beating.started_at, beating.beat_at) == (started.started_at, clock())
    assert await store.workers.list_alive(since=clock()) == (beating,)
    assert await store.workers.list_alive(since=clock() + timedelta(microseconds=1)) == ()


async def test_workers_are_told_apart_by_name(store: Store, clock: FakeClock) -> None:
    second = await beat(store, clock, "vm:8", 8)
    first = await beat(store, clock, "vm:7", 7)

    assert await store.workers.list_alive(since=clock()) == (first, second)


async def test_another_process_of_the_same_name_is_a_new_start(
    store: Store, clock: FakeClock
) -> None:
    await beat(store, clock, "clerk", 7)
    clock.advance(hours=1)

    restarted = await beat(store, clock, "clerk", 8)

    assert (restarted.pid, restarted.started_at) == (8, clock())


async def test_who_has_said_goodbye_is_gone(store: Store, clock: FakeClock) -> None:
    await beat(store, clock)

    await store.workers.remove("vm:7")
    await store.workers.remove("vm:7")

    assert await store.workers.list_alive(since=clock()) == ()


async def test_who_died_without_a_word_is_forgotten_by_and_by(
    store: Store, clock: FakeClock
) -> None:
    died = clock()
    dead = await beat(store, clock, "dead", 1)

    clock.advance(seconds=FORGOTTEN_AFTER.total_seconds())
    alive = await beat(store, clock, "vm:7", 7)
    assert await store.workers.list_alive(since=died) == (dead, alive)

    clock.advance(seconds=1)
    alive = await beat(store, clock, "vm:7", 7)
    assert await store.workers.list_alive(since=died) == (alive,)
