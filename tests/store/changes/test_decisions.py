"""Decisions of a person: the whole of it in one transaction, with the job that writes it."""

from dataclasses import replace

import pytest

from core.changes import (
    RULE,
    SUPERSEDED,
    SYSTEM_ACTORS,
    AcceptedChange,
    Change,
    ChangeOutcome,
    ChangeState,
    Decision,
    Plan,
)
from core.fields import FieldName, Name
from core.jobs import ANALYZE, APPLY, EventName, JobStatus, Priority, Scope
from core.messages import plain
from store import DocumentBusy, NotForReview, Store
from tests.store.builders import (
    HOME_7,
    HOME_8,
    PROBLEM,
    STROM,
    FakeClock,
    a_planned_change,
    claim,
    enqueue_and_claim,
    enqueue_job,
)

POWER = Name(5, "Energie")


async def proposals(store: Store, clock: FakeClock) -> tuple[Change, Change]:
    """Give two changes of a document that wait, its analysis being done."""
    job = await enqueue_and_claim(store, clock)
    title = replace(a_planned_change(reasons=["review"]), is_evidence_found=True)
    tag = a_planned_change(FieldName.TAGS, None, STROM, ["review"])
    made = await store.changes.record_plan(
        job, Plan(review=(title, tag)), made_from="plan", now=clock()
    )
    await store.jobs.succeed(job, now=clock())
    return made[0], made[1]


async def decide(store: Store, clock: FakeClock, decision: Decision, by: str = "anna") -> int:
    job = await store.changes.decide(HOME_7, decision, by=by, max_attempts=3, now=clock())
    return job.id


async def test_what_is_accepted_becomes_intent_with_what_the_person_saw(
    store: Store, clock: FakeClock
) -> None:
    title, tag = await proposals(store, clock)
    clock.advance(hours=1)

    accept = (AcceptedChange(title.id, after="Strom 2026", seen="Von Hand"),)
    job = await store.changes.decide(
        HOME_7, Decision(accept, reject=(tag.id,)), by="anna", max_attempts=5, now=clock()
    )

    accepted, rejected = await store.changes.list_for_document(HOME_7)
    assert (accepted.state, accepted.decided_by) == (ChangeState.INTENDED, "anna")
    assert (accepted.before, accepted.after) == ("Von Hand", "Strom 2026")
    assert (rejected.state, rejected.decided_by) == (ChangeState.REJECTED, "anna")
    assert (accepted.settled_at, rejected.settled_at) == (None, clock())
    assert (job.kind, job.priority, job.asked_by) == (APPLY, Priority.BY_HAND, "review")
    assert (job.status, job.max_attempts) == (JobStatus.PENDING, 5)
    assert await store.changes.list_to_apply(job) == (accepted,)


async def accepted(store: Store) -> tuple[Change, ...]:
    """Return what a person accepted and nobody has written yet."""
    intended = await store.changes.list_for_document(HOME_7)
    return tuple(
        change
        for change in intended
        if change.state is ChangeState.INTENDED and change.apply_job_id
    )


@pytest.mark.parametrize("is_own", [True, False])
async def test_a_value_that_a_person_gave_has_no_quote_and_no_doubt_of_the_suggestion(
    store: Store, clock: FakeClock, *, is_own: bool
) -> None:
    title, _ = await proposals(store, clock)
    said = AcceptedChange(title.id, after="Strom 2026", seen=title.before, is_edited=is_own)

    await decide(store, clock, Decision((said,)))

    kept = await store.changes.get(title.id)
    suggested = (title.evidence, title.confidence, title.reasons, title.similar)
    mine = ("", 1.0, (), ())
    assert mine != suggested
    details = (kept.evidence, kept.confidence, kept.reasons, kept.similar)
    assert details == (mine if is_own else suggested)
    assert title.is_evidence_found
    assert kept.is_evidence_found is not is_own


@pytest.mark.parametrize("name", sorted(SYSTEM_ACTORS))
async def test_a_person_who_is_called_like_a_rule_is_still_a_person(
    store: Store, clock: FakeClock, name: str
) -> None:
    title, tag = await proposals(store, clock)
    added = a_planned_change(FieldName.TAGS, None, POWER)
    accept = (AcceptedChange(title.id, after="Strom 2026", seen="Von Hand"),)

    await decide(store, clock, Decision(accept, reject=(tag.id,), add=(added,)), by=name)

    changes = await store.changes.list_for_document(HOME_7)
    assert {change.decided_by for change in changes} == {f"{name} (person)"}
    assert len(await accepted(store)) == 2


async def test_a_word_about_why_is_kept_with_what_is_rejected_alone(
    store: Store, clock: FakeClock
) -> None:
    title, tag = await proposals(store, clock)

    accept = (AcceptedChange(title.id, after="Strom 2026", seen="Von Hand"),)
    await decide(store, clock, Decision(accept, reject=(tag.id,), why="belongs to Anna"))

    whys = [change.why for change in await store.changes.list_for_document(HOME_7)]
    assert whys == ["", "belongs to Anna"]


async def test_what_is_accepted_as_it_is_carries_no_word_about_why(
    store: Store, clock: FakeClock
) -> None:
    title, tag = await proposals(store, clock)

    await decide(store, clock, Decision(reject=(tag.id,), unchanged=(title.id,), why="not mine"))

    decided = await store.changes.list_for_document(HOME_7)
    assert [change.state for change in decided] == [ChangeState.REJECTED] * 2
    assert [change.why for change in decided] == ["", "not mine"]


async def test_a_reason_alone_decides_nothing(store: Store, clock: FakeClock) -> None:
    await proposals(store, clock)

    with pytest.raises(ValueError, match="nothing was decided"):
        await decide(store, clock, Decision(why="just so"))


async def test_the_story_of_the_apply_job_tells_who_decided(store: Store, clock: FakeClock) -> None:
    title, tag = await proposals(store, clock)

    job_id = await decide(
        store, clock, Decision((AcceptedChange(title.id, "A", "B"),), reject=(tag.id,))
    )

    enqueue, recorded = await store.jobs.list_events(job_id)
    assert enqueue.name is EventName.ENQUEUED
    assert recorded.name is EventName.CHANGES_RECORDED
    expected = {"by": "anna", "accepted": 1, "rejected": 1, "reviewed": 0, "added": 0}
    assert recorded.data == expected


async def test_what_a_person_adds_belongs_to_the_newest_analysis(
    store: Store, clock: FakeClock
) -> None:
    title, _ = await proposals(store, clock)
    planned = a_planned_change(FieldName.TAGS, None, POWER)

    await decide(store, clock, Decision(add=(planned,)))

    (added,) = await accepted(store)
    assert (added.after, added.job_id, added.decided_by) == (POWER, title.job_id, "anna")


async def test_without_an_analysis_it_belongs_to_the_apply_job(
    store: Store, clock: FakeClock
) -> None:
    job_id = await decide(store, clock, Decision(add=(a_planned_change(),)))

    (added,) = await accepted(store)
    assert added.job_id == job_id


async def test_a_conflict_can_be_accepted_and_is_one_no_more(
    store: Store, clock: FakeClock
) -> None:
    title, _ = await proposals(store, clock)
    await decide(store, clock, Decision((AcceptedChange(title.id, "A", "scan_0001"),)))
    apply = await claim(store, clock)
    conflict = ChangeOutcome(title.id, ChangeState.CONFLICT, found="Von Hand")
    await store.changes.settle(apply, [conflict], now=clock())
    await store.jobs.succeed(apply, now=clock())

    await decide(store, clock, Decision((AcceptedChange(title.id, "A", "Von Hand"),)), by="bert")

    change = await store.changes.get(title.id)
    assert (change.state, change.found, change.settled_at) == (ChangeState.INTENDED, None, None)
    assert (change.before, change.decided_by) == ("Von Hand", "bert")


async def test_a_second_decision_uses_the_apply_job_that_waits(
    store: Store, clock: FakeClock
) -> None:
    title, tag = await proposals(store, clock)

    first = await decide(store, clock, Decision(reject=(title.id,)))
    second = await decide(store, clock, Decision(reject=(tag.id,)))

    assert first == second
    names = [event.name for event in await store.jobs.list_events(first)]
    assert names == [
        EventName.ENQUEUED,
        EventName.CHANGES_RECORDED,
        EventName.CHANGES_RECORDED,
    ]


async def test_nothing_is_decided_while_a_decision_is_being_written(
    store: Store, clock: FakeClock
) -> None:
    title, tag = await proposals(store, clock)
    await decide(store, clock, Decision(reject=(title.id,)))
    await claim(store, clock)

    with pytest.raises(DocumentBusy):
        await decide(store, clock, Decision(reject=(tag.id,)))

    assert await store.changes.get(tag.id) == tag


async def test_an_analysis_under_way_does_not_stand_in_the_way(
    store: Store, clock: FakeClock
) -> None:
    title, _ = await proposals(store, clock)
    await enqueue_and_claim(store, clock)

    job_id = await decide(store, clock, Decision(reject=(title.id,)))

    assert (await store.jobs.get(job_id)).status is JobStatus.PENDING


@pytest.mark.parametrize("part", ["accept", "reject"])
async def test_what_does_not_wait_any_more_stops_the_whole_decision(
    store: Store, clock: FakeClock, part: str
) -> None:
    title, tag = await proposals(store, clock)
    await decide(store, clock, Decision(reject=(title.id,)))
    await store.jobs.succeed(await claim(store, clock), now=clock())

    accept, reject = (AcceptedChange(tag.id, STROM, None),), (title.id,)
    if part == "accept":
        accept, reject = (AcceptedChange(title.id, "A", "B"),), (tag.id,)
    with pytest.raises(NotForReview, match=f"change {title.id} "):
        await decide(store, clock, Decision(accept, reject))

    assert await store.changes.get(tag.id) == tag
    assert len([j for j in await store.jobs.list() if j.kind == APPLY]) == 1


async def test_a_change_cannot_be_accepted_and_rejected_at_once(
    store: Store, clock: FakeClock
) -> None:
    title, _ = await proposals(store, clock)

    with pytest.raises(NotForReview):
        await decide(store, clock, Decision((AcceptedChange(title.id, "A", "B"),), (title.id,)))

    assert await store.changes.get(title.id) == title


async def test_another_documents_change_does_not_wait_here(store: Store, clock: FakeClock) -> None:
    title, _ = await proposals(store, clock)

    with pytest.raises(NotForReview):
        await store.changes.decide(
            HOME_8, Decision(reject=(title.id,)), by="anna", max_attempts=3, now=clock()
        )


async def test_an_empty_decision_is_a_mistake(store: Store, clock: FakeClock) -> None:
    with pytest.raises(ValueError, match="nothing was decided"):
        await decide(store, clock, Decision())

    assert await store.jobs.list() == ()


async def test_what_the_rules_intend_is_not_a_persons(store: Store, clock: FakeClock) -> None:
    job = await enqueue_and_claim(store, clock)
    await store.changes.record_plan(
        job, Plan(now=(a_planned_change(),)), made_from="plan", now=clock()
    )
    done_tag = a_planned_change(FieldName.TAGS, None, POWER)
    await store.changes.begin(job, [], [done_tag], decided_by=RULE, now=clock())

    assert await accepted(store) == ()


async def analysed_anew(store: Store, clock: FakeClock) -> None:
    """Make a new plan for the document, whatever else waits for it."""
    await enqueue_job(store, clock)
    only = Scope(kinds=frozenset({ANALYZE}))
    job = await store.jobs.claim(worker="worker", now=clock(), scope=only)
    assert job is not None
    await store.changes.record_plan(job, Plan(), made_from="plan", now=clock())


async def test_an_accepted_review_survives_a_new_analysis(store: Store, clock: FakeClock) -> None:
    title, _ = await proposals(store, clock)
    await decide(store, clock, Decision((AcceptedChange(title.id, "A", "B"),)))
    apply = await claim(store, clock)
    await store.jobs.release(apply, plain("the daemon stops"), now=clock())

    await analysed_anew(store, clock)

    (kept,) = await accepted(store)
    assert kept.id == title.id


@pytest.mark.parametrize("ending", ["failed", "cancelled"])
async def test_an_acceptance_that_was_not_written_returns_to_review(
    store: Store, clock: FakeClock, ending: str
) -> None:
    title, _ = await proposals(store, clock)
    job_id = await decide(store, clock, Decision((AcceptedChange(title.id, "Chosen", "B"),)))

    if ending == "failed":
        await store.jobs.fail(await claim(store, clock), PROBLEM, now=clock())
    else:
        await store.jobs.cancel(job_id, by="anna", now=clock())

    waiting = {change.id: change for change in await store.changes.list_for_review(document=HOME_7)}
    assert waiting[title.id].after == "Chosen"
    assert (waiting[title.id].state, waiting[title.id].decided_by) == (ChangeState.PROPOSED, "")


async def test_a_retried_apply_job_writes_what_it_had_returned_to_review(
    store: Store, clock: FakeClock
) -> None:
    title, _ = await proposals(store, clock)
    job_id = await decide(store, clock, Decision((AcceptedChange(title.id, "Chosen", "B"),)))
    await store.jobs.fail(await claim(store, clock), PROBLEM, now=clock())

    restarted = await store.jobs.restart(job_id, by="bert", now=clock())

    (change,) = await store.changes.list_to_apply(restarted)
    assert (change.id, change.after, change.decided_by) == (title.id, "Chosen", "bert")


async def test_a_later_acceptance_is_not_written_by_an_earlier_job(
    store: Store, clock: FakeClock
) -> None:
    title, _ = await proposals(store, clock)
    first = await decide(store, clock, Decision((AcceptedChange(title.id, "First", "B"),)))
    await store.jobs.cancel(first, by="anna", now=clock())
    await decide(store, clock, Decision((AcceptedChange(title.id, "Second", "B"),)))
    await store.jobs.succeed(await claim(store, clock), now=clock())

    restarted = await store.jobs.restart(first, by="anna", now=clock())

    assert await store.changes.list_to_apply(restarted) == ()


async def test_an_accepted_review_that_could_not_be_written_is_superseded_by_a_new_analysis(
    store: Store, clock: FakeClock
) -> None:
    title, _ = await proposals(store, clock)
    await decide(store, clock, Decision((AcceptedChange(title.id, "A", "B"),)))
    await store.jobs.fail(await claim(store, clock), PROBLEM, now=clock())

    await analysed_anew(store, clock)

    superseded = await store.changes.get(title.id)
    assert (superseded.state, superseded.decided_by) == (ChangeState.REJECTED, SUPERSEDED)
    assert await accepted(store) == ()
