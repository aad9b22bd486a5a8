"""Documents: the permanent row, and what ignoring does to it."""

import pytest

from core.changes import ChangeOutcome, ChangeState, Decision, Plan
from core.documents import DocumentRef, DocumentState
from core.jobs import APPLY, DRY_RUN, JobStatus
from core.messages import plain
from store import ClaimLost, NotIgnored, Store
from store.document_rows import CHUNK
from tests.store.builders import (
    HOME_7,
    HOME_8,
    PROBLEM,
    FakeClock,
    a_planned_change,
    a_tag_to_review,
    claim,
    enqueue_and_claim,
    enqueue_job,
    event_names,
)


async def test_an_unknown_document_is_not_known(store: Store) -> None:
    assert await store.documents.get(HOME_7) is None
    assert await store.documents.get_many("home", []) == {}


async def test_known_finds_what_there_is_of_one_instance(store: Store, clock: FakeClock) -> None:
    for ref in (HOME_7, HOME_8, DocumentRef("office", 7)):
        await enqueue_job(store, clock, ref)

    known = await store.documents.get_many("home", range(1, 3 * CHUNK))

    assert {number: document.ref for number, document in known.items()} == {7: HOME_7, 8: HOME_8}


async def test_a_row_remembers_when_it_was_made_and_when_it_moved(
    store: Store, clock: FakeClock
) -> None:
    first = clock()
    job = await enqueue_and_claim(store, clock)
    await store.jobs.succeed(job, now=clock.advance(minutes=1, microseconds=5))

    known = await store.documents.get(HOME_7)

    assert known is not None
    assert (known.first_seen_at, known.updated_at) == (first, clock())


async def test_a_note_remembers_title_and_hash_and_the_job_its_pages(
    store: Store, clock: FakeClock
) -> None:
    job = await enqueue_and_claim(store, clock)

    await store.documents.record_fetched(
        job, title="Brief", content_hash="abc", pages=3, now=clock()
    )

    known = await store.documents.get(HOME_7)
    assert known is not None
    assert (known.title, known.content_hash) == ("Brief", "abc")
    assert (await store.jobs.get(job.id)).pages == 3


async def test_a_note_survives_the_next_queueing(store: Store, clock: FakeClock) -> None:
    job = await enqueue_and_claim(store, clock)
    await store.documents.record_fetched(job, title="Brief", content_hash="abc", now=clock())
    await store.jobs.succeed(job, now=clock())

    await enqueue_job(store, clock)

    known = await store.documents.get(HOME_7)
    assert known is not None
    assert (known.title, known.content_hash) == ("Brief", "abc")


@pytest.mark.parametrize("kind", [DRY_RUN, APPLY])
async def test_a_job_that_is_no_analysis_notes_nothing(
    store: Store, clock: FakeClock, kind: str
) -> None:
    done = await enqueue_and_claim(store, clock)
    await store.jobs.succeed(done, now=clock())
    before = await store.documents.get(HOME_7)
    job = await enqueue_and_claim(store, clock, kind=kind)

    await store.documents.record_fetched(job, title="Brief", content_hash="abc", now=clock())

    assert await store.documents.get(HOME_7) == before


async def test_a_stale_worker_notes_nothing(store: Store, clock: FakeClock) -> None:
    stale = await enqueue_and_claim(store, clock)
    await store.jobs.recover_orphans(now=clock())

    with pytest.raises(ClaimLost):
        await store.documents.record_fetched(stale, title="Brief", content_hash="abc", now=clock())


async def test_the_trigger_flag_goes_up_and_down(store: Store, clock: FakeClock) -> None:
    await enqueue_job(store, clock)

    await store.documents.mark_trigger_removed(HOME_7, now=clock())
    marked = await store.documents.get(HOME_7)
    await store.documents.clear_trigger_removed(HOME_7, now=clock())
    cleared = await store.documents.get(HOME_7)

    assert marked is not None
    assert marked.trigger_removed
    assert cleared is not None
    assert not cleared.trigger_removed


async def test_queueing_by_hand_keeps_the_trigger_flag(store: Store, clock: FakeClock) -> None:
    job = await enqueue_and_claim(store, clock)
    await store.jobs.succeed(job, now=clock())
    await store.documents.mark_trigger_removed(HOME_7, now=clock())

    await enqueue_job(store, clock)

    known = await store.documents.get(HOME_7)
    assert known is not None
    assert known.trigger_removed


async def test_a_document_never_seen_can_be_ignored_and_forgotten_again(
    store: Store, clock: FakeClock
) -> None:
    ignored = await store.documents.ignore(HOME_7, by="anna", now=clock())
    assert ignored.state is DocumentState.IGNORED

    assert await store.documents.unignore(HOME_7, now=clock()) is None

    assert await store.documents.get(HOME_7) is None


async def test_ignoring_cancels_the_pending_analysis(store: Store, clock: FakeClock) -> None:
    job = await enqueue_job(store, clock)

    await store.documents.ignore(HOME_7, by="anna", now=clock())

    cancelled = await store.jobs.get(job.id)
    assert (cancelled.status, str(cancelled.cancel_requested)) == (JobStatus.CANCELLED, "anna")
    assert await event_names(store, job) == ["enqueued", "cancelled"]
    known = await store.documents.get(HOME_7)
    assert known is not None
    assert known.state is DocumentState.IGNORED


async def test_ignoring_asks_the_analysis_under_way_to_stop(store: Store, clock: FakeClock) -> None:
    job = await enqueue_and_claim(store, clock)

    await store.documents.ignore(HOME_7, by="anna", now=clock())

    asked = await store.jobs.get(job.id)
    assert (asked.status, str(asked.cancel_requested)) == (JobStatus.PROCESSING, "anna")


async def test_ignoring_leaves_other_kinds_of_jobs(store: Store, clock: FakeClock) -> None:
    job = await enqueue_job(store, clock, kind=APPLY)

    await store.documents.ignore(HOME_7, by="anna", now=clock())

    assert (await store.jobs.get(job.id)).status is JobStatus.PENDING


async def test_ignoring_rejects_what_waits_and_the_job_it_is_of_tells_so(
    store: Store, clock: FakeClock
) -> None:
    job = await enqueue_and_claim(store, clock)
    await store.changes.record_plan(
        job, Plan(review=(a_tag_to_review(),)), made_from="plan", now=clock()
    )
    await store.jobs.succeed(job, now=clock())

    await store.documents.ignore(HOME_7, by="anna", now=clock.advance(days=1))

    assert await store.changes.list_for_review() == ()
    (rejected,) = await store.changes.list_for_document(HOME_7)
    assert (rejected.state, rejected.decided_by) == (ChangeState.REJECTED, "anna")
    assert rejected.settled_at == clock()
    event = (await store.jobs.list_events(job.id))[-1]
    assert (event.name, event.data) == ("changes_recorded", {"by": "anna", "rejected": 1})


async def test_ignoring_leaves_what_waits_of_other_documents(
    store: Store, clock: FakeClock
) -> None:
    job = await enqueue_and_claim(store, clock, HOME_8)
    await store.changes.record_plan(
        job, Plan(review=(a_tag_to_review(),)), made_from="plan", now=clock()
    )

    await store.documents.ignore(HOME_7, by="anna", now=clock())

    assert len(await store.changes.list_for_review(document=HOME_8)) == 1


async def test_nothing_waits_of_an_analysis_that_hears_late_that_its_document_is_ignored(
    store: Store, clock: FakeClock
) -> None:
    job = await enqueue_and_claim(store, clock)
    await store.documents.ignore(HOME_7, by="anna", now=clock())
    plan = Plan(now=(a_tag_to_review(),), review=(a_tag_to_review(),))

    intended, rejected = await store.changes.record_plan(job, plan, made_from="plan", now=clock())

    assert await store.changes.list_for_review() == ()
    assert (rejected.state, rejected.decided_by) == (ChangeState.REJECTED, "anna")
    assert (intended.state, rejected.settled_at) == (ChangeState.INTENDED, clock())


async def test_what_a_cancelled_analysis_found_waits_unless_its_document_is_ignored(
    store: Store, clock: FakeClock
) -> None:
    job = await enqueue_and_claim(store, clock)
    await store.jobs.cancel(job.id, by="anna", now=clock())

    await store.changes.record_plan(
        job, Plan(review=(a_tag_to_review(),)), made_from="plan", now=clock()
    )

    assert len(await store.changes.list_for_review()) == 1


async def test_what_ignoring_rejected_waits_again_when_the_document_is_ignored_no_longer(
    store: Store, clock: FakeClock
) -> None:
    job = await enqueue_and_claim(store, clock)
    plan = Plan(now=(a_planned_change(),), review=(a_tag_to_review(), a_planned_change()))
    written, *_ = await store.changes.record_plan(job, plan, made_from="plan", now=clock())
    conflict = ChangeOutcome(written.id, ChangeState.CONFLICT, found="by hand")
    await store.changes.settle(job, [conflict], now=clock.advance(minutes=1))
    await store.jobs.succeed(job, now=clock())
    waiting = await store.changes.list_for_review()
    by_hand = Decision(reject=(waiting[-1].id,))
    await store.changes.decide(HOME_7, by_hand, by="anna", max_attempts=3, now=clock())

    await store.documents.ignore(HOME_7, by="anna", now=clock.advance(days=1))
    await store.documents.unignore(HOME_7, now=clock.advance(days=1))

    assert {change.state for change in waiting} == {ChangeState.CONFLICT, ChangeState.PROPOSED}
    assert await store.changes.list_for_review() == waiting[:-1]
    event = (await store.jobs.list_events(job.id))[-1]
    assert (event.name, event.data) == ("changes_recorded", {"restored": 2})


async def test_what_was_found_while_its_document_was_ignored_waits_when_it_is_no_longer(
    store: Store, clock: FakeClock
) -> None:
    job = await enqueue_and_claim(store, clock)
    await store.documents.ignore(HOME_7, by="anna", now=clock())
    plan = Plan(now=(a_planned_change(),), review=(a_tag_to_review(),))
    await store.changes.record_plan(job, plan, made_from="plan", now=clock())
    await store.jobs.succeed(job, now=clock())

    await store.documents.unignore(HOME_7, now=clock())

    (waits,) = await store.changes.list_for_review()
    assert (waits.state, waits.decided_by, waits.settled_at) == (ChangeState.PROPOSED, "", None)


@pytest.mark.parametrize("state", ["done", "failed", "cancelled"])
async def test_an_ignored_document_goes_back_to_how_it_was(
    store: Store, clock: FakeClock, state: str
) -> None:
    job = await enqueue_and_claim(store, clock)
    match state:
        case "done":
            await store.jobs.succeed(job, now=clock())
        case "failed":
            await store.jobs.fail(job, PROBLEM, now=clock())
        case _:
            await store.jobs.end_cancelled(job, plain("asked"), now=clock())
    await store.documents.ignore(HOME_7, by="anna", now=clock())
    await store.documents.ignore(HOME_7, by="bert", now=clock())

    back = await store.documents.unignore(HOME_7, now=clock())

    assert back is not None
    assert back.state == state
    assert await store.documents.get(HOME_7) == back


async def test_a_document_ignored_on_its_way_may_be_selected_anew(
    store: Store, clock: FakeClock
) -> None:
    job = await enqueue_and_claim(store, clock)
    await store.documents.ignore(HOME_7, by="anna", now=clock())
    await store.jobs.end_cancelled(job, plain("asked"), now=clock())

    assert await store.documents.unignore(HOME_7, now=clock()) is None

    assert await store.documents.get(HOME_7) is None


@pytest.mark.parametrize("end", ["done", "failed", "gone"])
async def test_an_ignored_document_remembers_how_its_analysis_ended(
    store: Store, clock: FakeClock, end: str
) -> None:
    job = await enqueue_and_claim(store, clock)
    ignored = await store.documents.ignore(HOME_7, by="anna", now=clock())
    match end:
        case "done":
            await store.jobs.succeed(job, now=clock())
        case "failed":
            await store.jobs.fail(job, PROBLEM, now=clock())
        case _:
            await store.jobs.end_gone(job, now=clock())
    assert ignored.state is DocumentState.IGNORED

    back = await store.documents.unignore(HOME_7, now=clock())

    assert back is not None
    assert back.state == end


async def test_a_document_no_longer_ignored_while_its_analysis_runs_follows_it(
    store: Store, clock: FakeClock
) -> None:
    job = await enqueue_and_claim(store, clock)
    await store.documents.ignore(HOME_7, by="anna", now=clock())

    back = await store.documents.unignore(HOME_7, now=clock())
    await store.jobs.succeed(job, now=clock())

    assert back is not None
    assert back.state is DocumentState.QUEUED
    known = await store.documents.get(HOME_7)
    assert known is not None
    assert known.state is DocumentState.DONE


async def test_only_an_ignored_document_can_be_unignored(store: Store, clock: FakeClock) -> None:
    with pytest.raises(NotIgnored):
        await store.documents.unignore(HOME_7, now=clock())
    await enqueue_job(store, clock)

    with pytest.raises(NotIgnored):
        await store.documents.unignore(HOME_7, now=clock())


async def test_a_crash_does_not_bring_an_ignored_document_back(
    store: Store, clock: FakeClock
) -> None:
    job = await enqueue_and_claim(store, clock)
    await store.documents.ignore(HOME_7, by="anna", now=clock())

    await store.jobs.recover_orphans(now=clock())

    assert (await store.jobs.get(job.id)).status is JobStatus.CANCELLED
    assert await store.jobs.claim(worker="worker", now=clock()) is None
    known = await store.documents.get(HOME_7)
    assert known is not None
    assert known.state is DocumentState.IGNORED


async def test_an_undo_may_run_on_an_ignored_document(store: Store, clock: FakeClock) -> None:
    await store.documents.ignore(HOME_7, by="anna", now=clock())
    await enqueue_job(store, clock, kind=APPLY)

    done = await store.jobs.succeed(await claim(store, clock), now=clock())

    assert done.status is JobStatus.COMPLETED


async def test_documents_are_found_by_title_or_number(store: Store, clock: FakeClock) -> None:
    for number, title in ((7, "Stromrechnung 100%"), (8, "Mietvertrag 7"), (9, "Strom")):
        ref = DocumentRef("home", number)
        job = await enqueue_and_claim(store, clock, ref)
        await store.documents.record_fetched(job, title=title, content_hash="x", now=clock())
        await store.jobs.succeed(job, now=clock.advance(minutes=1))

    async def found(words: str, *instances: str) -> list[int]:
        found = await store.documents.find(instances or ("home",), words, limit=10)
        return [document.ref.id for document in found.documents]

    assert await found("strom") == [9, 7]
    assert await found("7") == [7, 8]
    assert await found("0%") == [7]
    assert await found("%") == [7]
    assert await found("strom", "attic") == []
    assert await found("9" * 30) == []
