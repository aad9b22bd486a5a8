"""What happened in a span of time."""

from datetime import timedelta

from core.changes import ChangeOutcome, ChangeState, Plan
from core.documents import DocumentRef
from core.errors import Problem
from core.messages import plain
from store import Store
from store.notifications import ActivityCounts, FailureGroup
from tests.store.builders import (
    HOME_7,
    HOME_8,
    PROBLEM,
    FakeClock,
    a_planned_change,
    a_tag_to_review,
    enqueue_and_claim,
)

HOME = ("home",)
HOUR = timedelta(hours=1)


async def failed(
    store: Store, clock: FakeClock, ref: DocumentRef, problem: Problem = PROBLEM
) -> None:
    await store.jobs.fail(await enqueue_and_claim(store, clock, ref), problem, now=clock())


async def test_failures_are_grouped_by_their_cause_the_most_common_first(
    store: Store, clock: FakeClock
) -> None:
    refs = [DocumentRef("home", number) for number in range(1, 5)]
    await failed(store, clock, refs[3], Problem("gone", plain("x"), "It is gone."))
    for ref in refs[:3]:
        await failed(store, clock, ref)
    await failed(store, clock, DocumentRef("attic", 1))

    span = (clock(), clock() + HOUR)
    found = await store.activity.list_failures(HOME, span)

    assert found == (
        FailureGroup(PROBLEM.user_message, clock(), tuple(refs[:3])),
        FailureGroup("It is gone.", clock(), (refs[3],)),
    )
    assert await store.activity.list_failures(HOME, (clock() + HOUR, clock() + 2 * HOUR)) == ()


async def test_what_was_started_again_is_not_listed(store: Store, clock: FakeClock) -> None:
    await failed(store, clock, HOME_7)
    await store.jobs.restart(1, by="anna", now=clock())

    assert await store.activity.list_failures(HOME, (clock(), clock() + HOUR)) == ()


async def test_a_day_is_counted(store: Store, clock: FakeClock) -> None:
    begin = clock()
    job = await enqueue_and_claim(store, clock, HOME_7)
    plan = Plan(now=(a_planned_change(),), review=(a_tag_to_review(),))
    written, waits = await store.changes.record_plan(job, plan, made_from="plan", now=clock())
    await store.changes.settle(job, [ChangeOutcome(written.id, ChangeState.APPLIED)], now=clock())
    await store.jobs.succeed(job, now=clock())
    await store.jobs.succeed(await enqueue_and_claim(store, clock, HOME_7), now=clock())
    await failed(store, clock, HOME_8)

    today = await store.activity.count_activity(HOME, (begin, begin + HOUR))

    assert today == ActivityCounts(completed=1, failed=1, written=1)
    assert await store.activity.count_activity(HOME, (begin - HOUR, begin)) == ActivityCounts(
        0, 0, 0
    )
    assert await store.activity.get_newest_for_review(HOME) == waits.id
    assert await store.activity.get_newest_for_review(("attic",)) == 0
