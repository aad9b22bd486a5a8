"""What people decided about names is remembered, with the decision or by itself."""

from dataclasses import replace

import pytest

from core.changes import AcceptedChange, ChangeState, Decision, Plan, RevisedChange
from core.fields import FieldName, Name
from core.jobs import EventName
from core.names import Alias, AliasRule
from store import NotForReview, Store
from tests.store.builders import (
    HOME_7,
    HOME_8,
    FakeClock,
    a_planned_change,
    enqueue_and_claim,
    event_names,
)

TELEKOM = Name(4, "Deutsche Telekom AG")
MEANS = AliasRule(FieldName.CORRESPONDENT, "telekom", "Telekom", TELEKOM)
NEVER = AliasRule(FieldName.TAGS, "werbung", "Werbung", None)
NEW = Name(None, "Telekom")


async def a_new_sender(store: Store, clock: FakeClock) -> int:
    """Let a document wait with a sender that does not exist yet."""
    job = await enqueue_and_claim(store, clock)
    planned = a_planned_change(FieldName.CORRESPONDENT, None, NEW, ["new_name", "unsure"])
    (change,) = await store.changes.record_plan(
        job, Plan(review=(planned,)), made_from="plan", now=clock()
    )
    await store.jobs.succeed(job, now=clock())
    return change.id


async def test_a_meaning_is_remembered_for_its_instance(store: Store, clock: FakeClock) -> None:
    await store.names.save_alias("home", MEANS, by="anna", now=clock())
    await store.names.save_alias("home", NEVER, by="anna", now=clock())
    await store.names.save_alias("office", NEVER, by="bert", now=clock())

    assert await store.names.list_aliases("home") == (
        Alias("home", MEANS, "anna", clock()),
        Alias("home", NEVER, "anna", clock()),
    )
    assert [alias.instance for alias in await store.names.list_aliases()] == [
        "home",
        "home",
        "office",
    ]


async def test_the_last_word_counts(store: Store, clock: FakeClock) -> None:
    refused = AliasRule(MEANS.field, MEANS.key, "TELEKOM", None)

    await store.names.save_alias("home", MEANS, by="anna", now=clock())
    clock.advance(hours=1)
    await store.names.save_alias("home", refused, by="bert", now=clock())

    assert await store.names.list_aliases() == (Alias("home", refused, "bert", clock()),)


async def test_what_was_decided_can_be_forgotten(store: Store, clock: FakeClock) -> None:
    await store.names.save_alias("home", MEANS, by="anna", now=clock())

    assert not await store.names.delete_alias("office", MEANS.field, MEANS.key)
    assert not await store.names.delete_alias("home", FieldName.TAGS, MEANS.key)
    assert await store.names.delete_alias("home", MEANS.field, MEANS.key)
    assert not await store.names.delete_alias("home", MEANS.field, MEANS.key)
    assert await store.names.list_aliases() == ()


async def test_a_decision_is_remembered_with_what_follows_from_it(
    store: Store, clock: FakeClock
) -> None:
    number = await a_new_sender(store, clock)

    decision = Decision((AcceptedChange(number, TELEKOM, None),), remember=(MEANS,))
    await store.changes.decide(HOME_7, decision, by="anna", max_attempts=3, now=clock())

    assert await store.names.list_aliases() == (Alias("home", MEANS, "anna", clock()),)


async def test_a_decision_that_is_refused_is_not_remembered(store: Store, clock: FakeClock) -> None:
    number = await a_new_sender(store, clock)

    decision = Decision((AcceptedChange(number, TELEKOM, None),), remember=(MEANS,))
    with pytest.raises(NotForReview):
        await store.changes.decide(HOME_8, decision, by="anna", max_attempts=3, now=clock())

    assert await store.names.list_aliases() == ()


async def test_a_change_can_wait_on_with_another_value(store: Store, clock: FakeClock) -> None:
    number = await a_new_sender(store, clock)
    job_id = (await store.changes.get(number)).job_id

    revised = RevisedChange(number, TELEKOM, ("unsure",))
    await store.changes.revise(HOME_7, revised, by="anna", now=clock())

    change = await store.changes.get(number)
    assert (change.state, change.after) == (ChangeState.PROPOSED, TELEKOM)
    assert change.reasons == ("unsure",)
    assert len(await store.jobs.list()) == 1
    event = (await store.jobs.list_events(job_id))[-1]
    assert event.name is EventName.CHANGES_RECORDED
    assert event.data == {"by": "anna", "revised": number}
    assert (await event_names(store, await store.jobs.get(job_id)))[-2] == "completed"


async def test_what_does_not_wait_cannot_be_revised(store: Store, clock: FakeClock) -> None:
    number = await a_new_sender(store, clock)
    revised = RevisedChange(number, TELEKOM, ())

    with pytest.raises(NotForReview):
        await store.changes.revise(HOME_8, revised, by="anna", now=clock())
    reject = Decision(reject=(number,))
    await store.changes.decide(HOME_7, reject, by="anna", max_attempts=3, now=clock())
    with pytest.raises(NotForReview):
        await store.changes.revise(HOME_7, revised, by="anna", now=clock())

    assert (await store.changes.get(number)).after == NEW


async def test_what_a_new_name_may_stand_for_is_kept(store: Store, clock: FakeClock) -> None:
    job = await enqueue_and_claim(store, clock)
    planned = a_planned_change(FieldName.CORRESPONDENT, None, NEW, ["similar_name"])
    planned = replace(planned, similar=(TELEKOM.name,))

    (change,) = await store.changes.record_plan(
        job, Plan(review=(planned,)), made_from="plan", now=clock()
    )

    assert change.similar == (TELEKOM.name,)
    assert await store.changes.get(change.id) == change
