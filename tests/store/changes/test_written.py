"""Written changes as scans check them, on both engines."""

from datetime import timedelta

from core.changes import Change, ChangeOutcome, ChangeState, Plan, SeenChange
from core.documents import DocumentRef
from core.fields import FieldName, Name
from store import Store
from tests.store.builders import (
    HOME_7,
    HOME_8,
    NOON,
    PROBLEM,
    FakeClock,
    a_planned_change,
    enqueue_and_claim,
    enqueue_job,
)

LATER = NOON + timedelta(hours=1)


async def written(
    store: Store, clock: FakeClock, document: DocumentRef, field: FieldName = FieldName.TITLE
) -> Change:
    job = await enqueue_and_claim(store, clock, document)
    plan = Plan(now=(a_planned_change(field),))
    (change,) = await store.changes.record_plan(job, plan, made_from="plan", now=clock())
    done = ChangeOutcome(change.id, ChangeState.APPLIED)
    (settled,) = await store.changes.settle(job, [done], now=clock())
    await store.jobs.succeed(job, now=clock())
    return settled


async def unconfirmed(store: Store, clock: FakeClock, document: DocumentRef) -> Change:
    job = await enqueue_and_claim(store, clock, document)
    plan = Plan(now=(a_planned_change(),))
    changes = await store.changes.record_plan(job, plan, made_from="plan", now=clock())
    await store.changes.begin(job, changes, now=clock())
    await store.jobs.fail(job, PROBLEM, now=clock())
    comparing = await store.jobs.claim(worker="worker", now=clock())
    assert comparing is not None
    await store.jobs.conclude(comparing, now=clock())
    return await store.changes.get(changes[0].id)


async def test_a_document_is_checked_once_for_each_time_it_is_modified(
    store: Store, clock: FakeClock
) -> None:
    change = await written(store, clock, HOME_7)
    await written(store, clock, DocumentRef("attic", 7))

    first = await store.written.list_to_check("home", {7: NOON, 8: NOON})
    await store.written.record_checked("home", {7: NOON})
    again = await store.written.list_to_check("home", {7: NOON})
    modified = await store.written.list_to_check("home", {7: LATER})

    assert (first, again, modified) == ({7: (change,)}, {}, {7: (change,)})
    assert await store.written.list_to_check("home", {}) == {}


async def test_what_is_unconfirmed_is_always_checked(store: Store, clock: FakeClock) -> None:
    change = await unconfirmed(store, clock, HOME_7)
    await store.written.record_checked("home", {7: NOON})

    assert await store.written.list_to_check("home", {}) == {7: (change,)}
    assert await store.written.list_to_check("home", {7: NOON}) == {7: (change,)}
    assert await store.written.list_to_check("attic", {}) == {}


async def test_a_document_with_a_live_job_is_not_checked(store: Store, clock: FakeClock) -> None:
    await written(store, clock, HOME_7)
    await enqueue_job(store, clock, HOME_7)

    assert await store.written.list_to_check("home", {7: LATER}) == {}


async def test_what_someone_made_of_a_value_is_kept_until_it_is_ours_again(
    store: Store, clock: FakeClock
) -> None:
    change = await written(store, clock, HOME_7)
    other = SeenChange(change.id, Name(3, "Bank"), is_ours=False)

    await store.written.record_seen(HOME_7, [other], now=LATER)
    changed = await store.changes.get(change.id)
    await store.written.record_seen(
        HOME_7, [SeenChange(change.id, change.after, is_ours=True)], now=LATER
    )
    ours = await store.changes.get(change.id)

    assert (changed.changed_seen_at, changed.changed_to) == (LATER, Name(3, "Bank"))
    assert changed.is_changed_since
    assert ours == change


async def test_nothing_is_noted_about_what_is_undone_or_of_another_document(
    store: Store, clock: FakeClock
) -> None:
    change = await written(store, clock, HOME_7)
    other = SeenChange(change.id, "Mine", is_ours=False)
    await store.written.record_seen(HOME_8, [other], now=LATER)
    job = await enqueue_and_claim(store, clock, HOME_7)
    await store.changes.settle(job, [ChangeOutcome(change.id, ChangeState.UNDONE)], now=clock())

    await store.written.record_seen(HOME_7, [other], now=LATER)

    assert (await store.changes.get(change.id)).changed_seen_at is None


async def test_it_is_known_whether_anything_was_ever_written(
    store: Store, clock: FakeClock
) -> None:
    before = await store.written.has_any("home")
    await written(store, clock, HOME_7)

    assert (before, await store.written.has_any("home"), await store.written.has_any("attic")) == (
        False,
        True,
        False,
    )


async def test_an_undo_is_among_the_last_events_whenever_it_was_written(
    store: Store, clock: FakeClock
) -> None:
    first = await written(store, clock, HOME_7)
    clock.advance(minutes=1)
    second = await written(store, clock, HOME_8)
    clock.advance(minutes=1)
    job = await enqueue_and_claim(store, clock, HOME_7)
    await store.changes.settle(job, [ChangeOutcome(first.id, ChangeState.UNDONE)], now=clock())

    latest = await store.changes.list_latest(["home"], 5)
    only = await store.changes.list_latest(["home"], 1)

    assert [change.id for change in latest] == [first.id, second.id]
    assert [change.id for change in only] == [first.id]
    assert await store.changes.list_latest(["attic"], 5) == ()
