"""A job whose write has begun does not end before its effect is known."""

from collections.abc import Awaitable, Callable
from dataclasses import replace

import pytest

from core.changes import (
    RULE,
    UNWRITTEN,
    AcceptedChange,
    Change,
    ChangeOutcome,
    ChangeState,
    Decision,
    Plan,
)
from core.documents import DocumentState
from core.fields import FieldName, Name
from core.holds import HoldKind, limit_target, model_target, paperless_target, pause_target
from core.jobs import ANALYZE, MAX_RECONCILES, UNDO, Job, JobStatus, Scope
from core.messages import plain
from store import InvalidTransition, Store
from tests.builders import because
from tests.store.builders import (
    HOME_7,
    PROBLEM,
    FakeClock,
    a_plan,
    a_planned_change,
    claim,
    enqueue_and_claim,
    enqueue_job,
    event_names,
)

ENDPOINT = "http://ollama/v1#1234"
Ending = Callable[[Store, Job, FakeClock], Awaitable[Job]]


async def fail(store: Store, job: Job, clock: FakeClock) -> Job:
    return await store.jobs.fail(job, PROBLEM, now=clock())


async def cancel(store: Store, job: Job, clock: FakeClock) -> Job:
    await store.jobs.cancel(job.id, by="anna", now=clock())
    return await store.jobs.end_cancelled(job, plain("anna"), now=clock())


async def crash(store: Store, _: Job, clock: FakeClock) -> Job:
    (recovered,) = await store.jobs.recover_orphans(now=clock())
    return recovered


async def cancel_while_pending(store: Store, job: Job, clock: FakeClock) -> Job:
    await store.jobs.retry(job, PROBLEM, at=clock.advance(minutes=5), now=clock())
    return await store.jobs.cancel(job.id, by="anna", now=clock())


ENDINGS: tuple[tuple[Ending, JobStatus], ...] = (
    (fail, JobStatus.FAILED),
    (cancel, JobStatus.CANCELLED),
    (crash, JobStatus.FAILED),
    (cancel_while_pending, JobStatus.CANCELLED),
)


async def writing(store: Store, clock: FakeClock) -> tuple[Job, Change]:
    """Return a job at its only attempt that has begun to write a change."""
    job = await enqueue_and_claim(store, clock, max_attempts=1)
    now, _ = await store.changes.record_plan(job, a_plan(), made_from="plan", now=clock())
    (begun,) = await store.changes.begin(job, [now], now=clock())
    return job, begun


async def undoing(store: Store, clock: FakeClock) -> tuple[Job, Change]:
    """Return an undo at its only attempt that has begun to undo a change."""
    job, change = await writing(store, clock)
    await store.changes.settle(job, [ChangeOutcome(change.id, ChangeState.APPLIED)], now=clock())
    await store.jobs.succeed(job, now=clock())
    undo = await enqueue_and_claim(store, clock, kind=UNDO, max_attempts=1)
    (begun,) = await store.changes.begin_undo(
        undo, [await store.changes.get(change.id)], now=clock()
    )
    return undo, begun


@pytest.mark.parametrize(("ending", "status"), ENDINGS)
@pytest.mark.parametrize("begin", [writing, undoing])
async def test_it_waits_to_be_compared_with_paperless_instead(
    store: Store,
    clock: FakeClock,
    begin: Callable[[Store, FakeClock], Awaitable[tuple[Job, Change]]],
    ending: Ending,
    status: JobStatus,
) -> None:
    job, change = await begin(store, clock)

    waiting = await ending(store, job, clock)

    assert (waiting.status, waiting.ends_as) == (JobStatus.PENDING, status)
    assert (await store.changes.get(change.id)).state is change.state
    again = await claim(store, clock)
    assert (again.id, again.attempts, again.reconciles) == (job.id, 1, 1)


@pytest.mark.parametrize(("ending", "status"), ENDINGS)
async def test_it_ends_as_it_would_have_once_its_changes_are_settled(
    store: Store, clock: FakeClock, ending: Ending, status: JobStatus
) -> None:
    job, change = await writing(store, clock)
    ends_with = (await ending(store, job, clock)).problem
    again = await claim(store, clock)
    await store.changes.settle(again, [ChangeOutcome(change.id, ChangeState.APPLIED)], now=clock())

    ended = await store.jobs.conclude(again, now=clock())

    assert (ended.status, ended.ends_as, ended.finished_at) == (status, None, clock())
    assert ended.problem == ends_with
    known = await store.documents.get(HOME_7)
    assert known is not None
    assert known.state is DocumentState(status.value)
    assert (await event_names(store, job))[-1] == status.value


async def test_a_cancel_does_not_remove_it(store: Store, clock: FakeClock) -> None:
    job, _ = await writing(store, clock)
    waiting = await fail(store, job, clock)

    unmoved = await store.jobs.cancel(job.id, by="anna", now=clock())

    assert unmoved == waiting


async def test_no_limit_of_model_calls_holds_it(store: Store, clock: FakeClock) -> None:
    job, _ = await writing(store, clock)
    limit = f"{HoldKind.LIMIT.prefix}home"
    await store.holds.place(limit, because("reached"), next_probe_at=clock(), now=clock())

    await fail(store, job, clock)

    assert (await claim(store, clock)).id == job.id


@pytest.mark.parametrize("target", [limit_target("home"), model_target(ENDPOINT)])
async def test_a_retry_that_must_read_its_write_first_waits_for_no_model(
    store: Store, clock: FakeClock, target: str
) -> None:
    await store.instances.register("home", endpoint=ENDPOINT, now=clock())
    job, change = await writing(store, clock)
    await store.jobs.retry(job, PROBLEM, at=clock.advance(minutes=5), now=clock())
    await store.holds.place(target, because("why"), next_probe_at=None, now=clock())

    assert await store.jobs.count_held("home") == 0
    again = await claim(store, clock)
    await store.changes.settle(again, [ChangeOutcome(change.id, ChangeState.INTENDED)], now=clock())
    await store.jobs.postpone(again, plain("its model is on hold"), now=clock())

    assert await store.jobs.count_held("home") == 1
    assert await store.jobs.claim(worker="worker", now=clock()) is None


@pytest.mark.parametrize("target", [paperless_target("home"), pause_target("home")])
async def test_a_retry_that_must_read_its_write_first_waits_for_paperless(
    store: Store, clock: FakeClock, target: str
) -> None:
    job, _ = await writing(store, clock)
    await store.jobs.retry(job, PROBLEM, at=clock.advance(minutes=5), now=clock())

    await store.holds.place(target, because("why"), next_probe_at=None, now=clock())

    assert await store.jobs.count_held("home") == 1
    assert await store.jobs.claim(worker="worker", now=clock()) is None


async def test_after_three_attempts_its_changes_are_unconfirmed(
    store: Store, clock: FakeClock
) -> None:
    job, change = await writing(store, clock)
    await fail(store, job, clock)
    for _ in range(MAX_RECONCILES - 1):
        again = await claim(store, clock)
        await store.jobs.retry(again, PROBLEM, at=clock.advance(minutes=10), now=clock())
    last = await claim(store, clock)
    assert (last.tries, last.max_tries) == (3, 3)

    ended = await fail(store, last, clock)

    unconfirmed = await store.changes.get(change.id)
    assert ended.status is JobStatus.FAILED
    assert (unconfirmed.state, unconfirmed.settled_at) == (ChangeState.UNCONFIRMED, clock())
    assert unconfirmed.id in {change.id for change in await store.changes.list_history()}


async def test_crashes_while_it_is_compared_are_counted_too(store: Store, clock: FakeClock) -> None:
    job, change = await writing(store, clock)
    await fail(store, job, clock)
    for _ in range(MAX_RECONCILES):
        await claim(store, clock)
        (recovered,) = await store.jobs.recover_orphans(now=clock())

    assert (recovered.status, recovered.problem) == (JobStatus.FAILED, PROBLEM)
    assert (await store.changes.get(change.id)).state is ChangeState.UNCONFIRMED


async def test_an_outage_gives_the_attempt_to_compare_back(store: Store, clock: FakeClock) -> None:
    job, _ = await writing(store, clock)
    await fail(store, job, clock)

    released = await store.jobs.release(
        await claim(store, clock), plain("Paperless is down"), now=clock()
    )

    assert (released.status, released.reconciles) == (JobStatus.PENDING, 0)
    assert released.ends_as is JobStatus.FAILED


async def test_a_document_that_is_gone_leaves_its_changes_unconfirmed(
    store: Store, clock: FakeClock
) -> None:
    job, change = await writing(store, clock)

    ended = await store.jobs.end_gone(job, now=clock())

    assert ended.status is JobStatus.CANCELLED
    assert (await store.changes.get(change.id)).state is ChangeState.UNCONFIRMED


@pytest.mark.parametrize("became", ["applied", "conflict"])
async def test_an_unconfirmed_write_is_settled_by_whoever_reads_the_document(
    store: Store, clock: FakeClock, became: str
) -> None:
    job, change = await writing(store, clock)
    await store.jobs.end_gone(job, now=clock())

    outcome = ChangeOutcome(change.id, ChangeState(became))
    (settled,) = await store.changes.settle_unconfirmed(HOME_7, [outcome], now=clock())

    assert (settled.state, settled.has_begun) == (became, False)
    assert await store.changes.settle_unconfirmed(HOME_7, [outcome], now=clock()) == ()


async def test_an_automatic_write_that_turns_out_unwritten_is_not_shown_as_being_written(
    store: Store, clock: FakeClock
) -> None:
    job, change = await writing(store, clock)
    await store.jobs.end_gone(job, now=clock())

    outcome = ChangeOutcome(change.id, ChangeState.INTENDED)
    (settled,) = await store.changes.settle_unconfirmed(HOME_7, [outcome], now=clock())

    assert (settled.state, settled.decided_by) == (ChangeState.REJECTED, UNWRITTEN)
    assert (settled.has_begun, settled.settled_at) == (False, clock())


@pytest.mark.parametrize(("ending", "status"), ENDINGS)
async def test_nothing_of_an_ended_job_is_shown_as_being_written(
    store: Store, clock: FakeClock, ending: Ending, status: JobStatus
) -> None:
    job, change = await writing(store, clock)
    await ending(store, job, clock)
    again = await claim(store, clock)
    await store.changes.settle(again, [ChangeOutcome(change.id, ChangeState.INTENDED)], now=clock())

    ended = await store.jobs.conclude(again, now=clock())

    unwritten = await store.changes.get(change.id)
    assert ended.status is status
    assert (unwritten.state, unwritten.decided_by) == (ChangeState.REJECTED, UNWRITTEN)


@pytest.mark.parametrize("ending", [fail, cancel, crash, cancel_while_pending])
async def test_nothing_of_a_job_that_ends_before_its_write_is_shown_as_being_written(
    store: Store, clock: FakeClock, ending: Ending
) -> None:
    job = await enqueue_and_claim(store, clock, max_attempts=1)
    now, review = await store.changes.record_plan(job, a_plan(), made_from="plan", now=clock())

    await ending(store, job, clock)

    assert (await store.changes.get(now.id)).state is ChangeState.REJECTED
    assert await store.changes.get(review.id) == review


async def test_a_job_that_is_restarted_plans_what_it_has_not_written_again(
    store: Store, clock: FakeClock
) -> None:
    job, change = await writing(store, clock)
    await store.jobs.end_gone(job, now=clock())
    outcome = ChangeOutcome(change.id, ChangeState.INTENDED)
    await store.changes.settle_unconfirmed(HOME_7, [outcome], now=clock())
    await store.jobs.restart(job.id, by="anna", now=clock())

    stored = await store.changes.record_plan(
        await claim(store, clock), Plan((a_planned_change(),)), made_from="plan", now=clock()
    )

    assert stored[-1].state is ChangeState.INTENDED
    assert stored[-1].after == change.after


async def test_an_unconfirmed_undo_keeps_when_its_change_was_written(
    store: Store, clock: FakeClock
) -> None:
    job, change = await undoing(store, clock)
    clock.advance(days=1)
    await store.jobs.end_gone(job, now=clock())

    outcome = ChangeOutcome(change.id, ChangeState.UNDONE)
    (undone,) = await store.changes.settle_unconfirmed(HOME_7, [outcome], now=clock())

    assert (undone.settled_at, undone.undone_at) == (change.settled_at, clock())
    assert (undone.decided_by, undone.undone_by) == (RULE, job.asked_by)


async def an_unconfirmed_acceptance(store: Store, clock: FakeClock) -> Change:
    """Return a change that was accepted with another value, and whose write nobody could check."""
    job = await enqueue_and_claim(store, clock)
    plan = Plan(review=(a_planned_change(),))
    (proposed,) = await store.changes.record_plan(job, plan, made_from="plan", now=clock())
    await store.jobs.succeed(job, now=clock())
    decision = Decision((AcceptedChange(proposed.id, "Chosen", "scan_0001"),))
    await store.changes.decide(HOME_7, decision, by="anna", max_attempts=1, now=clock())
    apply = await claim(store, clock)
    await store.changes.begin(apply, await store.changes.list_to_apply(apply), now=clock())
    await store.jobs.end_gone(apply, now=clock())
    return proposed


async def test_an_acceptance_that_turns_out_unwritten_returns_to_review(
    store: Store, clock: FakeClock
) -> None:
    proposed = await an_unconfirmed_acceptance(store, clock)

    outcome = ChangeOutcome(proposed.id, ChangeState.INTENDED)
    (returned,) = await store.changes.settle_unconfirmed(HOME_7, [outcome], now=clock())

    assert (returned.state, returned.after) == (ChangeState.PROPOSED, "Chosen")
    assert returned.decided_by == ""


@pytest.mark.parametrize("became", [ChangeState.INTENDED, ChangeState.CONFLICT])
async def test_nothing_that_is_settled_shows_up_in_review_while_its_document_is_ignored(
    store: Store, clock: FakeClock, became: ChangeState
) -> None:
    proposed = await an_unconfirmed_acceptance(store, clock)
    await store.documents.ignore(HOME_7, by="anna", now=clock())

    outcome = ChangeOutcome(proposed.id, became, found="Other" if became == "conflict" else None)
    await store.changes.settle_unconfirmed(HOME_7, [outcome], now=clock())

    assert await store.changes.list_for_review() == ()
    await store.documents.unignore(HOME_7, now=clock())
    [waiting] = await store.changes.list_for_review()
    assert (waiting.id, waiting.after) == (proposed.id, "Chosen")
    expected = ChangeState.CONFLICT if became == "conflict" else ChangeState.PROPOSED
    assert waiting.state is expected


async def test_beginning_stores_further_changes_and_the_ids_of_new_names(
    store: Store, clock: FakeClock
) -> None:
    job = await enqueue_and_claim(store, clock)
    new = a_planned_change(FieldName.CORRESPONDENT, None, Name(None, "Neu"))
    (change,) = await store.changes.record_plan(job, Plan((new,)), made_from="p", now=clock())
    done_tag = a_planned_change(FieldName.TAGS, None, Name(9, "fertig"))

    named = replace(change, after=Name(12, "Neu"))
    begun = await store.changes.begin(job, [named], [done_tag], now=clock())

    assert [change.after for change in begun] == [Name(12, "Neu"), Name(9, "fertig")]
    assert await store.changes.list_begun(HOME_7) == begun


async def test_only_what_is_intended_can_begin(store: Store, clock: FakeClock) -> None:
    job = await enqueue_and_claim(store, clock)
    _, proposed = await store.changes.record_plan(job, a_plan(), made_from="plan", now=clock())

    with pytest.raises(InvalidTransition):
        await store.changes.begin(job, [proposed], now=clock())

    assert await store.changes.list_begun(HOME_7) == ()


async def test_another_plan_supersedes_what_never_began_and_leaves_the_rest(
    store: Store, clock: FakeClock
) -> None:
    job = await enqueue_and_claim(store, clock)
    other = a_planned_change(FieldName.TAGS, None, Name(9, "fertig"))
    plan = Plan(now=(a_planned_change(), other))
    began, never_began = await store.changes.record_plan(job, plan, made_from="a", now=clock())
    (began,) = await store.changes.begin(job, [began], now=clock())

    await store.changes.record_plan(job, Plan(), made_from="b", now=clock())

    assert await store.changes.get(began.id) == began
    assert (await store.changes.get(never_began.id)).state is ChangeState.REJECTED


async def test_a_plan_made_from_something_else_replaces_the_stored_one(
    store: Store, clock: FakeClock
) -> None:
    job = await enqueue_and_claim(store, clock)
    first = Plan(now=(a_planned_change(after="Old letter"),))
    (stale,) = await store.changes.record_plan(job, first, made_from="old text", now=clock())

    second = Plan(review=(a_planned_change(after="Other letter"),))
    stored = await store.changes.record_plan(job, second, made_from="other text", now=clock())

    states = {change.after: change.state for change in stored}
    assert states == {
        "Old letter": ChangeState.REJECTED,
        "Other letter": ChangeState.PROPOSED,
    }
    assert stale.state is ChangeState.INTENDED


@pytest.mark.parametrize("word", ["accepted", "rejected"])
async def test_what_a_person_decided_stands_when_a_plan_is_replaced(
    store: Store, clock: FakeClock, word: str
) -> None:
    job = await enqueue_and_claim(store, clock)
    plan = Plan(review=(a_planned_change(),))
    (proposed,) = await store.changes.record_plan(job, plan, made_from="a", now=clock())
    await store.jobs.retry(job, PROBLEM, at=clock.advance(minutes=5), now=clock())
    accept = (AcceptedChange(proposed.id, "Chosen", "scan_0001"),) if word == "accepted" else ()
    reject = () if accept else (proposed.id,)
    await store.changes.decide(
        HOME_7, Decision(accept, reject), by="anna", max_attempts=3, now=clock()
    )
    decided = await store.changes.get(proposed.id)
    only = Scope(kinds=frozenset({ANALYZE}))
    again = await store.jobs.claim(worker="worker", now=clock(), scope=only)
    assert again is not None

    stored = await store.changes.record_plan(again, plan, made_from="b", now=clock())

    assert stored == (decided,)


async def test_an_ended_job_can_be_started_again_with_all_its_attempts(
    store: Store, clock: FakeClock
) -> None:
    job, change = await writing(store, clock)
    await fail(store, job, clock)
    again = await claim(store, clock)
    await store.changes.settle(again, [ChangeOutcome(change.id, ChangeState.INTENDED)], now=clock())
    await store.jobs.conclude(again, now=clock())

    restarted = await store.jobs.restart(job.id, by="anna", now=clock())

    assert (restarted.attempts, restarted.reconciles, restarted.ends_as) == (0, 0, None)
    assert (await claim(store, clock)).attempts == 1
    await enqueue_job(store, clock, kind=UNDO)
