"""A plan is stored before anything is written, and replaces what an earlier one left."""

from dataclasses import replace
from datetime import date
from decimal import Decimal

import pytest

from core.changes import (
    RULE,
    SUPERSEDED,
    ChangeOutcome,
    ChangeState,
    CheckResult,
    Plan,
    PlannedSuggestion,
)
from core.fields import CustomField, FieldName, Money, Name, Option, Value
from core.jobs import EventName
from store import Store
from tests.store.builders import (
    HOME_7,
    HOME_8,
    PROBLEM,
    STROM,
    FakeClock,
    a_planned_change,
    claim,
    enqueue_and_claim,
    record_a_plan,
    settle_as,
)


async def test_a_plan_becomes_intent_and_proposal(store: Store, clock: FakeClock) -> None:
    job, now, review = await record_a_plan(store, clock)

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
    job, _, _ = await record_a_plan(store, clock)

    *_, event = await store.jobs.list_events(job.id)

    assert event.name is EventName.CHANGES_RECORDED
    assert event.data == {
        "now": 1,
        "review": 1,
        "superseded": 0,
        "leave": ["date"],
    }


async def test_the_suggestions_of_a_plan_are_kept_beside_the_result(
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

    title, tag, day = plan.now[0], plan.review[0], plan.leave[0]
    assert kept == (
        PlannedSuggestion(
            title.field, title.after, is_left_out=False, reasons=(), before=title.before
        ),
        PlannedSuggestion(
            FieldName.TAGS,
            STROM,
            is_left_out=False,
            reasons=tag.reasons,
            checks=checks[::-1],
            before=tag.before,
            is_for_review=True,
        ),
        PlannedSuggestion(
            FieldName.DATE, None, is_left_out=True, reasons=("no_value",), before=day.before
        ),
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
    job, now, review = await record_a_plan(store, clock)
    await store.jobs.retry(job, PROBLEM, at=clock(), now=clock())
    again = await claim(store, clock)

    stored = await store.changes.record_plan(again, Plan(), made_from="plan", now=clock())

    assert stored == (now, review)
    assert await store.changes.list_for_document(HOME_7) == (now, review)


async def test_a_later_analysis_supersedes_what_still_waits(store: Store, clock: FakeClock) -> None:
    job, now, review = await record_a_plan(store, clock)
    await settle_as(store, job, clock, now, ChangeState.CONFLICT)
    await store.jobs.succeed(job, now=clock())
    _, _, elsewhere = await record_a_plan(store, clock, HOME_8)

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
    job, _, review = await record_a_plan(store, clock)

    await store.jobs.end_gone(job, now=clock())

    assert await store.changes.list_for_review() == ()
    withdrawn = await store.changes.get(review.id)
    assert (withdrawn.state, withdrawn.decided_by) == (ChangeState.REJECTED, "vanished")


async def test_what_was_decided_is_not_superseded(store: Store, clock: FakeClock) -> None:
    job, now, _ = await record_a_plan(store, clock)
    applied = await settle_as(store, job, clock, now, ChangeState.APPLIED)
    await store.jobs.succeed(job, now=clock())

    later = await enqueue_and_claim(store, clock)
    await store.changes.record_plan(later, Plan(), made_from="plan", now=clock())

    assert await store.changes.get(now.id) == applied


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
