"""Figures for people, over several instances."""

from core.changes import Plan
from core.documents import DocumentRef
from core.errors import Problem
from core.fields import FieldName
from core.messages import plain
from store import Store
from tests.store.builders import (
    HOME_7,
    HOME_8,
    PROBLEM,
    FakeClock,
    a_planned_change,
    a_tag_to_review,
    enqueue_and_claim,
)

ATTIC_1 = DocumentRef("attic", 1)


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
