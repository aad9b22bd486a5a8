"""Whether there is something to wait for: worked on, or to be worked on by itself."""

from datetime import timedelta

import pytest

from core.documents import DocumentRef
from core.jobs import ANALYZE, APPLY, EVERYTHING, Scope
from store import Store
from tests.store.builders import (
    HOME_7,
    HOME_8,
    PROBLEM,
    FakeClock,
    claim,
    enqueue_and_claim,
    enqueue_job,
)

OFFICE_7 = DocumentRef("office", 7)


def only(*ids: int) -> Scope:
    return Scope(jobs=frozenset(ids))


@pytest.mark.parametrize(
    ("scope", "is_due"),
    [
        (EVERYTHING, True),
        (Scope(instances=("home",)), True),
        (Scope(instances=("office", "home")), True),
        (Scope(instances=("office",)), False),
        (Scope(instances=()), False),
        (only(1), True),
        (only(2), False),
        (only(), False),
        (Scope(kinds=frozenset({ANALYZE})), True),
        (Scope(kinds=frozenset({APPLY})), False),
        (Scope(instances=("home",), jobs=frozenset({1}), kinds=frozenset({ANALYZE})), True),
        (Scope(instances=("office",), jobs=frozenset({1})), False),
    ],
    ids=str,
)
async def test_what_waits_and_what_is_worked_on_is_found_within_its_scope(
    store: Store, clock: FakeClock, scope: Scope, *, is_due: bool
) -> None:
    nothing = await store.jobs.is_anything_due(scope, now=clock())
    await enqueue_job(store, clock)
    waiting = await store.jobs.is_anything_due(scope, now=clock())
    job = await claim(store, clock)
    under_way = await store.jobs.is_anything_due(scope, now=clock())
    await store.jobs.succeed(job, now=clock())
    done = await store.jobs.is_anything_due(scope, now=clock())

    assert (nothing, waiting, under_way, done) == (False, is_due, is_due, False)


async def test_what_is_tried_again_later_is_due_at_its_time(store: Store, clock: FakeClock) -> None:
    job = await enqueue_and_claim(store, clock)
    later = clock() + timedelta(minutes=5)
    await store.jobs.retry(job, PROBLEM, at=later, now=clock())

    assert not await store.jobs.is_anything_due(now=clock())
    assert await store.jobs.is_anything_due(now=later)


async def test_a_job_whose_document_is_being_processed_is_waited_for(
    store: Store, clock: FakeClock
) -> None:
    await enqueue_and_claim(store, clock, HOME_7, kind=APPLY)
    behind_it = await enqueue_job(store, clock, HOME_7)

    assert await store.jobs.is_anything_due(only(behind_it.id), now=clock())
    assert not await store.jobs.is_anything_due(only(behind_it.id + 1), now=clock())


async def test_the_queues_of_others_do_not_matter(store: Store, clock: FakeClock) -> None:
    job = await enqueue_and_claim(store, clock, HOME_8)
    await enqueue_job(store, clock, OFFICE_7)
    await store.jobs.succeed(job, now=clock())

    assert await store.jobs.is_anything_due(Scope(instances=("office",)), now=clock())
    assert not await store.jobs.is_anything_due(Scope(instances=("home",)), now=clock())
