"""Figures for people, over several instances."""

from datetime import timedelta

from core.changes import Decision, Plan
from core.documents import DocumentRef
from core.errors import Problem
from core.fields import FieldName
from core.messages import plain
from store import Store
from store.statistics import DocumentCounts
from tests.store.builders import (
    HOME_7,
    HOME_8,
    NOON,
    PROBLEM,
    FakeClock,
    a_planned_change,
    a_tag_to_review,
    enqueue_and_claim,
)

ATTIC_1 = DocumentRef("attic", 1)
DAYS = [NOON.replace(hour=0) + timedelta(days=number) for number in range(-1, 3)]
"""Yesterday, today and tomorrow; the last is where tomorrow ends."""
NOTHING = DocumentCounts(0, 0)


async def test_documents_for_review_are_counted_once_each(store: Store, clock: FakeClock) -> None:
    for document in (HOME_7, HOME_8, ATTIC_1):
        job = await enqueue_and_claim(store, clock, document)
        title = a_planned_change(FieldName.TITLE)
        await store.changes.record_plan(
            job, Plan(review=(title, a_tag_to_review())), made_from="plan", now=clock()
        )
        await store.jobs.succeed(job, now=clock())

    assert await store.statistics.count_for_review(["home", "cellar"]) == {"home": 2, "cellar": 0}


async def test_documents_are_counted_by_day_and_how_they_ended(
    store: Store, clock: FakeClock
) -> None:
    await store.jobs.succeed(await enqueue_and_claim(store, clock, HOME_7), now=clock())
    await store.jobs.succeed(await enqueue_and_claim(store, clock, ATTIC_1), now=clock())
    clock.advance(hours=12)
    await store.jobs.fail(await enqueue_and_claim(store, clock, HOME_8), PROBLEM, now=clock())

    days = await store.statistics.count_documents_by_day(["home"], DAYS)

    assert days == (NOTHING, DocumentCounts(1, 0), DocumentCounts(0, 1))


async def test_a_document_counts_once_by_how_its_last_job_ended(
    store: Store, clock: FakeClock
) -> None:
    await store.jobs.fail(await enqueue_and_claim(store, clock, HOME_7), PROBLEM, now=clock())
    for document in (HOME_7, HOME_7, HOME_8):
        clock.advance(minutes=1)
        await store.jobs.succeed(await enqueue_and_claim(store, clock, document), now=clock())
    clock.advance(minutes=1)
    await store.jobs.fail(await enqueue_and_claim(store, clock, HOME_8), PROBLEM, now=clock())

    days = await store.statistics.count_documents_by_day(["home"], DAYS)

    assert days == (NOTHING, DocumentCounts(1, 1), NOTHING)


async def test_a_document_is_done_on_the_day_on_which_nothing_of_it_waits_any_more(
    store: Store, clock: FakeClock
) -> None:
    job = await enqueue_and_claim(store, clock, HOME_7)
    (title,) = await store.changes.record_plan(
        job, Plan(review=(a_planned_change(FieldName.TITLE),)), made_from="plan", now=clock()
    )
    await store.jobs.succeed(job, now=clock())
    waiting = await store.statistics.count_documents_by_day(["home"], DAYS)

    clock.advance(hours=12)
    rejected = Decision(reject=(title.id,))
    await store.changes.decide(HOME_7, rejected, by="anna", max_attempts=1, now=clock())
    taken = await store.jobs.claim(worker="worker", now=clock())
    assert taken is not None
    await store.jobs.succeed(taken, now=clock())
    decided = await store.statistics.count_documents_by_day(["home"], DAYS)

    assert waiting == (NOTHING, NOTHING, NOTHING)
    assert decided == (NOTHING, NOTHING, DocumentCounts(1, 0))


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
