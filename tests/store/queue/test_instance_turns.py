"""Turns between instances: a long queue of one must not keep the others waiting."""

from pathlib import Path

import psycopg
import pytest

from core.documents import DocumentRef
from core.holds import PAUSE_ALL, limit_target, paperless_target
from core.jobs import APPLY, Job, Priority, Scope
from store import Store, open_store
from tests.builders import because
from tests.store.builders import FakeClock, claim, enqueue_job


async def queue(store: Store, clock: FakeClock, instance: str, *priorities: int) -> list[Job]:
    return [
        await enqueue_job(store, clock, DocumentRef(instance, number), priority=priority)
        for number, priority in enumerate(priorities, start=1)
    ]


async def take(store: Store, clock: FakeClock, *instances: str) -> str | None:
    """Claim a job of the given instances, and name its document."""
    scope = Scope(instances=instances)
    job = await store.jobs.claim(worker="worker", now=clock(), scope=scope)
    return None if job is None else str(job.document)


async def test_among_equals_the_instance_goes_first_that_stands_first(
    store: Store, clock: FakeClock
) -> None:
    await queue(store, clock, "home", *[Priority.NEW] * 3)
    await queue(store, clock, "office", *[Priority.NEW] * 2)

    taken = [
        await take(store, clock, "home", "office"),
        await take(store, clock, "office", "home"),
        await take(store, clock, "home", "office"),
        await take(store, clock, "office", "home"),
        await take(store, clock, "office", "home"),
    ]

    assert taken == ["home/1", "office/1", "home/2", "office/2", "home/3"]


async def test_a_higher_priority_goes_first_wherever_it_stands(
    store: Store, clock: FakeClock
) -> None:
    await queue(store, clock, "home", Priority.NEW, Priority.BACKLOG)
    await queue(store, clock, "office", Priority.BACKLOG, Priority.BY_HAND)

    taken = [await take(store, clock, "home", "office") for _ in range(4)]

    assert taken == ["office/2", "home/1", "home/2", "office/1"]


async def test_only_the_named_instances_are_served(store: Store, clock: FakeClock) -> None:
    await queue(store, clock, "home", Priority.BY_HAND)

    assert await take(store, clock, "office") is None
    assert await take(store, clock) is None
    assert await take(store, clock, "office", "home") == "home/1"


@pytest.mark.parametrize("target", [paperless_target("home"), limit_target("home"), PAUSE_ALL])
async def test_an_instance_on_hold_has_no_turn(store: Store, clock: FakeClock, target: str) -> None:
    await queue(store, clock, "home", Priority.BY_HAND)
    await queue(store, clock, "office", Priority.BACKLOG)
    await store.holds.place(target, because("why"), next_probe_at=None, now=clock())

    taken = await take(store, clock, "home", "office")

    assert taken == (None if target == PAUSE_ALL else "office/1")


async def test_of_an_instance_over_its_limit_what_asks_no_model_has_its_turn(
    store: Store, clock: FakeClock
) -> None:
    await queue(store, clock, "home", Priority.BY_HAND)
    await enqueue_job(store, clock, DocumentRef("home", 2), kind=APPLY, priority=Priority.BACKLOG)
    await store.holds.place(limit_target("home"), because("why"), next_probe_at=None, now=clock())

    assert await take(store, clock, "home", "office") == "home/2"


async def test_a_job_that_someone_has_locked_is_passed_over(
    fresh_postgres: str, tmp_path: Path, clock: FakeClock
) -> None:
    async with open_store(fresh_postgres, tmp_path) as store:
        first, *_ = await queue(store, clock, "home", Priority.NEW, Priority.NEW)

        with psycopg.connect(fresh_postgres) as other:
            other.execute("SELECT id FROM jobs WHERE id = %s FOR UPDATE", (first.id,))
            taken = await take(store, clock, "home", "office")

    assert taken == "home/2"


async def test_a_recovered_job_keeps_its_turn_and_runs_alone(
    store: Store, clock: FakeClock
) -> None:
    await queue(store, clock, "home", Priority.NEW)
    await claim(store, clock)
    await store.jobs.recover_orphans(now=clock())
    await queue(store, clock, "office", Priority.NEW, Priority.NEW)

    assert await take(store, clock, "office", "home") == "office/1"
    assert await take(store, clock, "home", "office") is None
