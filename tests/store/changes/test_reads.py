"""What pages list: documents for review, and jobs and history of some instances."""

from datetime import timedelta

import pytest

from core.changes import (
    RULE,
    AutomaticValue,
    Change,
    ChangeOutcome,
    ChangeState,
    Plan,
)
from core.documents import DocumentRef
from core.errors import Problem
from core.fields import FieldName
from core.messages import plain
from core.scans import ScanPage
from store import HistoryFilter, JobFilter, Store
from tests.store.builders import (
    HOME_7,
    HOME_8,
    PROBLEM,
    FakeClock,
    a_new_job,
    a_plan,
    a_planned_change,
    a_tag_to_review,
    claim,
    enqueue_and_claim,
    record_a_plan,
    settle_as,
)

ATTIC_1 = DocumentRef("attic", 1)
OTHER = Problem("no_text", plain("no text"))


async def _put_before_a_person(store: Store, clock: FakeClock, *documents: DocumentRef) -> None:
    for document in documents:
        job = await enqueue_and_claim(store, clock, document)
        plan = Plan(review=(a_planned_change(FieldName.TITLE), a_tag_to_review()))
        await store.changes.record_plan(job, plan, made_from="plan", now=clock())
        await store.jobs.succeed(job, now=clock())


def _refs(changes: tuple[Change, ...]) -> list[DocumentRef]:
    return [change.document for change in changes]


async def test_a_page_of_reviews_is_a_page_of_whole_documents(
    store: Store, clock: FakeClock
) -> None:
    await _put_before_a_person(store, clock, HOME_8, ATTIC_1, HOME_7)

    first = await store.changes.list_for_review_by_document(["home"], limit=1)
    second = await store.changes.list_for_review_by_document(
        ["home"], limit=1, after_id=first[0].id
    )
    rest = await store.changes.list_for_review_by_document(["home"], limit=1, after_id=second[0].id)

    assert _refs(first) == [HOME_8, HOME_8]
    assert _refs(second) == [HOME_7, HOME_7]
    assert rest == ()


async def test_jobs_are_listed_by_the_cause_of_their_failure(
    store: Store, clock: FakeClock
) -> None:
    for document, problem in ((HOME_7, PROBLEM), (HOME_8, OTHER), (ATTIC_1, OTHER)):
        await store.jobs.fail(await enqueue_and_claim(store, clock, document), problem, now=clock())

    found = await store.jobs.list(JobFilter(instances=frozenset({"home"}), cause="no_text"))

    assert [job.document for job in found] == [HOME_8]


async def test_history_is_of_the_instances_asked_for(store: Store, clock: FakeClock) -> None:
    for document in (HOME_7, ATTIC_1):
        job = await enqueue_and_claim(store, clock, document)
        written = (await store.changes.record_plan(job, a_plan(), made_from="plan", now=clock()))[0]
        await store.changes.settle(
            job, [ChangeOutcome(written.id, ChangeState.APPLIED)], now=clock()
        )
        await store.jobs.succeed(job, now=clock())

    found = await store.changes.list_history(
        HistoryFilter(instances=frozenset({"attic", "cellar"}))
    )

    assert _refs(found) == [ATTIC_1]


async def test_proposals_and_conflicts_wait_for_a_person(store: Store, clock: FakeClock) -> None:
    job, now, review = await record_a_plan(store, clock, HOME_7)
    conflict = await settle_as(store, job, clock, now, ChangeState.CONFLICT)
    _, intended, other = await record_a_plan(store, clock, HOME_8)
    _, _, installation = await record_a_plan(store, clock, DocumentRef("installation", 1))

    assert await store.changes.list_for_review() == (conflict, review, other, installation)
    assert await store.changes.list_for_review("home") == (conflict, review, other)
    assert await store.changes.list_for_review(document=HOME_8) == (other,)
    assert await store.changes.list_for_review(limit=1) == (conflict,)
    assert await store.changes.list_for_review("home", after_id=conflict.id) == (review, other)
    assert intended.state is ChangeState.INTENDED


async def test_changes_can_be_had_by_number(store: Store, clock: FakeClock) -> None:
    _, now, review = await record_a_plan(store, clock)

    assert await store.changes.list_by_ids([review.id, now.id, 99]) == (now, review)
    assert await store.changes.list_by_ids([]) == ()


async def test_changes_of_a_scan_are_those_of_its_jobs(store: Store, clock: FakeClock) -> None:
    scan = await store.scans.start("home", asked_by="hand", now=clock())
    page = ScanPage(((a_new_job(HOME_8), "Brief"),), seen=1)
    await store.scans.record_page(scan.id, page, now=clock())
    scanned = await claim(store, clock)
    made = await store.changes.record_plan(scanned, a_plan(), made_from="plan", now=clock())
    await record_a_plan(store, clock, HOME_7)

    assert await store.changes.list_for_scan(scan.id) == made
    assert await store.changes.list_for_scan(99) == ()


async def test_history_shows_what_was_done_newest_first(store: Store, clock: FakeClock) -> None:
    job, now, _ = await record_a_plan(store, clock, HOME_7)
    first = await settle_as(store, job, clock, now, ChangeState.APPLIED)
    clock.advance(days=1)
    job, now, _ = await record_a_plan(store, clock, HOME_8)
    second = await settle_as(store, job, clock, now, ChangeState.OVERRIDDEN)
    job, now, _ = await record_a_plan(store, clock, DocumentRef("installation", 1))
    conflict = await settle_as(store, job, clock, now, ChangeState.CONFLICT)

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


@pytest.mark.parametrize("decided_by", [RULE, "anna"])
async def test_what_the_rules_wrote_is_distinguished_from_what_a_person_decided(
    store: Store, clock: FakeClock, decided_by: str
) -> None:
    job = await enqueue_and_claim(store, clock)
    planned = [a_planned_change()]
    (change,) = await store.changes.begin(job, [], planned, decided_by=decided_by, now=clock())
    before = await store.changes.list_written_automatically("home", [7])
    applied = await settle_as(store, job, clock, change, ChangeState.APPLIED)

    value = AutomaticValue(change.document, change.field, change.after)
    expected = (value,) if decided_by == RULE else ()
    assert before == expected
    assert await store.changes.list_written_automatically("home", [7, 8]) == expected
    assert await store.changes.list_written_automatically("home", [8]) == ()
    assert await store.changes.list_written_automatically("work", [7]) == ()
    await settle_as(store, job, clock, applied, ChangeState.UNDONE)
    assert await store.changes.list_written_automatically("home", [7]) == ()
