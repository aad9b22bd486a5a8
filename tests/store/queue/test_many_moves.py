"""Several jobs moved in one transaction: each with its event, and none in the way of another."""

from decimal import Decimal

from core.documents import DocumentRef
from core.jobs import UNDO, Cancellation, JobStatus
from core.scans import ScanPage
from core.spending import Consent
from store import AlreadyQueued, InvalidTransition, JobNotFound, Store
from tests.store.builders import (
    PROBLEM,
    FakeClock,
    a_new_job,
    claim,
    enqueue_and_claim,
    enqueue_job,
    event_names,
)


async def a_scan_of(store: Store, clock: FakeClock, *ids: int, instance: str = "home") -> int:
    scan = await store.scans.start(instance, asked_by="hand", now=clock())
    found = tuple((a_new_job(DocumentRef(instance, id_)), "Brief") for id_ in ids)
    await store.scans.record_page(scan.id, ScanPage(found, seen=len(ids)), now=clock())
    return scan.id


async def test_the_live_jobs_of_a_scan_are_cancelled_some_at_a_time(
    store: Store, clock: FakeClock
) -> None:
    scan = await a_scan_of(store, clock, 1, 2, 3)
    await a_scan_of(store, clock, 4, instance="office")
    await claim(store, clock)

    first = await store.jobs.cancel_of_scan(
        scan, Cancellation.of_user("hand"), now=clock(), limit=2
    )
    after = first[-1].id
    rest = await store.jobs.cancel_of_scan(
        scan, Cancellation.of_user("hand"), now=clock(), limit=2, after_id=after
    )
    after = rest[-1].id
    none = await store.jobs.cancel_of_scan(
        scan, Cancellation.of_user("hand"), now=clock(), limit=2, after_id=after
    )

    assert [job.status for job in (*first, *rest)] == [
        JobStatus.PROCESSING,
        JobStatus.CANCELLED,
        JobStatus.CANCELLED,
    ]
    assert none == ()
    assert await event_names(store, first[0]) == ["enqueued", "claimed", "cancel_requested"]
    assert await event_names(store, rest[0]) == ["enqueued", "cancelled"]
    assert (await store.jobs.count_by_status("office"))[JobStatus.PENDING] == 1


async def test_jobs_are_started_anew_and_each_that_cannot_be_says_why(
    store: Store, clock: FakeClock
) -> None:
    failed = await store.jobs.fail(await enqueue_and_claim(store, clock), PROBLEM, now=clock())
    twin = await store.jobs.fail(await enqueue_and_claim(store, clock), PROBLEM, now=clock())
    done = await enqueue_and_claim(store, clock, DocumentRef("home", 8))
    await store.jobs.succeed(done, now=clock())

    started, refused = await store.jobs.restart_each(
        [failed.id, 4711, twin.id, done.id], by="hand", now=clock()
    )

    assert [(job.id, job.status, job.attempts) for job in started] == [
        (failed.id, JobStatus.PENDING, 0)
    ]
    assert [type(error) for error in refused] == [JobNotFound, AlreadyQueued, InvalidTransition]
    assert await event_names(store, failed) == ["enqueued", "claimed", "failed", "restarted"]
    assert await event_names(store, twin) == ["enqueued", "claimed", "failed"]


async def test_a_restart_keeps_the_consent_to_what_calls_the_model(
    store: Store, clock: FakeClock
) -> None:
    analysis = await store.jobs.fail(await enqueue_and_claim(store, clock), PROBLEM, now=clock())
    undo = await enqueue_and_claim(store, clock, DocumentRef("home", 8), kind=UNDO)
    undo = await store.jobs.fail(undo, PROBLEM, now=clock())
    consent = Consent("anna", clock(), Decimal("4.20"))

    (started, unpaid), _ = await store.jobs.restart_each(
        [analysis.id, undo.id], by="anna", consents={"home": consent}, now=clock()
    )

    assert (started.consent, unpaid.consent) == (consent, None)
    assert (await store.jobs.get(analysis.id)).consent == consent
    restarted = (await store.jobs.list_events(analysis.id))[-1]
    assert restarted.data == {"by": "anna", "consented_cost": "4.20"}


async def test_a_later_restart_without_consent_forgets_the_former_one(
    store: Store, clock: FakeClock
) -> None:
    job = await store.jobs.fail(await enqueue_and_claim(store, clock), PROBLEM, now=clock())
    consents = {"home": Consent("anna", clock(), Decimal("4.20"))}
    await store.jobs.restart(job.id, by="anna", consents=consents, now=clock())
    again = await store.jobs.fail(await claim(store, clock), PROBLEM, now=clock())

    restarted = await store.jobs.restart(again.id, by="ben", now=clock())

    assert restarted.consent is None


async def test_jobs_are_found_by_their_numbers(store: Store, clock: FakeClock) -> None:
    first = await enqueue_job(store, clock)
    second = await enqueue_job(store, clock, DocumentRef("office", 8))

    assert await store.jobs.list_by_ids([second.id, 4711, first.id]) == (first, second)
    assert await store.jobs.list_by_ids([]) == ()
