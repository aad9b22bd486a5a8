"""Holds: a held job is neither claimed nor due, and loses nothing."""

from dataclasses import replace
from datetime import timedelta

import pytest

from core.documents import DocumentRef
from core.holds import Hold, model_target, paperless_target, pause_target
from core.jobs import ANALYZE, APPLY, DRY_RUN, UNDO
from store import Store
from tests.builders import because
from tests.store.builders import HOME_7, HOME_8, FakeClock, claim, enqueue_job, next_due

ENDPOINT = "http://ollama:11434/v1"
OFFICE_7 = DocumentRef("office", 7)


async def place(store: Store, clock: FakeClock, target: str) -> Hold:
    probe = clock() + timedelta(minutes=1)
    return await store.holds.place(
        target, because("no connection"), next_probe_at=probe, now=clock()
    )


async def test_a_hold_is_stored_with_cause_and_next_probe(store: Store, clock: FakeClock) -> None:
    hold = await place(store, clock, paperless_target("home"))

    assert hold == Hold(
        "paperless:home", because("no connection"), clock(), clock() + timedelta(minutes=1), 0
    )
    assert await store.holds.list_active() == (hold,)


async def test_placing_a_hold_again_counts_a_failed_probe(store: Store, clock: FakeClock) -> None:
    first = await place(store, clock, paperless_target("home"))
    clock.advance(minutes=1)

    again = await place(store, clock, paperless_target("home"))

    assert (again.since, again.probes) == (first.since, 1)
    assert again.next_probe_at == clock() + timedelta(minutes=1)


async def test_an_outage_that_is_hastened_is_due_at_once_and_nothing_else_of_it_changes(
    store: Store, clock: FakeClock
) -> None:
    hold = await place(store, clock, paperless_target("home"))
    other = await place(store, clock, paperless_target("office"))

    hastened = await store.holds.probe_now(hold.target, now=clock())

    assert hastened
    assert await store.holds.list_active() == (replace(hold, next_probe_at=clock()), other)


async def test_what_does_not_rest_or_what_only_a_person_ends_is_not_hastened(
    store: Store, clock: FakeClock
) -> None:
    lifted = await place(store, clock, paperless_target("home"))
    await store.holds.lift(lifted.target, now=clock())
    pause = pause_target("home")
    paused = await store.holds.place(pause, because("by anna"), next_probe_at=None, now=clock())

    hastened = [
        await store.holds.probe_now(target, now=clock()) for target in (lifted.target, pause)
    ]

    assert hastened == [False, False]
    assert await store.holds.list_active() == (paused,)


async def test_a_lifted_hold_is_gone_and_lifting_twice_is_harmless(
    store: Store, clock: FakeClock
) -> None:
    await place(store, clock, paperless_target("home"))
    kept = await place(store, clock, paperless_target("office"))

    await store.holds.lift("paperless:home", now=clock())
    await store.holds.lift("paperless:home", now=clock())

    assert await store.holds.list_active() == (kept,)


@pytest.mark.parametrize("kind", [ANALYZE, DRY_RUN, APPLY, UNDO])
async def test_a_held_instance_is_held_wholly(store: Store, clock: FakeClock, kind: str) -> None:
    await enqueue_job(store, clock, HOME_7, kind=kind)
    await place(store, clock, paperless_target("home"))

    assert await store.jobs.claim(worker="worker", now=clock()) is None
    assert await next_due(store) is None
    assert await store.jobs.count_held("home") == 1


@pytest.mark.parametrize(("kind", "resting"), [(ANALYZE, 1), (DRY_RUN, 1), (APPLY, 0), (UNDO, 0)])
async def test_a_held_endpoint_holds_what_asks_a_model(
    store: Store, clock: FakeClock, kind: str, resting: int
) -> None:
    await store.instances.register("home", endpoint=ENDPOINT, now=clock())
    await enqueue_job(store, clock, HOME_7, kind=kind)
    await place(store, clock, model_target(ENDPOINT))

    due = await next_due(store)
    held = await store.jobs.count_held("home")
    job = await store.jobs.claim(worker="worker", now=clock())

    assert (due is None, held, job is None) == (bool(resting), resting, bool(resting))


async def test_instances_with_another_endpoint_work_on(store: Store, clock: FakeClock) -> None:
    await store.instances.register("home", endpoint=ENDPOINT, now=clock())
    await store.instances.register("office", endpoint="http://other/v1", now=clock())
    await enqueue_job(store, clock, HOME_7)
    free = await enqueue_job(store, clock, OFFICE_7)
    await place(store, clock, model_target(ENDPOINT))

    assert (await claim(store, clock)).id == free.id
    assert await store.jobs.claim(worker="worker", now=clock()) is None
    assert (await store.jobs.count_held("home"), await store.jobs.count_held("office")) == (1, 0)


async def test_two_holds_at_once_rest_both(store: Store, clock: FakeClock) -> None:
    await store.instances.register("home", endpoint=ENDPOINT, now=clock())
    await enqueue_job(store, clock, HOME_7)
    await enqueue_job(store, clock, OFFICE_7)
    await place(store, clock, model_target(ENDPOINT))
    await place(store, clock, paperless_target("office"))

    assert await store.jobs.claim(worker="worker", now=clock()) is None


async def test_what_rested_is_claimed_after_the_hold_with_all_its_attempts(
    store: Store, clock: FakeClock
) -> None:
    await enqueue_job(store, clock, HOME_7)
    await place(store, clock, paperless_target("home"))
    assert await store.jobs.claim(worker="worker", now=clock()) is None

    await store.holds.lift("paperless:home", now=clock())

    assert (await claim(store, clock)).attempts == 1


async def test_next_due_looks_past_what_is_on_hold(store: Store, clock: FakeClock) -> None:
    await enqueue_job(store, clock, HOME_7)
    later = clock.advance(minutes=5)
    await enqueue_job(store, clock, OFFICE_7)
    await place(store, clock, paperless_target("home"))

    assert await next_due(store) == later


async def test_what_is_under_way_is_not_held(store: Store, clock: FakeClock) -> None:
    await enqueue_job(store, clock, HOME_7)
    await claim(store, clock)
    await enqueue_job(store, clock, HOME_8)
    await place(store, clock, paperless_target("home"))

    assert await store.jobs.count_held("home") == 1


async def test_an_instance_is_registered_once_and_follows_its_settings(
    store: Store, clock: FakeClock
) -> None:
    assert await store.instances.get("home") is None
    first = await store.instances.register("home", endpoint="http://old/v1", now=clock())

    again = await store.instances.register("home", endpoint=ENDPOINT, now=clock.advance(days=1))

    assert again.first_started_at == first.first_started_at
    assert (again.endpoint, again.last_scan_at) == (ENDPOINT, None)
    assert await store.instances.get("home") == again
