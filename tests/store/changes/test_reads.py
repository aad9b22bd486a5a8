"""What pages list: documents for review, and jobs and history of some instances."""

from core.changes import Change, ChangeOutcome, ChangeState, Plan
from core.documents import DocumentRef
from core.errors import Problem
from core.fields import FieldName
from core.messages import plain
from store import HistoryFilter, JobFilter, Store
from tests.store.builders import (
    HOME_7,
    HOME_8,
    PROBLEM,
    FakeClock,
    a_plan,
    a_planned_change,
    a_tag_to_review,
    enqueue_and_claim,
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


async def test_the_document_before_another_is_the_one_above_it_in_the_list(
    store: Store, clock: FakeClock
) -> None:
    await _put_before_a_person(store, clock, HOME_8, ATTIC_1, HOME_7)
    [eight, *_], [attic, *_], [seven, *_] = [
        await store.changes.list_for_review(document=ref) for ref in (HOME_8, ATTIC_1, HOME_7)
    ]

    assert await store.changes.find_document_before(["home", "attic"], seven.id) == ATTIC_1
    assert await store.changes.find_document_before(["home"], seven.id) == HOME_8
    assert await store.changes.find_document_before(["home", "attic"], attic.id) == HOME_8
    assert await store.changes.find_document_before(["home", "attic"], eight.id) is None


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
