"""Changes that were written, found by what they have in common."""

from dataclasses import replace
from datetime import timedelta

import pytest

from core.changes import Change, ChangeFilter, ChangeOutcome, ChangeState
from core.documents import DocumentRef
from store import Store
from tests.store.builders import HOME_7, HOME_8, FakeClock, a_plan, an_analysis, enqueue_and_claim


async def written(
    store: Store, clock: FakeClock, document: DocumentRef, *, model: str, prompt: str
) -> Change:
    """Have one change of a document written that follows from a model's answer."""
    job = await enqueue_and_claim(store, clock, document)
    said = replace(an_analysis(), model=model, prompt_version=prompt)
    await store.results.save(job, said, now=clock())
    intended, _ = await store.changes.record_plan(job, a_plan(), made_from="plan", now=clock())
    outcome = ChangeOutcome(intended.id, ChangeState.APPLIED)
    (change,) = await store.changes.settle(job, [outcome], now=clock())
    await store.jobs.succeed(job, now=clock())
    return change


@pytest.fixture
async def two(store: Store, clock: FakeClock) -> tuple[Change, Change]:
    """Yesterday's change by the small model, and today's by the large one."""
    small = await written(store, clock, HOME_7, model="small", prompt="v1")
    clock.advance(days=1)
    return small, await written(store, clock, HOME_8, model="large", prompt="v2")


async def test_changes_are_found_by_the_model_they_follow_from(
    store: Store, two: tuple[Change, Change]
) -> None:
    assert await store.changes.list_applied(ChangeFilter(model="small")) == (two[0],)


async def test_changes_are_found_by_the_prompt_they_follow_from(
    store: Store, two: tuple[Change, Change]
) -> None:
    assert await store.changes.list_applied(ChangeFilter(prompt_version="v2")) == (two[1],)
    assert await store.changes.list_applied(ChangeFilter(model="small", prompt_version="v2")) == ()


async def test_changes_are_found_by_the_time_of_writing(
    store: Store, two: tuple[Change, Change], clock: FakeClock
) -> None:
    today = clock() - timedelta(hours=1)

    assert await store.changes.list_applied(ChangeFilter(since=today)) == (two[1],)
    assert await store.changes.list_applied(ChangeFilter(until=today)) == (two[0],)


async def test_only_what_is_applied_can_be_undone(
    store: Store, two: tuple[Change, Change], clock: FakeClock
) -> None:
    undo = await enqueue_and_claim(store, clock, HOME_7, kind="undo")
    await store.changes.settle(undo, [ChangeOutcome(two[0].id, ChangeState.UNDONE)], now=clock())

    assert await store.changes.list_applied(ChangeFilter()) == (two[1],)
