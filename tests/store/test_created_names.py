"""The right to make a name: one job has it at a time, and a dead one's is inherited."""

from dataclasses import replace

import pytest

from core.fields import FieldName, Name
from core.messages import plain
from core.names import NameReservation, WantedName
from store import ClaimLost, Store
from tests.store.builders import HOME_7, HOME_8, FakeClock, claim, enqueue_and_claim

WANTED = WantedName(FieldName.TAGS, "garten", "Garten", 11)
GARTEN = Name(5, "Garten")


async def test_one_job_has_the_right_at_a_time(store: Store, clock: FakeClock) -> None:
    first, second = (
        await enqueue_and_claim(store, clock, HOME_7),
        await enqueue_and_claim(store, clock, HOME_8),
    )

    right = await store.names.reserve_name(WANTED, first, now=clock())
    other = await store.names.reserve_name(WANTED, second, now=clock())

    assert right is not None
    assert (right.is_inherited, other) == (False, None)


@pytest.mark.parametrize(
    "wanted",
    [replace(WANTED, key="haus"), replace(WANTED, field=FieldName.CORRESPONDENT)],
    ids=["another name", "another field"],
)
async def test_another_name_is_another_matter(
    store: Store, clock: FakeClock, wanted: WantedName
) -> None:
    first, second = (
        await enqueue_and_claim(store, clock, HOME_7),
        await enqueue_and_claim(store, clock, HOME_8),
    )
    await store.names.reserve_name(WANTED, first, now=clock())

    assert await store.names.reserve_name(wanted, second, now=clock()) is not None


async def test_the_right_of_a_job_that_came_to_nothing_is_inherited(
    store: Store, clock: FakeClock
) -> None:
    first = await enqueue_and_claim(store, clock, HOME_7)
    right = await store.names.reserve_name(WANTED, first, now=clock())
    assert right is not None
    await store.jobs.release(first, plain("the daemon stops"), now=clock())
    again = await claim(store, clock)

    assert again.id == first.id
    inherited = await store.names.reserve_name(WANTED, again, now=clock())

    assert inherited == NameReservation(right.id, is_inherited=True)
    assert (
        await store.names.reserve_name(
            WANTED, await enqueue_and_claim(store, clock, HOME_8), now=clock()
        )
        is None
    )


async def test_a_stale_worker_gets_no_right(store: Store, clock: FakeClock) -> None:
    first = await enqueue_and_claim(store, clock, HOME_7)
    await store.jobs.release(first, plain("the daemon stops"), now=clock())

    with pytest.raises(ClaimLost):
        await store.names.reserve_name(WANTED, first, now=clock())

    assert await store.names.list_created_names("home") == ()


async def test_what_was_made_is_kept_until_it_is_removed(store: Store, clock: FakeClock) -> None:
    job = await enqueue_and_claim(store, clock, HOME_7)
    right = await store.names.reserve_name(WANTED, job, now=clock())
    assert right is not None
    assert await store.names.list_created_names("home") == ()

    made_at = clock.advance(seconds=1)
    await store.names.mark_created(right, GARTEN, now=made_at)

    (made,) = await store.names.list_created_names("home")
    assert (made.field, made.name, made.name_id) == (FieldName.TAGS, "Garten", 5)
    assert (made.document, made.job_id, made.change_id) == (HOME_7, job.id, 11)
    assert (made.made_at, made.removed_at) == (made_at, None)
    assert await store.names.list_created_names("office") == ()
    await store.names.mark_removed(made, now=clock())
    assert await store.names.list_created_names("home") == ()


async def test_a_name_that_was_made_once_can_be_made_again(store: Store, clock: FakeClock) -> None:
    first, second = (
        await enqueue_and_claim(store, clock, HOME_7),
        await enqueue_and_claim(store, clock, HOME_8),
    )
    right = await store.names.reserve_name(WANTED, first, now=clock())
    assert right is not None
    await store.names.mark_created(right, GARTEN, now=clock())

    again = await store.names.reserve_name(WANTED, second, now=clock())

    assert again is not None
    assert (again.is_inherited, again.id == right.id) == (False, False)


async def test_a_right_that_is_given_back_leaves_nothing(store: Store, clock: FakeClock) -> None:
    job = await enqueue_and_claim(store, clock, HOME_7)
    right = await store.names.reserve_name(WANTED, job, now=clock())
    assert right is not None

    await store.names.release_reservation(right)

    await store.jobs.succeed(job, now=clock())
    assert await store.names.list_created_names("home") == ()


async def test_what_nobody_knows_is_listed_when_its_job_is_dead(
    store: Store, clock: FakeClock
) -> None:
    job = await enqueue_and_claim(store, clock, HOME_7)
    await store.names.reserve_name(WANTED, job, now=clock())
    await store.jobs.release(job, plain("the daemon stops"), now=clock())

    (open_,) = await store.names.list_created_names("home")

    assert (open_.name, open_.name_id, open_.made_at) == ("Garten", None, None)


async def test_what_was_made_cannot_be_given_back(store: Store, clock: FakeClock) -> None:
    job = await enqueue_and_claim(store, clock, HOME_7)
    right = await store.names.reserve_name(WANTED, job, now=clock())
    assert right is not None
    await store.names.mark_created(right, GARTEN, now=clock())

    await store.names.release_reservation(right)

    assert len(await store.names.list_created_names("home")) == 1
