"""Changes: intent before the deed, the fact after it, and no move that does not exist."""

from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal

import pytest

from core.changes import (
    RULE,
    SUPERSEDED,
    Change,
    ChangeOutcome,
    ChangeState,
    CheckResult,
    Plan,
    PlannedSuggestion,
)
from core.documents import DocumentRef
from core.fields import CustomField, FieldName, Money, Name, Option, Value
from core.jobs import APPLY, UNDO, EventName, Job, NewJob, Priority
from core.scans import ScanPage
from store import ChangeNotFound, ClaimLost, HistoryFilter, InvalidTransition, Store
from tests.store.builders import (
    HOME_7,
    HOME_8,
    PROBLEM,
    STROM,
    FakeClock,
    a_new_job,
    a_plan,
    a_planned_change,
    a_tag_to_review,
    claim,
    enqueue_and_claim,
)


async def planned(
    store: Store, clock: FakeClock, document: DocumentRef = HOME_7
) -> tuple[Job, Change, Change]:
    """Give a job under way with one change to write and one to review."""
    job = await enqueue_and_claim(store, clock, document)
    now, review = await store.changes.record_plan(job, a_plan(), made_from="plan", now=clock())
    return job, now, review


async def settled(
    store: Store, job: Job, clock: FakeClock, change: Change, state: ChangeState
) -> Change:
    (settled,) = await store.changes.settle(job, [ChangeOutcome(change.id, state)], now=clock())
    return settled


async def test_a_plan_becomes_intent_and_proposal(store: Store, clock: FakeClock) -> None:
    job, now, review = await planned(store, clock)

    assert (now.state, now.decided_by, now.settled_at) == (ChangeState.INTENDED, RULE, None)
    assert (now.field, now.before, now.after) == (FieldName.TITLE, "scan_0001", "Stromrechnung")
    assert (review.state, review.decided_by) == (ChangeState.PROPOSED, "")
    assert (review.after, review.reasons) == (STROM, ("new_name",))
    assert (now.document, now.job_id, now.created_at) == (HOME_7, job.id, clock())
    assert await store.changes.list_for_job(job.id) == (now, review)
    assert await store.changes.get(now.id) == now


async def test_the_event_of_a_plan_has_counts_and_field_names(
    store: Store, clock: FakeClock
) -> None:
    job, _, _ = await planned(store, clock)

    *_, event = await store.jobs.list_events(job.id)

    assert event.name is EventName.CHANGES_RECORDED
    assert event.data == {
        "now": 1,
        "review": 1,
        "superseded": 0,
        "leave": ["date"],
    }


async def test_checked_and_left_out_suggestions_are_kept_beside_the_result(
    store: Store, clock: FakeClock
) -> None:
    job = await enqueue_and_claim(store, clock)
    checks = (CheckResult("text_can_be_read"), CheckResult("model_is_sure", "unsure"))
    plan = Plan(
        now=(a_planned_change(),),
        review=(replace(a_planned_change(FieldName.TAGS, after=STROM), checks=checks),),
        leave=(replace(a_planned_change(FieldName.DATE, after=None), reasons=("no_value",)),),
    )

    await store.changes.record_plan(job, plan, made_from="plan", now=clock())
    kept = await store.changes.list_suggestions(job.id)
    await store.changes.record_plan(job, Plan(), made_from="later plan", now=clock())

    assert kept == (
        PlannedSuggestion(
            FieldName.TAGS,
            STROM,
            is_left_out=False,
            reasons=plan.review[0].reasons,
            checks=checks[::-1],
        ),
        PlannedSuggestion(FieldName.DATE, None, is_left_out=True, reasons=("no_value",)),
    )
    assert await store.changes.list_suggestions(job.id) == ()


@pytest.mark.parametrize(
    "value", ["Brief", date(2026, 10, 31), Name(None, "Neu"), Name(7, "Strom"), None, ""]
)
async def test_every_kind_of_value_comes_back_as_it_was(
    store: Store, clock: FakeClock, value: Value
) -> None:
    job = await enqueue_and_claim(store, clock)
    plan = Plan(now=(a_planned_change(before=value, after=value),))

    (change,) = await store.changes.record_plan(job, plan, made_from="plan", now=clock())

    assert (change.before, change.after, change.found) == (value, value, None)


async def test_a_plan_is_recorded_once_per_job(store: Store, clock: FakeClock) -> None:
    job, now, review = await planned(store, clock)
    await store.jobs.retry(job, PROBLEM, at=clock(), now=clock())
    again = await claim(store, clock)

    stored = await store.changes.record_plan(again, Plan(), made_from="plan", now=clock())

    assert stored == (now, review)
    assert await store.changes.list_for_document(HOME_7) == (now, review)


async def test_a_later_analysis_supersedes_what_still_waits(store: Store, clock: FakeClock) -> None:
    job, now, review = await planned(store, clock)
    await settled(store, job, clock, now, ChangeState.CONFLICT)
    await store.jobs.succeed(job, now=clock())
    _, _, elsewhere = await planned(store, clock, HOME_8)

    later = await enqueue_and_claim(store, clock, HOME_7)
    await store.changes.record_plan(later, Plan(), made_from="plan", now=clock.advance(days=1))

    for change_id in (now.id, review.id):
        superseded = await store.changes.get(change_id)
        assert (superseded.state, superseded.decided_by) == (ChangeState.REJECTED, SUPERSEDED)
        assert superseded.settled_at == clock()
    assert await store.changes.get(elsewhere.id) == elsewhere


async def test_what_waits_of_a_document_that_is_gone_is_withdrawn(
    store: Store, clock: FakeClock
) -> None:
    job, _, review = await planned(store, clock)

    await store.jobs.end_gone(job, now=clock())

    assert await store.changes.list_for_review() == ()
    withdrawn = await store.changes.get(review.id)
    assert (withdrawn.state, withdrawn.decided_by) == (ChangeState.REJECTED, "vanished")


async def test_what_was_decided_is_not_superseded(store: Store, clock: FakeClock) -> None:
    job, now, _ = await planned(store, clock)
    applied = await settled(store, job, clock, now, ChangeState.APPLIED)
    await store.jobs.succeed(job, now=clock())

    later = await enqueue_and_claim(store, clock)
    await store.changes.record_plan(later, Plan(), made_from="plan", now=clock())

    assert await store.changes.get(now.id) == applied


async def test_a_job_may_add_changes_and_adds_none_twice(store: Store, clock: FakeClock) -> None:
    job, now, review = await planned(store, clock)
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
    analysis, _, _ = await planned(store, clock)
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
    await settled(store, job, clock, first, ChangeState.OVERRIDDEN)

    (second,) = await store.changes.begin(job, [], [tag], decided_by=RULE, now=clock())

    assert second.id != first.id


@pytest.mark.parametrize("state", ["applied", "conflict", "overridden"])
async def test_an_intended_change_is_settled_with_what_was_found(
    store: Store, clock: FakeClock, state: str
) -> None:
    job, now, _ = await planned(store, clock)
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
    job, now, _ = await planned(store, clock)
    await settled(store, job, clock, now, ChangeState.APPLIED)
    await store.jobs.succeed(job, now=clock())

    undo = await enqueue_and_claim(store, clock, kind=UNDO)
    undone = await settled(store, undo, clock, now, ChangeState.UNDONE)

    assert (undone.state, undone.job_id) == (ChangeState.UNDONE, job.id)


@pytest.mark.parametrize("by", [RULE, "anna"])
async def test_history_keeps_who_wrote_a_change_beside_who_undid_it(
    store: Store, clock: FakeClock, by: str
) -> None:
    job = await enqueue_and_claim(store, clock)
    (change,) = await store.changes.begin(job, [], [a_planned_change()], decided_by=by, now=clock())
    applied = await settled(store, job, clock, change, ChangeState.APPLIED)
    await store.jobs.succeed(job, now=clock())
    wanted = NewJob(HOME_7, UNDO, Priority.BY_HAND, asked_by="bert")
    await store.jobs.enqueue(wanted, now=clock())
    undo = await claim(store, clock)

    await settled(store, undo, clock, applied, ChangeState.UNDONE)

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
        await settled(store, job, clock, change, ChangeState.APPLIED)

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
    job, now, review = await planned(store, clock)
    change = review if state is ChangeState.PROPOSED else now
    if state not in {ChangeState.PROPOSED, ChangeState.INTENDED}:
        change = await settled(store, job, clock, now, state)
    events = await store.jobs.list_events(job.id)

    if (state, wanted) in ALLOWED:
        assert (await settled(store, job, clock, change, wanted)).state is wanted
        return
    with pytest.raises(InvalidTransition):
        await settled(store, job, clock, change, wanted)

    assert await store.changes.get(change.id) == change
    assert await store.jobs.list_events(job.id) == events


async def test_outcomes_are_settled_all_or_none(store: Store, clock: FakeClock) -> None:
    job, now, review = await planned(store, clock)
    outcomes = [
        ChangeOutcome(now.id, ChangeState.APPLIED),
        ChangeOutcome(review.id, ChangeState.APPLIED),
    ]

    with pytest.raises(InvalidTransition):
        await store.changes.settle(job, outcomes, now=clock())

    assert await store.changes.get(now.id) == now


async def test_a_job_settles_only_changes_of_its_document(store: Store, clock: FakeClock) -> None:
    _, now, _ = await planned(store, clock, HOME_7)
    other = await enqueue_and_claim(store, clock, HOME_8)

    with pytest.raises(ChangeNotFound):
        await settled(store, other, clock, now, ChangeState.APPLIED)
    with pytest.raises(ChangeNotFound):
        await store.changes.get(99)


async def test_a_stale_worker_records_adds_and_settles_nothing(
    store: Store, clock: FakeClock
) -> None:
    stale, now, review = await planned(store, clock)
    await store.jobs.recover_orphans(now=clock())

    with pytest.raises(ClaimLost):
        await store.changes.record_plan(stale, a_plan(), made_from="plan", now=clock())
    with pytest.raises(ClaimLost):
        await store.changes.begin(stale, [], [a_tag_to_review()], decided_by=RULE, now=clock())
    with pytest.raises(ClaimLost):
        await settled(store, stale, clock, now, ChangeState.APPLIED)

    assert await store.changes.list_for_document(HOME_7) == (now, review)


async def test_proposals_and_conflicts_wait_for_a_person(store: Store, clock: FakeClock) -> None:
    job, now, review = await planned(store, clock, HOME_7)
    conflict = await settled(store, job, clock, now, ChangeState.CONFLICT)
    _, intended, other = await planned(store, clock, HOME_8)
    _, _, installation = await planned(store, clock, DocumentRef("installation", 1))

    assert await store.changes.list_for_review() == (conflict, review, other, installation)
    assert await store.changes.list_for_review("home") == (conflict, review, other)
    assert await store.changes.list_for_review(document=HOME_8) == (other,)
    assert await store.changes.list_for_review(limit=1) == (conflict,)
    assert await store.changes.list_for_review("home", after_id=conflict.id) == (review, other)
    assert intended.state is ChangeState.INTENDED


async def test_changes_can_be_had_by_number(store: Store, clock: FakeClock) -> None:
    _, now, review = await planned(store, clock)

    assert await store.changes.list_by_ids([review.id, now.id, 99]) == (now, review)
    assert await store.changes.list_by_ids([]) == ()


async def test_changes_of_a_scan_are_those_of_its_jobs(store: Store, clock: FakeClock) -> None:
    scan = await store.scans.start("home", asked_by="hand", now=clock())
    page = ScanPage(((a_new_job(HOME_8), "Brief"),), seen=1)
    await store.scans.record_page(scan.id, page, now=clock())
    scanned = await claim(store, clock)
    made = await store.changes.record_plan(scanned, a_plan(), made_from="plan", now=clock())
    await planned(store, clock, HOME_7)

    assert await store.changes.list_for_scan(scan.id) == made
    assert await store.changes.list_for_scan(99) == ()


async def test_history_shows_what_was_done_newest_first(store: Store, clock: FakeClock) -> None:
    job, now, _ = await planned(store, clock, HOME_7)
    first = await settled(store, job, clock, now, ChangeState.APPLIED)
    clock.advance(days=1)
    job, now, _ = await planned(store, clock, HOME_8)
    second = await settled(store, job, clock, now, ChangeState.OVERRIDDEN)
    job, now, _ = await planned(store, clock, DocumentRef("installation", 1))
    conflict = await settled(store, job, clock, now, ChangeState.CONFLICT)

    async def history(**wanted: object) -> tuple[Change, ...]:
        return await store.changes.list_history(HistoryFilter(**wanted))  # type: ignore[arg-type]

    assert await store.changes.list_history() == (second, first)
    assert await history(instance="installation") == ()
    assert await history(document=HOME_7) == (first,)
    assert await history(since=clock()) == (second,)
    assert await history(until=clock()) == (first,)
    assert await history(since=clock() - timedelta(days=2)) == (second, first)
    assert await history(before_id=second.id) == (first,)
    assert await history(states=frozenset({ChangeState.CONFLICT})) == (conflict,)
    assert await store.changes.list_history(limit=1) == (second,)


async def test_an_apply_job_settles_what_a_person_accepted(store: Store, clock: FakeClock) -> None:
    job, now, _ = await planned(store, clock)
    await store.jobs.succeed(job, now=clock())
    apply = await enqueue_and_claim(store, clock, kind=APPLY)

    applied = await settled(store, apply, clock, now, ChangeState.APPLIED)

    assert applied.state is ChangeState.APPLIED


@pytest.mark.parametrize("decided_by", [RULE, "anna"])
async def test_what_the_rules_wrote_is_distinguished_from_what_a_person_decided(
    store: Store, clock: FakeClock, decided_by: str
) -> None:
    job = await enqueue_and_claim(store, clock)
    planned = [a_planned_change()]
    (change,) = await store.changes.begin(job, [], planned, decided_by=decided_by, now=clock())
    before = await store.changes.list_written_automatically("home", [7])
    applied = await settled(store, job, clock, change, ChangeState.APPLIED)

    expected = (applied,) if decided_by == RULE else ()
    assert before == ((change,) if decided_by == RULE else ())
    assert await store.changes.list_written_automatically("home", [7, 8]) == expected
    assert await store.changes.list_written_automatically("home", [8]) == ()
    assert await store.changes.list_written_automatically("work", [7]) == ()
    await settled(store, job, clock, applied, ChangeState.UNDONE)
    assert await store.changes.list_written_automatically("home", [7]) == ()


@pytest.mark.parametrize(
    "value",
    [
        Money(Decimal("12.50"), "EUR"),
        Option("a1", "offen"),
        True,
        0,
        2.0,
        "",
        date(2026, 10, 31),
    ],
    ids=str,
)
async def test_a_custom_field_and_its_value_are_read_back_as_they_were(
    store: Store, clock: FakeClock, value: Value
) -> None:
    job = await enqueue_and_claim(store, clock)
    field = CustomField(7, "Rechnungs: nummer")
    change = a_planned_change(field, None, value)

    (stored,) = await store.changes.record_plan(
        job, Plan(now=(change,)), made_from="plan", now=clock()
    )
    (settled_,) = await store.changes.settle(
        job, [ChangeOutcome(stored.id, ChangeState.CONFLICT, found=value)], now=clock()
    )

    assert isinstance(stored.field, CustomField)
    assert (stored.field, stored.field.name) == (field, field.name)
    assert (stored.after, settled_.found) == (value, value)
    assert type(stored.after) is type(value)
