"""Figures over several instances: what waits, what failed, how documents were filed."""

from datetime import timedelta

from core.changes import (
    AcceptedChange,
    Change,
    ChangeOutcome,
    ChangeState,
    Decision,
    FilingOutcome,
    Plan,
    PlannedChange,
)
from core.documents import DocumentRef
from core.errors import Problem
from core.fields import FieldName
from core.jobs import UNDO
from core.messages import plain
from store import Store
from store.statistics import FieldDecisions
from tests.store.builders import (
    HOME_7,
    HOME_8,
    NOON,
    PROBLEM,
    FakeClock,
    a_planned_change,
    a_tag_to_review,
    claim,
    enqueue_and_claim,
)

ATTIC_1 = DocumentRef("attic", 1)
DAYS = [NOON.replace(hour=0) + timedelta(days=number) for number in range(-1, 3)]
"""Yesterday, today and tomorrow; the last is where tomorrow ends."""
TITLE, DATE = a_planned_change(FieldName.TITLE), a_planned_change(FieldName.DOCUMENT_TYPE)


async def test_documents_for_review_are_counted_once_each(store: Store, clock: FakeClock) -> None:
    for document in (HOME_7, HOME_8, ATTIC_1):
        job = await enqueue_and_claim(store, clock, document)
        title = a_planned_change(FieldName.TITLE)
        await store.changes.record_plan(
            job, Plan(review=(title, a_tag_to_review())), made_from="plan", now=clock()
        )
        await store.jobs.succeed(job, now=clock())

    assert await store.statistics.count_for_review(["home", "cellar"]) == {"home": 2, "cellar": 0}


async def test_failures_are_grouped_by_their_cause(store: Store, clock: FakeClock) -> None:
    other = Problem("no_text", plain("no text"), "There is no text.", "Scan it again.")
    for document, problem in ((HOME_7, PROBLEM), (HOME_8, PROBLEM), (ATTIC_1, other)):
        await store.jobs.fail(await enqueue_and_claim(store, clock, document), problem, now=clock())

    causes = await store.statistics.list_failure_causes(["home", "attic"])

    assert [(cause.code, cause.user_message, cause.hint, cause.jobs) for cause in causes] == [
        ("answer_unusable", "The model's answer was no use.", "", 2),
        ("no_text", "There is no text.", "Scan it again.", 1),
    ]
    assert [cause.code for cause in await store.statistics.list_failure_causes(["attic"])] == [
        "no_text"
    ]


async def suggest(store: Store, clock: FakeClock, *review: PlannedChange) -> tuple[Change, ...]:
    """Analyse a document, and leave what is suggested for review."""
    job = await enqueue_and_claim(store, clock, HOME_7)
    planned = await store.changes.record_plan(
        job, Plan(review=review), made_from="plan", now=clock()
    )
    await store.jobs.succeed(job, now=clock())
    return planned


async def decide(store: Store, clock: FakeClock, decision: Decision) -> None:
    """Decide about a document, and write what was accepted."""
    await store.changes.decide(HOME_7, decision, by="anna", max_attempts=1, now=clock())
    job = await claim(store, clock)
    accepted = await store.changes.list_to_apply(job)
    begun = await store.changes.begin(job, accepted, decided_by="anna", now=clock())
    written = [ChangeOutcome(change.id, ChangeState.APPLIED) for change in begun]
    if written:
        await store.changes.settle(job, written, now=clock())
    await store.jobs.succeed(job, now=clock())


def accept(change: Change, *, is_edited: bool = False) -> AcceptedChange:
    return AcceptedChange(change.id, change.after, change.before, is_edited=is_edited)


async def today(store: Store) -> dict[str, int]:
    yesterday, today, tomorrow = await store.statistics.count_outcomes(["home"], DAYS)
    assert not yesterday
    assert not tomorrow
    return dict(today)


async def test_a_document_that_needs_nobody_is_filed_automatically(
    store: Store, clock: FakeClock
) -> None:
    for document in (HOME_7, ATTIC_1):
        job = await enqueue_and_claim(store, clock, document)
        await store.changes.record_plan(job, Plan(now=(TITLE,)), made_from="plan", now=clock())
        await store.jobs.succeed(job, now=clock())

    assert await today(store) == {FilingOutcome.AUTOMATIC: 1}


async def test_a_document_without_changes_and_one_for_review_are_not_filed(
    store: Store, clock: FakeClock
) -> None:
    job = await enqueue_and_claim(store, clock, HOME_8)
    await store.changes.record_plan(job, Plan(), made_from="plan", now=clock())
    await store.jobs.succeed(job, now=clock())
    await suggest(store, clock, TITLE)

    assert await today(store) == {}


async def test_a_failed_document_counts_on_the_day_on_which_it_failed(
    store: Store, clock: FakeClock
) -> None:
    clock.advance(hours=12)
    await store.jobs.fail(await enqueue_and_claim(store, clock, HOME_8), PROBLEM, now=clock())

    days = await store.statistics.count_outcomes(["home"], DAYS)

    assert [dict(day) for day in days] == [{}, {}, {"failed": 1}]


async def test_what_a_person_accepted_unchanged_is_counted_as_such(
    store: Store, clock: FakeClock
) -> None:
    title, date = await suggest(store, clock, TITLE, DATE)

    await decide(store, clock, Decision(accept=(accept(title), accept(date))))

    assert await today(store) == {FilingOutcome.ACCEPTED: 1}


async def test_a_document_with_one_corrected_or_rejected_suggestion_is_edited(
    store: Store, clock: FakeClock
) -> None:
    title, date = await suggest(store, clock, TITLE, DATE)
    await decide(store, clock, Decision(accept=(accept(title, is_edited=True), accept(date))))
    corrected = await today(store)
    title, date = await suggest(store, clock, TITLE, DATE)
    await decide(store, clock, Decision(accept=(accept(title),), reject=(date.id,)))

    assert corrected == {FilingOutcome.EDITED: 1}
    assert await today(store) == {FilingOutcome.EDITED: 1}


async def test_two_different_decisions_about_a_document_together_are_an_edit(
    store: Store, clock: FakeClock
) -> None:
    title, date = await suggest(store, clock, TITLE, DATE)
    await store.changes.decide(
        HOME_7, Decision(reject=(title.id,)), by="anna", max_attempts=1, now=clock()
    )

    await decide(store, clock, Decision(accept=(accept(date),)))

    assert await today(store) == {FilingOutcome.EDITED: 1}


async def test_a_document_of_which_nothing_was_accepted_is_rejected(
    store: Store, clock: FakeClock
) -> None:
    (title,) = await suggest(store, clock, TITLE)

    await decide(store, clock, Decision(reject=(title.id,)))

    assert await today(store) == {FilingOutcome.REJECTED: 1}


async def test_decisions_are_counted_by_field_and_what_was_added_is_not(
    store: Store, clock: FakeClock
) -> None:
    title, date = await suggest(store, clock, TITLE, DATE)
    added = a_planned_change(FieldName.CORRESPONDENT)
    await decide(store, clock, Decision(accept=(accept(title),), reject=(date.id,), add=(added,)))
    title, date = await suggest(store, clock, TITLE, DATE)
    await decide(store, clock, Decision(accept=(accept(title, is_edited=True), accept(date))))

    _, decided, _ = await store.statistics.count_decisions(["home"], DAYS)
    elsewhere = await store.statistics.count_decisions(["attic"], DAYS)

    assert decided == {
        FieldName.TITLE: FieldDecisions(accepted=1, edited=1),
        FieldName.DOCUMENT_TYPE: FieldDecisions(accepted=1, rejected=1),
    }
    assert decided[FieldName.TITLE].share_accepted == 0.5
    assert not any(elsewhere)


async def test_what_is_written_automatically_is_no_decision_of_a_person(
    store: Store, clock: FakeClock
) -> None:
    job = await enqueue_and_claim(store, clock, HOME_7)
    (title,) = await store.changes.record_plan(
        job, Plan(now=(TITLE,)), made_from="plan", now=clock()
    )
    begun = await store.changes.begin(job, [title], now=clock())
    written = [ChangeOutcome(change.id, ChangeState.APPLIED) for change in begun]
    await store.changes.settle(job, written, now=clock())
    await store.jobs.succeed(job, now=clock())

    assert not any(await store.statistics.count_decisions(["home"], DAYS))


async def undo(store: Store, clock: FakeClock, *changes: Change) -> None:
    job = await enqueue_and_claim(store, clock, HOME_7, kind=UNDO)
    begun = await store.changes.begin_undo(job, changes, now=clock())
    undone = [ChangeOutcome(change.id, ChangeState.UNDONE) for change in begun]
    await store.changes.settle(job, undone, now=clock())
    await store.jobs.succeed(job, now=clock())


async def test_a_document_is_counted_until_everything_was_undone(
    store: Store, clock: FakeClock
) -> None:
    planned = await suggest(store, clock, TITLE, DATE)
    await decide(store, clock, Decision(accept=tuple(map(accept, planned))))
    first, second = await store.changes.list_for_document(HOME_7)

    await undo(store, clock, first)
    partly = await today(store)
    await undo(store, clock, second)

    assert partly == {FilingOutcome.ACCEPTED: 1}
    assert await today(store) == {}


async def test_a_rejection_that_was_undone_is_not_counted(store: Store, clock: FakeClock) -> None:
    (title,) = await suggest(store, clock, TITLE)
    decision = Decision(reject=(title.id,))
    job = await store.changes.decide(HOME_7, decision, by="anna", max_attempts=1, now=clock())
    await store.jobs.succeed(await claim(store, clock), now=clock())
    rejected = await today(store)

    await store.changes.undo_decision(job.id, by="anna", now=clock())

    assert rejected == {FilingOutcome.REJECTED: 1}
    assert await today(store) == {}


async def test_a_document_is_filed_in_part_while_some_of_it_waits(
    store: Store, clock: FakeClock
) -> None:
    await suggest(store, clock, TITLE)
    only_waits = await store.statistics.count_partly_filed(["home"])
    job = await enqueue_and_claim(store, clock, HOME_8)
    planned = await store.changes.record_plan(
        job, Plan(now=(TITLE,), review=(DATE,)), made_from="plan", now=clock()
    )
    begun = await store.changes.begin(job, planned[:1], now=clock())
    applied = [ChangeOutcome(change.id, ChangeState.APPLIED) for change in begun]
    await store.changes.settle(job, applied, now=clock())
    await store.jobs.succeed(job, now=clock())

    assert only_waits == 0
    assert await store.statistics.count_partly_filed(["home"]) == 1
    assert await store.statistics.count_partly_filed(["attic"]) == 0
