"""Notices are recorded once, sent by one, and let be when nobody knows whether they arrived."""

from datetime import timedelta

from core.notifications import NewNotification, NotificationKind, NotificationState
from store import Store
from tests.store.builders import FakeClock


def a_notice(
    key: str = "review:5",
    topic: str = "review",
    state: NotificationState = NotificationState.WAITING,
) -> NewNotification:
    return NewNotification(NotificationKind.REVIEW, topic, key, {"documents": 5}, state)


async def test_one_is_recorded_once_and_sent_once(store: Store, clock: FakeClock) -> None:
    first = await store.notifications.record([a_notice()], now=clock())
    second = await store.notifications.record([a_notice(), a_notice("review:6")], now=clock())
    begun = await store.notifications.claim_due(now=clock())
    again = await store.notifications.claim_due(now=clock())

    assert (first, second) == (1, 1)
    assert [(notice.facts, notice.tries) for notice in begun] == [({"documents": 5}, 1)] * 2
    assert again == ()


async def test_the_latest_of_a_topic_says_what_is_known(store: Store, clock: FakeClock) -> None:
    await store.notifications.record(
        [a_notice("a"), a_notice("b"), a_notice("c", "other")], now=clock()
    )
    taken = await store.notifications.claim_due(now=clock())
    await store.notifications.mark_sent([notice.id for notice in taken], problem="", now=clock())

    latest = await store.notifications.get_latest()

    assert {topic: (notice.id, notice.state) for topic, notice in latest.items()} == {
        "review": (2, NotificationState.SENT),
        "other": (3, NotificationState.SENT),
    }
    assert await store.notifications.claim_due(now=clock.advance(days=1)) == ()


async def test_one_that_did_not_arrive_waits_until_its_time(store: Store, clock: FakeClock) -> None:
    await store.notifications.record([a_notice()], now=clock())
    [claimed] = await store.notifications.claim_due(now=clock())
    await store.notifications.postpone(
        [claimed.id], until=clock() + timedelta(minutes=5), problem="down"
    )

    early = await store.notifications.claim_due(now=clock.advance(minutes=4))
    late = await store.notifications.claim_due(now=clock.advance(minutes=1))

    assert early == ()
    assert [(again.tries, again.problem) for again in late] == [(2, "down")]


async def test_what_a_process_died_sending_is_not_sent_again(
    store: Store, clock: FakeClock
) -> None:
    await store.notifications.record([a_notice()], now=clock())
    await store.notifications.claim_due(now=clock())

    assert await store.notifications.claim_due(now=clock.advance(minutes=11)) == ()

    last = await store.notifications.get_last_settled()
    assert last is not None
    assert (last.state, "stopped while it was sent" in last.problem) == (
        NotificationState.LOST,
        True,
    )


async def test_what_is_only_remembered_is_never_sent(store: Store, clock: FakeClock) -> None:
    await store.notifications.record([a_notice(state=NotificationState.SILENT)], now=clock())

    assert await store.notifications.claim_due(now=clock()) == ()
    assert await store.notifications.get_last_settled() is None
    assert (await store.notifications.get_latest())["review"].state is NotificationState.SILENT


async def test_the_last_that_ended_is_listed_with_its_problem(
    store: Store, clock: FakeClock
) -> None:
    await store.notifications.record([a_notice("a"), a_notice("b")], now=clock())
    first, second = await store.notifications.claim_due(now=clock())
    await store.notifications.give_up([second.id], problem="refused", now=clock.advance(minutes=1))
    await store.notifications.mark_sent([first.id], problem="", now=clock.advance(minutes=1))

    last = await store.notifications.get_last_settled()

    assert last is not None
    assert (last.id, last.state, last.settled_at) == (first.id, NotificationState.SENT, clock())


async def test_old_ones_are_forgotten_unless_they_still_wait(
    store: Store, clock: FakeClock
) -> None:
    await store.notifications.record([a_notice("a"), a_notice("b", "other")], now=clock())
    first, second = await store.notifications.claim_due(now=clock())
    await store.notifications.mark_sent([first.id], problem="", now=clock())
    await store.notifications.postpone([second.id], until=clock(), problem="")

    await store.notifications.record([], now=clock.advance(days=91))

    assert list(await store.notifications.get_latest()) == ["other"]
