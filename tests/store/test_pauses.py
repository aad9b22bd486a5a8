"""Holds by limit and by hand, when holds are looked at, and which document was behind them."""

from datetime import datetime, timedelta

import pytest

from core.documents import DocumentRef
from core.holds import PAUSE_ALL, Hold, limit_target, paperless_target, pause_target
from core.jobs import ANALYZE, APPLY, DRY_RUN, UNDO
from store import Store
from tests.builders import because
from tests.store.builders import HOME_7, HOME_8, FakeClock, claim, enqueue_job, next_due

HOME = paperless_target("home")
OFFICE_7 = DocumentRef("office", 7)


async def place(
    store: Store,
    clock: FakeClock,
    target: str = HOME,
    *,
    probe: datetime | None = None,
    document: DocumentRef | None = None,
) -> Hold:
    return await store.holds.place(
        target, because("no connection"), next_probe_at=probe, now=clock(), document=document
    )


@pytest.mark.parametrize("kind", [ANALYZE, DRY_RUN, APPLY, UNDO])
@pytest.mark.parametrize(
    ("target", "held_kinds"),
    [
        (pause_target("home"), {ANALYZE, DRY_RUN, APPLY, UNDO}),
        (limit_target("home"), {ANALYZE, DRY_RUN}),
        (pause_target("office"), set()),
        (limit_target("office"), set()),
    ],
)
async def test_a_pause_holds_everything_and_a_limit_what_asks_a_model(
    store: Store, clock: FakeClock, kind: str, target: str, held_kinds: set[str]
) -> None:
    await enqueue_job(store, clock, HOME_7, kind=kind)
    await place(store, clock, target)

    due = await next_due(store)
    held = await store.jobs.count_held("home")
    job = await store.jobs.claim(worker="worker", now=clock())

    expected = kind in held_kinds
    assert (due is None, held, job is None) == (expected, int(expected), expected)


async def test_a_paused_processor_claims_nothing(store: Store, clock: FakeClock) -> None:
    await enqueue_job(store, clock, HOME_7, kind=APPLY)
    await enqueue_job(store, clock, OFFICE_7)
    await place(store, clock, PAUSE_ALL)

    assert await store.jobs.claim(worker="worker", now=clock()) is None
    assert await next_due(store) is None
    assert await store.jobs.count_held("office") == 1

    await store.holds.lift(PAUSE_ALL, now=clock())
    assert (await claim(store, clock)).attempts == 1


async def test_a_hold_without_a_time_is_never_due(store: Store, clock: FakeClock) -> None:
    pause = await place(store, clock, pause_target("home"))

    assert pause.next_probe_at is None
    assert await store.holds.list_active() == (pause,)
    assert await store.holds.list_due(now=clock.advance(days=999)) == ()


async def test_holds_are_due_at_their_time(store: Store, clock: FakeClock) -> None:
    soon, later = clock() + timedelta(minutes=1), clock() + timedelta(minutes=2)
    second = await place(store, clock, paperless_target("office"), probe=later)
    first = await place(store, clock, HOME, probe=soon)
    await place(store, clock, PAUSE_ALL)

    assert await store.holds.list_due(now=soon - timedelta(microseconds=1)) == ()
    assert await store.holds.list_due(now=soon) == (first,)
    assert await store.holds.list_due(now=later) == (first, second)


async def test_a_lifted_hold_is_not_due(store: Store, clock: FakeClock) -> None:
    await place(store, clock, probe=clock())

    await store.holds.lift(HOME, now=clock())

    assert await store.holds.list_active() == ()
    assert await store.holds.list_due(now=clock()) == ()


async def test_a_hold_placed_anew_begins_anew(store: Store, clock: FakeClock) -> None:
    await place(store, clock)
    await place(store, clock)
    await store.holds.lift(HOME, now=clock())
    clock.advance(hours=1)

    anew = await place(store, clock)

    assert (anew.since, anew.probes) == (clock(), 0)
    assert (await place(store, clock)).probes == 1


async def test_the_document_behind_a_hold_is_remembered_after_it(
    store: Store, clock: FakeClock
) -> None:
    assert await store.holds.get_last_document(HOME) is None
    await place(store, clock, document=HOME_7)
    assert await store.holds.get_last_document(HOME) == HOME_7

    await store.holds.lift(HOME, now=clock())

    assert await store.holds.get_last_document(HOME) == HOME_7
    assert await store.holds.get_last_document(paperless_target("office")) is None


async def test_a_failed_probe_is_nobody_elses_fault(store: Store, clock: FakeClock) -> None:
    await place(store, clock, document=HOME_7)

    await place(store, clock)
    await place(store, clock, document=HOME_8)

    assert await store.holds.get_last_document(HOME) == HOME_7


@pytest.mark.parametrize("next_cause", [HOME_8, OFFICE_7, None])
async def test_the_next_hold_has_its_own_cause(
    store: Store, clock: FakeClock, next_cause: DocumentRef | None
) -> None:
    await place(store, clock, document=HOME_7)
    await store.holds.lift(HOME, now=clock())

    await place(store, clock, document=next_cause)

    assert await store.holds.get_last_document(HOME) == next_cause
