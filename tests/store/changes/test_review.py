"""The review list: filters, orders, pages, and the neighbours of a document."""

from dataclasses import replace

import pytest

from core.changes import ChangeOutcome, ChangeState, Plan, PlannedChange
from core.documents import DocumentRef
from core.fields import CustomField, FieldName, Name
from store import ReviewFilter, ReviewNeed, ReviewOrder, Store
from tests.store.builders import FakeClock, a_planned_change, enqueue_and_claim

FUTURE = "date_in_future"
ENERGY = Name(4, "Stadtwerke Ünna")
ATTIC_1 = DocumentRef("attic", 1)
HOME_2, HOME_3, HOME_4 = (DocumentRef("home", number) for number in (2, 3, 4))
ALL = ReviewFilter(("home", "attic"))
AMOUNT = CustomField(7, "Amount")

PLANS = {
    ATTIC_1: ("Rechnung Äpfel", (a_planned_change(FieldName.TITLE),)),
    HOME_2: (
        "scan_2",
        (
            a_planned_change(FieldName.CORRESPONDENT, None, ENERGY),
            replace(a_planned_change(FieldName.DATE, None, None, (FUTURE,)), confidence=0.4),
        ),
    ),
    HOME_3: (
        "Mahnung",
        (
            replace(a_planned_change(FieldName.TAGS, None, Name(None, "Neu")), confidence=0.7),
            a_planned_change(AMOUNT, None, "12"),
        ),
    ),
    HOME_4: ("Brief", (a_planned_change(FieldName.TITLE, "x", "y_z"),)),
}
"""Title and changes for review of each document, in the order in which they were analyzed."""


@pytest.fixture
async def filled(store: Store, clock: FakeClock) -> Store:
    for document, (title, changes) in PLANS.items():
        await _plan(store, clock, document, title, changes)
    return store


async def _plan(
    store: Store,
    clock: FakeClock,
    document: DocumentRef,
    title: str,
    changes: tuple[PlannedChange, ...],
) -> None:
    job = await enqueue_and_claim(store, clock, document)
    await store.documents.record_fetched(job, title=title, content_hash="", now=clock())
    # The last one is in conflict with what someone wrote meanwhile.
    plan = Plan(now=changes) if document == HOME_4 else Plan(review=changes)
    made = await store.changes.record_plan(job, plan, made_from="plan", now=clock())
    if document == HOME_4:
        outcomes = [ChangeOutcome(made[0].id, ChangeState.CONFLICT, found="by hand")]
        await store.changes.settle(job, outcomes, now=clock())
    await store.jobs.succeed(job, now=clock())


async def _listed(store: Store, wanted: ReviewFilter) -> list[DocumentRef]:
    page = await store.changes.list_review_page(wanted, limit=10)
    listed = list(dict.fromkeys(change.document for change in page.changes))
    assert page.total == len(listed)
    return listed


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        (ReviewOrder.OLDEST, [ATTIC_1, HOME_2, HOME_3, HOME_4]),
        (ReviewOrder.NEWEST, [HOME_4, HOME_3, HOME_2, ATTIC_1]),
        (ReviewOrder.UNSURE, [HOME_2, HOME_3, ATTIC_1, HOME_4]),
        (ReviewOrder.TITLE, [HOME_4, HOME_3, ATTIC_1, HOME_2]),
    ],
)
async def test_documents_are_listed_in_the_order_asked_for(
    filled: Store, order: ReviewOrder, expected: list[DocumentRef]
) -> None:
    assert await _listed(filled, replace(ALL, order=order)) == expected


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        (ReviewFilter(("home",)), [HOME_2, HOME_3, HOME_4]),
        (replace(ALL, field="title"), [ATTIC_1, HOME_4]),
        (replace(ALL, field="custom_field:7"), [HOME_3]),
        (replace(ALL, reason=FUTURE), [HOME_2]),
        (replace(ALL, need=ReviewNeed.CLEAR), [ATTIC_1]),
        (replace(ALL, need=ReviewNeed.CHECK), [HOME_2]),
        (replace(ALL, need=ReviewNeed.NEW_NAME), [HOME_3]),
        (replace(ALL, need=ReviewNeed.CONFLICT), [HOME_4]),
        (replace(ALL, correspondent=ENERGY.name), [HOME_2]),
        (replace(ALL, below=0.8), [HOME_2, HOME_3]),
        (replace(ALL, words="ÄPFEL"), [ATTIC_1]),
        (replace(ALL, words="stadtwerke"), [HOME_2]),
        (replace(ALL, words="3"), [HOME_3]),
        (replace(ALL, words="y_z"), [HOME_4]),
        (replace(ALL, words="y%z"), []),
        (replace(ALL, words="9" * 30), []),
        (replace(ALL, below=0.8, need=ReviewNeed.NEW_NAME), [HOME_3]),
        (replace(ALL, words="\0", correspondent="\0x", reason="\ud800"), []),
    ],
)
async def test_a_filter_leaves_the_documents_that_match(
    filled: Store, wanted: ReviewFilter, expected: list[DocumentRef]
) -> None:
    assert await _listed(filled, wanted) == expected


async def test_a_page_has_all_changes_of_its_documents(filled: Store) -> None:
    wanted = replace(ALL, field="correspondent")

    page = await filled.changes.list_review_page(wanted, limit=10)

    assert [change.field for change in page.changes] == [FieldName.CORRESPONDENT, FieldName.DATE]


async def test_the_next_page_begins_where_the_last_one_ended(filled: Store) -> None:
    first = await filled.changes.list_review_page(ALL, limit=2)
    second = await filled.changes.list_review_page(ALL, limit=2, offset=2)
    beyond = await filled.changes.list_review_page(ALL, limit=2, offset=4)

    assert {change.document for change in first.changes} == {ATTIC_1, HOME_2}
    assert {change.document for change in second.changes} == {HOME_3, HOME_4}
    assert (first.total, second.total, beyond.changes) == (4, 4, ())


async def test_the_neighbours_of_a_document_are_those_of_the_filtered_list(filled: Store) -> None:
    unsure = replace(ALL, order=ReviewOrder.UNSURE)

    middle = await filled.changes.find_review_place(unsure, HOME_3)
    first = await filled.changes.find_review_place(ReviewFilter(("home",)), HOME_2)
    outside = await filled.changes.find_review_place(ReviewFilter(("home",)), ATTIC_1)

    assert (middle.number, middle.total) == (2, 4)
    assert (middle.before, middle.after) == (HOME_2, ATTIC_1)
    assert (first.number, first.before, first.after) == (1, None, HOME_3)
    assert (outside.number, outside.before, outside.after) == (0, None, None)


async def test_the_correspondents_in_review_can_be_chosen_from(filled: Store) -> None:
    assert await filled.changes.list_correspondents_for_review(("home", "attic")) == (ENERGY.name,)
    assert await filled.changes.list_correspondents_for_review(("attic",)) == ()
