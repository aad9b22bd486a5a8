"""Notifications are recorded once, sent once to each channel, listed, and read."""

from datetime import timedelta

import pytest

from core.messages import message
from core.notifications import IN_APP, DeliveryState, NewNotification, NotificationKind
from store import NotificationNotFound, Store
from tests.store.builders import FakeClock

PHONE, MAIL = "1 (ntfy)", "2 (mailto)"
DOWN = message("the service returned HTTP status {status}", status="503")


def a_notification(
    key: str = "review:5", topic: str = "review", *, is_silent: bool = False
) -> NewNotification:
    return NewNotification(NotificationKind.REVIEW, topic, key, {"documents": 5}, is_silent)


async def test_each_is_recorded_once_and_claimed_once_for_each_channel(
    store: Store, clock: FakeClock
) -> None:
    channels = [PHONE, MAIL]
    first = await store.notifications.record([a_notification()], channels=channels, now=clock())
    second = await store.notifications.record(
        [a_notification(), a_notification("review:6", "second")], channels=channels, now=clock()
    )
    claimed = await store.notifications.claim_due(channels, now=clock())
    again = await store.notifications.claim_due(channels, now=clock())

    assert (first, second) == (1, 1)
    assert [
        (due.notification.topic, due.delivery.channel, due.delivery.attempts) for due in claimed
    ] == [("review", PHONE, 1), ("review", MAIL, 1), ("second", PHONE, 1), ("second", MAIL, 1)]
    assert claimed[0].notification.facts == {"documents": 5}
    assert again == ()


async def test_only_the_channels_of_the_caller_are_claimed(store: Store, clock: FakeClock) -> None:
    await store.notifications.record([a_notification()], channels=[PHONE, MAIL], now=clock())

    [claimed] = await store.notifications.claim_due([MAIL], now=clock())

    assert claimed.delivery.channel == MAIL


async def test_the_latest_of_a_topic_has_the_current_state(store: Store, clock: FakeClock) -> None:
    new = [a_notification("a"), a_notification("b"), a_notification("c", "other", is_silent=True)]
    await store.notifications.record(new, now=clock())

    latest = await store.notifications.get_latest()

    assert {topic: (last.id, last.is_silent) for topic, last in latest.items()} == {
        "review": (2, False),
        "other": (3, True),
    }


async def test_a_delivery_that_failed_waits_for_its_next_attempt(
    store: Store, clock: FakeClock
) -> None:
    await store.notifications.record([a_notification()], channels=[PHONE], now=clock())
    [claimed] = await store.notifications.claim_due([PHONE], now=clock())
    await store.notifications.postpone(
        [claimed.delivery.id], until=clock() + timedelta(minutes=5), problem=DOWN
    )

    early = await store.notifications.claim_due([PHONE], now=clock.advance(minutes=4))
    late = await store.notifications.claim_due([PHONE], now=clock.advance(minutes=1))

    assert early == ()
    assert [(due.delivery.attempts, due.delivery.problem) for due in late] == [(2, DOWN)]


async def test_what_a_process_died_sending_is_not_sent_again(
    store: Store, clock: FakeClock
) -> None:
    await store.notifications.record([a_notification()], channels=[PHONE], now=clock())
    await store.notifications.claim_due([PHONE], now=clock())

    assert await store.notifications.claim_due([PHONE], now=clock.advance(minutes=11)) == ()

    last = await store.notifications.get_last_outgoing()
    assert last is not None
    assert last.state is DeliveryState.LOST
    assert "stopped while it was sent" in str(last.problem)


async def test_a_silent_one_is_neither_sent_nor_listed_nor_unread(
    store: Store, clock: FakeClock
) -> None:
    silent = a_notification(is_silent=True)
    await store.notifications.record([silent], channels=[PHONE], now=clock())

    assert await store.notifications.claim_due([PHONE], now=clock()) == ()
    assert await store.notifications.list(limit=10) == ()
    assert await store.notifications.count_unread() == 0
    with pytest.raises(NotificationNotFound):
        await store.notifications.mark_read(1, now=clock())


async def test_the_last_delivery_to_an_address_is_returned_with_its_problem(
    store: Store, clock: FakeClock
) -> None:
    assert await store.notifications.get_last_outgoing() is None
    new = [a_notification("a"), a_notification("b")]
    await store.notifications.record(new, channels=[PHONE], now=clock())
    first, second = await store.notifications.claim_due([PHONE], now=clock())
    await store.notifications.mark_sent([first.delivery.id], now=clock.advance(minutes=1))
    await store.notifications.give_up(
        [second.delivery.id], problem=DOWN, now=clock.advance(minutes=1)
    )

    last = await store.notifications.get_last_outgoing()

    assert last is not None
    assert (last.channel, last.state, last.problem, last.settled_at) == (
        PHONE,
        DeliveryState.LOST,
        DOWN,
        clock(),
    )


async def test_old_ones_are_deleted_with_their_deliveries_unless_they_still_wait(
    store: Store, clock: FakeClock
) -> None:
    await store.notifications.record([a_notification("a")], now=clock())
    await store.notifications.record([a_notification("b", "b")], channels=[PHONE], now=clock())

    await store.notifications.record([], now=clock.advance(days=91))
    kept = await store.notifications.list(limit=10)
    await store.notifications.give_up_removed([], now=clock())
    await store.notifications.record([], now=clock())

    assert [notification.topic for notification in kept] == ["b"]
    assert await store.notifications.list(limit=10) == ()
    assert await store.notifications.get_last_outgoing() is None


async def test_they_are_listed_newest_first_with_the_state_on_each_channel(
    store: Store, clock: FakeClock
) -> None:
    for key in ("a", "b", "c"):
        await store.notifications.record([a_notification(key)], channels=[PHONE], now=clock())
    await store.notifications.mark_read(2, now=clock())

    listed = await store.notifications.list(limit=2)
    older = await store.notifications.list(limit=2, before_id=2)
    unread = await store.notifications.list(limit=10, only_unread=True)

    assert [notification.id for notification in listed] == [3, 2]
    assert [notification.id for notification in older] == [1]
    assert [notification.id for notification in unread] == [3, 1]
    assert [(delivery.channel, delivery.state) for delivery in listed[0].deliveries] == [
        (IN_APP, DeliveryState.SENT),
        (PHONE, DeliveryState.WAITING),
    ]


async def test_reading_is_remembered_with_its_first_time(store: Store, clock: FakeClock) -> None:
    new = [a_notification("a"), a_notification("b"), a_notification("c")]
    await store.notifications.record(new, now=clock())
    first = clock()
    await store.notifications.mark_read(1, now=first)
    await store.notifications.mark_read(1, now=clock.advance(minutes=1))

    marked = await store.notifications.mark_all_read(2, now=clock())
    rest = await store.notifications.count_unread()
    marked_then = await store.notifications.mark_all_read(now=clock())

    assert (marked, rest, marked_then) == (1, 1, 1)
    assert (await store.notifications.list(limit=3))[-1].read_at == first
    with pytest.raises(NotificationNotFound):
        await store.notifications.mark_read(4, now=clock())


async def test_new_and_read_notifications_are_a_change_for_live_pages(
    store: Store, clock: FakeClock
) -> None:
    signal = store.new_change_signal()
    await signal.has_changed()

    await store.notifications.record([a_notification()], now=clock())
    recorded = await signal.has_changed()
    await store.notifications.mark_all_read(now=clock())

    assert (recorded, await signal.has_changed(), await signal.has_changed()) == (
        True,
        True,
        False,
    )
