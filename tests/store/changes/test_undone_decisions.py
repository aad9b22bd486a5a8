"""A decision that is undone before it is written leaves everything as it was."""

import pytest

from core.changes import AcceptedChange, Change, ChangeState, Decision, Plan, PlannedChange
from core.fields import FieldName, Name
from core.jobs import Job, JobStatus
from core.names import AliasRule
from store import DocumentBusy, DocumentIgnored, InvalidTransition, Store
from tests.store.builders import (
    HOME_7,
    FakeClock,
    a_planned_change,
    a_tag_to_review,
    claim,
    enqueue_and_claim,
)

OWN_TAG = PlannedChange(FieldName.TAGS, None, Name(9, "Own"))


@pytest.fixture
async def waiting(store: Store, clock: FakeClock) -> tuple[Change, ...]:
    job = await enqueue_and_claim(store, clock)
    plan = Plan(review=(a_planned_change(FieldName.TITLE), a_tag_to_review()))
    changes = await store.changes.record_plan(job, plan, made_from="plan", now=clock())
    await store.jobs.succeed(job, now=clock())
    return changes


async def _decide(store: Store, clock: FakeClock, waiting: tuple[Change, ...]) -> Job:
    """Accept the title with an own value, reject the tag, add another, learn an alias."""
    title, tag = waiting
    edited = AcceptedChange(title.id, "My title", seen=title.before, is_edited=True)
    rule = AliasRule(FieldName.TAGS, "strom", "Strom", Name(9, "Own"))
    decision = Decision((edited,), reject=(tag.id,), add=(OWN_TAG,), remember=(rule,), why="no")
    return await store.changes.decide(HOME_7, decision, by="admin", max_attempts=1, now=clock())


async def test_all_of_it_is_for_review_again_as_it_was(
    store: Store, clock: FakeClock, waiting: tuple[Change, ...]
) -> None:
    job = await _decide(store, clock, waiting)
    clock.advance(seconds=5)

    restored = await store.changes.undo_decision(job.id, by="admin", now=clock())

    assert restored == 2
    assert await store.changes.list_for_review(document=HOME_7) == waiting
    assert (await store.jobs.get(job.id)).status is JobStatus.CANCELLED
    assert await store.names.list_aliases("home") == ()
    [added] = [
        change
        for change in await store.changes.list_for_document(HOME_7)
        if change.after == OWN_TAG.after
    ]
    assert added.state is ChangeState.REJECTED


async def test_it_can_be_decided_again(
    store: Store, clock: FakeClock, waiting: tuple[Change, ...]
) -> None:
    job = await _decide(store, clock, waiting)
    await store.changes.undo_decision(job.id, by="admin", now=clock())

    again = await _decide(store, clock, waiting)

    assert again.id != job.id
    assert again.status is JobStatus.PENDING
    assert len(await store.changes.list_to_apply(again)) == 2


async def test_what_is_being_written_is_not_undone(
    store: Store, clock: FakeClock, waiting: tuple[Change, ...]
) -> None:
    job = await _decide(store, clock, waiting)
    await claim(store, clock)

    with pytest.raises(DocumentBusy):
        await store.changes.undo_decision(job.id, by="admin", now=clock())

    assert await store.changes.list_for_review(document=HOME_7) == ()


async def test_after_a_new_analysis_nothing_of_the_old_one_returns(
    store: Store, clock: FakeClock, waiting: tuple[Change, ...]
) -> None:
    decision = Decision(reject=tuple(change.id for change in waiting))
    job = await store.changes.decide(HOME_7, decision, by="admin", max_attempts=1, now=clock())
    await store.jobs.succeed(await claim(store, clock), now=clock())
    await store.jobs.succeed(await enqueue_and_claim(store, clock), now=clock())

    assert await store.changes.undo_decision(job.id, by="admin", now=clock()) == 0
    assert await store.changes.list_for_review(document=HOME_7) == ()


async def test_a_rejection_is_undone_after_its_job_has_ended(
    store: Store, clock: FakeClock, waiting: tuple[Change, ...]
) -> None:
    decision = Decision(reject=tuple(change.id for change in waiting))
    job = await store.changes.decide(HOME_7, decision, by="admin", max_attempts=1, now=clock())
    await store.jobs.succeed(await claim(store, clock), now=clock())

    assert await store.changes.undo_decision(job.id, by="admin", now=clock()) == 2
    assert await store.changes.list_for_review(document=HOME_7) == waiting


async def test_nothing_of_an_ignored_document_returns_to_review(
    store: Store, clock: FakeClock, waiting: tuple[Change, ...]
) -> None:
    decision = Decision(reject=tuple(change.id for change in waiting))
    job = await store.changes.decide(HOME_7, decision, by="admin", max_attempts=1, now=clock())
    await store.jobs.succeed(await claim(store, clock), now=clock())
    await store.documents.ignore(HOME_7, by="admin", now=clock())

    with pytest.raises(DocumentIgnored):
        await store.changes.undo_decision(job.id, by="admin", now=clock())


async def test_the_job_of_a_decision_that_was_undone_cannot_be_restarted(
    store: Store, clock: FakeClock, waiting: tuple[Change, ...]
) -> None:
    job = await _decide(store, clock, waiting)
    await store.changes.undo_decision(job.id, by="admin", now=clock())

    ended = await store.jobs.get(job.id)

    assert str(ended.cancel_requested) == "admin: the decision was undone"
    assert not ended.can_be_restarted
    with pytest.raises(InvalidTransition):
        await store.jobs.restart(job.id, by="admin", now=clock())
