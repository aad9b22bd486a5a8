"""Decisions about several documents at once."""

from collections.abc import Mapping

import pytest

from actions.caller import Caller
from actions.errors import NothingWaits
from actions.review import carry_out, only_what_differs
from core.changes import Accepted, Decision, Plan
from core.documents import DocumentRef
from core.fields import Name, Value
from store import NotWaiting, Store
from tests.store.builders import HOME_7, HOME_8, STROM, FakeClock, a_tag_to_review, claimed


@pytest.fixture
async def waiting(store: Store, clock: FakeClock) -> Mapping[DocumentRef, Decision]:
    """Return a yes to the tag of each of two documents."""
    said = {}
    for ref in (HOME_7, HOME_8):
        job = await claimed(store, clock, ref)
        [change] = await store.changes.record_plan(
            job, Plan(review=(a_tag_to_review(),)), made_from="plan", now=clock()
        )
        await store.jobs.succeed(job, now=clock())
        said[ref] = Decision(accept=(Accepted(change.id, STROM, seen=None),))
    return said


async def test_a_document_that_changed_meanwhile_keeps_no_other_from_its_decision(
    caller: Caller, waiting: Mapping[DocumentRef, Decision]
) -> None:
    await carry_out(caller, {HOME_7: waiting[HOME_7]})

    decided = await carry_out(caller, waiting)

    assert [job.document for job in decided.jobs] == [HOME_8]
    assert [type(error) for error in decided.refused] == [NotWaiting]
    with pytest.raises(NotWaiting):
        decided.or_refused()


async def test_nothing_is_decided_if_one_decision_says_nothing(
    caller: Caller, waiting: Mapping[DocumentRef, Decision]
) -> None:
    with pytest.raises(NothingWaits):
        await carry_out(caller, {**waiting, HOME_8: Decision()})

    assert len(await caller.store.changes.waiting()) == 2


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
    said = Decision(accept=(Accepted(1, after, seen), Accepted(2, "B", seen="A")), reject=(3,))

    decided = only_what_differs(said)

    assert decided == Decision((Accepted(2, "B", seen="A"),), reject=(3,), unchanged=(1,))
