"""Decisions about several documents at once."""

from collections.abc import Mapping

import pytest

from actions.caller import Caller
from actions.errors import NothingToReview
from actions.review import drop_unchanged, store_decisions
from core.changes import AcceptedChange, Decision, Plan
from core.documents import DocumentRef
from core.fields import Name, Value
from store import NotForReview, Store
from tests.store.builders import (
    HOME_7,
    HOME_8,
    STROM,
    FakeClock,
    a_tag_to_review,
    enqueue_and_claim,
)


@pytest.fixture
async def waiting(store: Store, clock: FakeClock) -> Mapping[DocumentRef, Decision]:
    """Return a yes to the tag of each of two documents."""
    said = {}
    for ref in (HOME_7, HOME_8):
        job = await enqueue_and_claim(store, clock, ref)
        [change] = await store.changes.record_plan(
            job, Plan(review=(a_tag_to_review(),)), made_from="plan", now=clock()
        )
        await store.jobs.succeed(job, now=clock())
        said[ref] = Decision(accept=(AcceptedChange(change.id, STROM, seen=None),))
    return said


async def test_a_document_that_changed_meanwhile_keeps_no_other_from_its_decision(
    caller: Caller, waiting: Mapping[DocumentRef, Decision]
) -> None:
    await store_decisions(caller, {HOME_7: waiting[HOME_7]})

    decided = await store_decisions(caller, waiting)

    assert [job.document for job in decided.jobs] == [HOME_8]
    assert [type(error) for error in decided.refused] == [NotForReview]
    with pytest.raises(NotForReview):
        decided.raise_if_refused()


async def test_nothing_is_decided_if_one_decision_says_nothing(
    caller: Caller, waiting: Mapping[DocumentRef, Decision]
) -> None:
    with pytest.raises(NothingToReview):
        await store_decisions(caller, {**waiting, HOME_8: Decision()})

    assert len(await caller.store.changes.list_for_review()) == 2


@pytest.mark.parametrize(
    ("seen", "after"),
    [
        ("scan_0050", "scan_0050"),
        (Name(3, "Strom AG"), Name(3, "Strom")),
        (None, None),
        (None, ""),
    ],
)
def test_what_is_accepted_as_it_is_is_not_written(seen: Value, after: Value) -> None:
    said = Decision(
        accept=(AcceptedChange(1, after, seen), AcceptedChange(2, "B", seen="A")), reject=(3,)
    )

    decided = drop_unchanged(said)

    assert decided == Decision((AcceptedChange(2, "B", seen="A"),), reject=(3,), unchanged=(1,))
