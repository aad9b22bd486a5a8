"""Documents that are gone while something of them waits for a person."""

import pytest

from core.changes import Plan
from core.documents import DocumentRef, DocumentState
from store import Store
from tests.store.builders import (
    HOME_7,
    HOME_8,
    FakeClock,
    a_new_job,
    a_tag_to_review,
    enqueue_and_claim,
)


@pytest.fixture
async def waiting(store: Store, clock: FakeClock) -> tuple[DocumentRef, DocumentRef]:
    """Two documents of which something waits for a person."""
    for ref in (HOME_7, HOME_8):
        job = await enqueue_and_claim(store, clock, ref)
        await store.changes.record_plan(
            job, Plan(review=(a_tag_to_review(),)), made_from="plan", now=clock()
        )
        await store.jobs.succeed(job, now=clock())
    return HOME_7, HOME_8


async def state_of(store: Store, ref: DocumentRef) -> DocumentState:
    known = await store.documents.get(ref)
    assert known is not None
    return known.state


@pytest.mark.usefixtures("waiting")
async def test_they_are_listed_by_instance(store: Store) -> None:
    assert await store.documents.list_ids_for_review("home") == {7, 8}
    assert await store.documents.list_ids_for_review("office") == frozenset()


@pytest.mark.usefixtures("waiting")
async def test_what_is_gone_is_withdrawn_once_and_its_row_says_so(
    store: Store, clock: FakeClock
) -> None:
    first = await store.documents.withdraw_gone("home", [7], now=clock())
    second = await store.documents.withdraw_gone("home", [7], now=clock())

    assert (first, second) == (1, 0)
    assert await store.documents.list_ids_for_review("home") == {8}
    assert await state_of(store, HOME_7) is DocumentState.GONE
    assert await state_of(store, HOME_8) is DocumentState.DONE


@pytest.mark.usefixtures("waiting")
async def test_a_document_with_a_job_is_left_to_it(store: Store, clock: FakeClock) -> None:
    await store.jobs.enqueue(a_new_job(HOME_7), now=clock())

    assert await store.documents.withdraw_gone("home", [7], now=clock()) == 0
    assert await state_of(store, HOME_7) is DocumentState.QUEUED


@pytest.mark.usefixtures("waiting")
async def test_an_ignored_document_stays_ignored(store: Store, clock: FakeClock) -> None:
    await store.documents.ignore(HOME_7, by="anna", now=clock())

    await store.documents.withdraw_gone("home", [7], now=clock())

    assert await state_of(store, HOME_7) is DocumentState.IGNORED
