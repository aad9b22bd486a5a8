"""Decisions and unwritten changes of ended jobs are neither lost nor duplicated."""

from collections.abc import Sequence

import pytest

from core.changes import AcceptedChange, Change, ChangeOutcome, ChangeState, Decision, Plan
from core.fields import FieldName, Name
from core.jobs import UNDO, Job, JobStatus, Priority
from store import DocumentBusy, Store
from tests.store.builders import (
    HOME_7,
    PROBLEM,
    FakeClock,
    a_planned_change,
    claim,
    enqueue_and_claim,
    enqueue_job,
)

TYPE = a_planned_change(FieldName.DOCUMENT_TYPE, None, Name(4, "Rechnung"))
DONE = a_planned_change(FieldName.TAGS, None, Name(9, "fertig"))


async def waiting(store: Store, clock: FakeClock) -> tuple[Change, ...]:
    """Return two changes for review."""
    job = await enqueue_and_claim(store, clock)
    plan = Plan(review=(a_planned_change(), TYPE))
    proposed = await store.changes.record_plan(job, plan, made_from="plan", now=clock())
    await store.jobs.succeed(job, now=clock())
    return proposed


async def accept(store: Store, clock: FakeClock, change: Change) -> Job:
    decision = Decision((AcceptedChange(change.id, change.after, change.before),))
    return await store.changes.decide(HOME_7, decision, by="anna", max_attempts=1, now=clock())


async def applying(store: Store, clock: FakeClock, change: Change) -> Job:
    """Return a claimed apply job that has begun to write what was accepted, and the done tag."""
    await accept(store, clock, change)
    job = await claim(store, clock)
    await store.changes.begin(job, await store.changes.list_to_apply(job), [DONE], now=clock())
    return job


async def undo(store: Store, clock: FakeClock, written: Sequence[Change]) -> None:
    await enqueue_job(store, clock, kind=UNDO, priority=Priority.BY_HAND)
    job = await claim(store, clock)
    undone = [ChangeOutcome(change.id, ChangeState.UNDONE) for change in written]
    await store.changes.settle(job, undone, now=clock())
    await store.jobs.succeed(job, now=clock())


async def test_nothing_is_accepted_for_a_job_that_only_compares(
    store: Store, clock: FakeClock
) -> None:
    first, second = await waiting(store, clock)
    job = await applying(store, clock, first)
    compares = await store.jobs.fail(job, PROBLEM, now=clock())
    assert compares.ends_as is JobStatus.FAILED

    with pytest.raises(DocumentBusy):
        await accept(store, clock, second)

    assert await store.changes.get(second.id) == second


async def test_a_done_tag_that_turns_out_unwritten_is_not_put_before_a_person(
    store: Store, clock: FakeClock
) -> None:
    first, _ = await waiting(store, clock)
    job = await applying(store, clock, first)
    await store.jobs.end_gone(job, now=clock())
    begun = await store.changes.list_begun(HOME_7)
    assert {change.state for change in begun} == {ChangeState.UNCONFIRMED}

    unwritten = [ChangeOutcome(change.id, ChangeState.INTENDED) for change in begun]
    await store.changes.settle_unconfirmed(HOME_7, unwritten, now=clock())

    assert [change.id for change in await store.changes.list_for_review()] == [first.id]


async def test_what_a_person_undid_is_not_planned_again(store: Store, clock: FakeClock) -> None:
    job = await enqueue_and_claim(store, clock)
    plan = Plan((a_planned_change(),))
    written = await store.changes.record_plan(job, plan, made_from="a", now=clock())
    await store.changes.begin(job, written, now=clock())
    applied = [ChangeOutcome(change.id, ChangeState.APPLIED) for change in written]
    await store.changes.settle(job, applied, now=clock())
    await store.jobs.retry(job, PROBLEM, at=clock.advance(minutes=5), now=clock())
    await undo(store, clock, written)
    again = await claim(store, clock)

    stored = await store.changes.record_plan(again, plan, made_from="b", now=clock())

    assert [change.state for change in stored] == [ChangeState.UNDONE]


async def test_a_plan_that_another_analysis_replaced_is_made_anew(
    store: Store, clock: FakeClock
) -> None:
    plan = Plan((a_planned_change(),))
    first = await enqueue_and_claim(store, clock)
    await store.changes.record_plan(first, plan, made_from="same", now=clock())
    await store.jobs.fail(first, PROBLEM, now=clock())
    second = await enqueue_and_claim(store, clock)
    await store.changes.record_plan(second, plan, made_from="same", now=clock())
    await store.jobs.fail(second, PROBLEM, now=clock())
    await store.jobs.restart(first.id, by="anna", now=clock())

    stored = await store.changes.record_plan(
        await claim(store, clock), plan, made_from="same", now=clock()
    )

    assert [change.state for change in stored] == [ChangeState.REJECTED, ChangeState.INTENDED]


async def test_what_waited_of_a_document_that_was_gone_is_planned_anew(
    store: Store, clock: FakeClock
) -> None:
    job = await enqueue_and_claim(store, clock)
    plan = Plan(review=(a_planned_change(),))
    await store.changes.record_plan(job, plan, made_from="same", now=clock())
    await store.jobs.end_gone(job, now=clock())
    await store.jobs.restart(job.id, by="anna", now=clock())

    stored = await store.changes.record_plan(
        await claim(store, clock), plan, made_from="same", now=clock()
    )

    assert [change.state for change in stored] == [ChangeState.REJECTED, ChangeState.PROPOSED]


async def test_a_scan_leaves_unconfirmed_changes_to_a_job_that_has_come_meanwhile(
    store: Store, clock: FakeClock
) -> None:
    first, _ = await waiting(store, clock)
    await store.jobs.end_gone(await applying(store, clock, first), now=clock())
    scanned = await store.written.list_to_check("home", {})
    job = await enqueue_and_claim(store, clock)
    begun = await store.changes.list_begun(HOME_7)
    found = [ChangeOutcome(change.id, ChangeState.APPLIED) for change in scanned[HOME_7.id]]

    await store.changes.settle_unconfirmed(HOME_7, found, now=clock())

    found = [ChangeOutcome(change.id, ChangeState.APPLIED) for change in begun]
    settled = await store.changes.settle(job, found, now=clock())
    assert {change.state for change in settled} == {ChangeState.APPLIED}


async def test_a_restarted_job_writes_what_turns_out_unwritten(
    store: Store, clock: FakeClock
) -> None:
    first, _ = await waiting(store, clock)
    job = await applying(store, clock, first)
    await store.jobs.fail(job, PROBLEM, now=clock())
    await store.jobs.fail(await claim(store, clock), PROBLEM, now=clock())
    await store.jobs.restart(job.id, by="anna", now=clock())
    again = await claim(store, clock)
    begun = await store.changes.list_begun(HOME_7)
    assert {change.state for change in begun} == {ChangeState.UNCONFIRMED}

    unwritten = [ChangeOutcome(change.id, ChangeState.INTENDED) for change in begun]
    await store.changes.settle(again, unwritten, now=clock())

    to_write = await store.changes.list_to_apply(again)
    assert [change.after for change in to_write] == [first.after, DONE.after]


async def test_nothing_returns_to_review_of_a_document_that_is_ignored_meanwhile(
    store: Store, clock: FakeClock
) -> None:
    first, second = await waiting(store, clock)
    await accept(store, clock, first)
    await store.documents.ignore(HOME_7, by="anna", now=clock())

    await store.jobs.fail(await claim(store, clock), PROBLEM, now=clock())

    assert await store.changes.list_for_review() == ()
    await store.documents.unignore(HOME_7, now=clock())
    assert [change.id for change in await store.changes.list_for_review()] == [first.id, second.id]
