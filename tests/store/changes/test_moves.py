"""A change is settled with what was found; a transition that does not exist is refused."""

import pytest

from core.changes import (
    RULE,
    ChangeOutcome,
    ChangeState,
    Plan,
)
from core.fields import FieldName, Name
from core.jobs import APPLY, UNDO, EventName, NewJob, Priority
from store import ChangeNotFound, ClaimLost, InvalidTransition, Store
from tests.store.builders import (
    HOME_7,
    HOME_8,
    FakeClock,
    a_plan,
    a_planned_change,
    a_tag_to_review,
    claim,
    enqueue_and_claim,
    record_a_plan,
    settle_as,
)


async def test_a_job_may_add_changes_and_adds_none_twice(store: Store, clock: FakeClock) -> None:
    job, now, review = await record_a_plan(store, clock)
    done_tag = a_planned_change(FieldName.TAGS, None, Name(9, "fertig"))

    first = await store.changes.begin(job, [], [done_tag], decided_by=RULE, now=clock())
    again = await store.changes.begin(job, [], [done_tag], decided_by=RULE, now=clock())

    assert first == again
    assert (first[0].state, first[0].decided_by) == (ChangeState.INTENDED, RULE)
    assert await store.changes.list_for_job(job.id) == (now, review, *first)
    events = await store.jobs.list_events(job.id)
    assert [e.data for e in events if e.name is EventName.CHANGES_RECORDED][1:] == [
        {"now": 1, "by": RULE}
    ]


async def test_what_another_job_adds_belongs_to_the_analysis_it_follows_from(
    store: Store, clock: FakeClock
) -> None:
    analysis, _, _ = await record_a_plan(store, clock)
    await store.jobs.succeed(analysis, now=clock())
    apply = await enqueue_and_claim(store, clock, kind=APPLY)
    done_tag = a_planned_change(FieldName.TAGS, None, Name(9, "fertig"))

    (first,) = await store.changes.begin(apply, [], [done_tag], decided_by=RULE, now=clock())
    (again,) = await store.changes.begin(apply, [], [done_tag], decided_by=RULE, now=clock())

    assert first.job_id == analysis.id
    assert again == first


async def test_without_an_analysis_it_belongs_to_the_job_itself(
    store: Store, clock: FakeClock
) -> None:
    apply = await enqueue_and_claim(store, clock, kind=APPLY)

    (added,) = await store.changes.begin(
        apply, [], [a_planned_change()], decided_by="anna", now=clock()
    )

    assert (added.job_id, added.decided_by) == (apply.id, "anna")


async def test_what_was_written_may_be_intended_again(store: Store, clock: FakeClock) -> None:
    job = await enqueue_and_claim(store, clock)
    tag = a_planned_change(FieldName.TAGS, None, Name(9, "fertig"))
    (first,) = await store.changes.begin(job, [], [tag], decided_by=RULE, now=clock())
    await settle_as(store, job, clock, first, ChangeState.OVERRIDDEN)

    (second,) = await store.changes.begin(job, [], [tag], decided_by=RULE, now=clock())

    assert second.id != first.id


@pytest.mark.parametrize("state", ["applied", "conflict", "overridden"])
async def test_an_intended_change_is_settled_with_what_was_found(
    store: Store, clock: FakeClock, state: str
) -> None:
    job, now, _ = await record_a_plan(store, clock)
    outcome = ChangeOutcome(now.id, ChangeState(state), found="Von Hand")

    (change,) = await store.changes.settle(job, [outcome], now=clock.advance(seconds=2))

    assert (change.state, change.found, change.settled_at) == (state, "Von Hand", clock())
    assert change.after == now.after
    *_, event = await store.jobs.list_events(job.id)
    assert event.name is EventName.CHANGES_SETTLED
    assert event.data == {
        state: 1,
        "changes": [{"id": now.id, "field": "title", "state": state}],
    }


async def test_a_created_name_gets_its_id(store: Store, clock: FakeClock) -> None:
    job = await enqueue_and_claim(store, clock)
    plan = Plan(now=(a_planned_change(FieldName.CORRESPONDENT, None, Name(None, "Neu")),))
    (new,) = await store.changes.record_plan(job, plan, made_from="plan", now=clock())

    outcome = ChangeOutcome(new.id, ChangeState.APPLIED, after=Name(12, "Neu"))
    (change,) = await store.changes.settle(job, [outcome], now=clock())

    assert change.after == Name(12, "Neu")


async def test_settling_nothing_is_no_event(store: Store, clock: FakeClock) -> None:
    job = await enqueue_and_claim(store, clock)

    assert await store.changes.settle(job, [], now=clock()) == ()

    assert [e.name for e in await store.jobs.list_events(job.id)][-1] is EventName.CLAIMED


async def test_an_applied_change_can_be_undone_by_another_job(
    store: Store, clock: FakeClock
) -> None:
    job, now, _ = await record_a_plan(store, clock)
    await settle_as(store, job, clock, now, ChangeState.APPLIED)
    await store.jobs.succeed(job, now=clock())

    undo = await enqueue_and_claim(store, clock, kind=UNDO)
    undone = await settle_as(store, undo, clock, now, ChangeState.UNDONE)

    assert (undone.state, undone.job_id) == (ChangeState.UNDONE, job.id)


@pytest.mark.parametrize("by", [RULE, "anna"])
async def test_history_keeps_who_wrote_a_change_beside_who_undid_it(
    store: Store, clock: FakeClock, by: str
) -> None:
    job = await enqueue_and_claim(store, clock)
    (change,) = await store.changes.begin(job, [], [a_planned_change()], decided_by=by, now=clock())
    applied = await settle_as(store, job, clock, change, ChangeState.APPLIED)
    await store.jobs.succeed(job, now=clock())
    wanted = NewJob(HOME_7, UNDO, Priority.BY_HAND, asked_by="bert")
    await store.jobs.enqueue(wanted, now=clock())
    undo = await claim(store, clock)

    await settle_as(store, undo, clock, applied, ChangeState.UNDONE)

    [undone] = await store.changes.list_for_document(HOME_7)
    assert (undone.decided_by, undone.settled_at) == (by, applied.settled_at)
    assert (undone.undone_by, undone.undone_at) == ("bert", clock())


@pytest.mark.parametrize(
    ("state", "title"),
    [
        (ChangeState.APPLIED, "after"),
        (ChangeState.OVERRIDDEN, "found"),
        (ChangeState.CONFLICT, "found"),
        (ChangeState.UNDONE, "before"),
    ],
)
async def test_a_document_is_known_by_the_title_that_a_write_left_behind(
    store: Store, clock: FakeClock, state: ChangeState, title: str
) -> None:
    job = await enqueue_and_claim(store, clock)
    plan = Plan(now=(a_planned_change(FieldName.TITLE, "before", "after"),))
    (change,) = await store.changes.record_plan(job, plan, made_from="plan", now=clock())
    if state is ChangeState.UNDONE:
        await settle_as(store, job, clock, change, ChangeState.APPLIED)

    await store.changes.settle(job, [ChangeOutcome(change.id, state, found="found")], now=clock())

    known = await store.documents.get(HOME_7)
    assert known is not None
    assert known.title == title


ALLOWED = {
    (ChangeState.INTENDED, ChangeState.APPLIED),
    (ChangeState.INTENDED, ChangeState.CONFLICT),
    (ChangeState.INTENDED, ChangeState.OVERRIDDEN),
    (ChangeState.APPLIED, ChangeState.UNDONE),
}
SETTLED_FROM = (
    ChangeState.INTENDED,
    ChangeState.PROPOSED,
    ChangeState.APPLIED,
    ChangeState.CONFLICT,
    ChangeState.OVERRIDDEN,
)


@pytest.mark.parametrize("wanted", list(ChangeState))
@pytest.mark.parametrize("state", SETTLED_FROM)
async def test_only_the_moves_of_a_change_that_exist_can_be_made(
    store: Store, clock: FakeClock, state: ChangeState, wanted: ChangeState
) -> None:
    job, now, review = await record_a_plan(store, clock)
    change = review if state is ChangeState.PROPOSED else now
    if state not in {ChangeState.PROPOSED, ChangeState.INTENDED}:
        change = await settle_as(store, job, clock, now, state)
    events = await store.jobs.list_events(job.id)

    if (state, wanted) in ALLOWED:
        assert (await settle_as(store, job, clock, change, wanted)).state is wanted
        return
    with pytest.raises(InvalidTransition):
        await settle_as(store, job, clock, change, wanted)

    assert await store.changes.get(change.id) == change
    assert await store.jobs.list_events(job.id) == events


async def test_outcomes_are_settled_all_or_none(store: Store, clock: FakeClock) -> None:
    job, now, review = await record_a_plan(store, clock)
    outcomes = [
        ChangeOutcome(now.id, ChangeState.APPLIED),
        ChangeOutcome(review.id, ChangeState.APPLIED),
    ]

    with pytest.raises(InvalidTransition):
        await store.changes.settle(job, outcomes, now=clock())

    assert await store.changes.get(now.id) == now


async def test_a_job_settles_only_changes_of_its_document(store: Store, clock: FakeClock) -> None:
    _, now, _ = await record_a_plan(store, clock, HOME_7)
    other = await enqueue_and_claim(store, clock, HOME_8)

    with pytest.raises(ChangeNotFound):
        await settle_as(store, other, clock, now, ChangeState.APPLIED)
    with pytest.raises(ChangeNotFound):
        await store.changes.get(99)


async def test_a_stale_worker_records_adds_and_settles_nothing(
    store: Store, clock: FakeClock
) -> None:
    stale, now, review = await record_a_plan(store, clock)
    await store.jobs.recover_orphans(now=clock())

    with pytest.raises(ClaimLost):
        await store.changes.record_plan(stale, a_plan(), made_from="plan", now=clock())
    with pytest.raises(ClaimLost):
        await store.changes.begin(stale, [], [a_tag_to_review()], decided_by=RULE, now=clock())
    with pytest.raises(ClaimLost):
        await settle_as(store, stale, clock, now, ChangeState.APPLIED)

    assert await store.changes.list_for_document(HOME_7) == (now, review)


async def test_an_apply_job_settles_what_a_person_accepted(store: Store, clock: FakeClock) -> None:
    job, now, _ = await record_a_plan(store, clock)
    await store.jobs.succeed(job, now=clock())
    apply = await enqueue_and_claim(store, clock, kind=APPLY)

    applied = await settle_as(store, apply, clock, now, ChangeState.APPLIED)

    assert applied.state is ChangeState.APPLIED
