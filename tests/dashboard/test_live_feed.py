"""The one reader behind all streams."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack
from datetime import timedelta

import pytest

from core.documents import DocumentRef
from core.jobs import CallProgress, Event, EventName, JobEvent, NewJob, Stage
from core.notifications import NewNotification, NotificationKind
from dashboard.live import (
    FEW,
    MAX_STREAMS,
    MAX_STREAMS_PER_SESSION,
    MAX_WAITING,
    Listener,
    LiveEvent,
    LiveFeed,
    Subscription,
    Topic,
    build_beat,
    build_hold_event,
    build_job_event,
    build_notification_event,
    build_reset,
)
from store import Store
from tests.store.builders import NOON
from tests.waiting import LONG

A_MOMENT = timedelta(milliseconds=1)


def an_event(name: EventName = EventName.COMPLETED, id_: int = 7) -> LiveEvent:
    event = Event(id_, 1, name, NOON, None, {})
    return build_job_event(JobEvent(event, DocumentRef("home", 1), "analyze"))


async def test_a_slow_listener_is_let_go_and_keeps_nothing() -> None:
    listener = Listener()

    for id_ in range(MAX_WAITING + 1):
        listener.send([an_event(id_=id_ + 1)])

    assert [*await listener.next(), *await listener.next()] == []


async def test_what_came_together_is_heard_together() -> None:
    listener = Listener()
    listener.send([an_event(id_=1), an_event(id_=2)])
    listener.send([an_event(id_=3)])

    assert await listener.next() == [an_event(id_=1), an_event(id_=2), an_event(id_=3)]


@pytest.mark.parametrize(
    ("event", "topics", "instances", "wanted"),
    [
        (an_event(), None, None, True),
        (an_event(), {Topic.JOBS}, None, True),
        (an_event(), {Topic.PROGRESS}, None, False),
        (an_event(EventName.PROGRESSED), {Topic.PROGRESS}, None, True),
        (an_event(EventName.CHANGES_SETTLED), {Topic.CHANGES}, {"home"}, True),
        (an_event(), None, {"attic"}, False),
        (an_event(), None, set(), False),
        (build_hold_event(set(), set()), None, {"attic"}, True),
        (build_notification_event(1), None, None, True),
        (build_notification_event(1), None, {"home"}, False),
        (build_reset(7), {Topic.PROGRESS}, {"attic"}, True),
        (build_beat(A_MOMENT), None, None, False),
        (build_beat(A_MOMENT), {Topic.BEAT}, {"attic"}, True),
    ],
)
def test_news_are_for_those_who_asked_and_may_see(
    event: LiveEvent, topics: set[Topic] | None, instances: set[str] | None, *, wanted: bool
) -> None:
    assert event.matches(topics, instances) is wanted


async def _but_beats(subscription: AsyncIterator[Sequence[LiveEvent]]) -> AsyncIterator[LiveEvent]:
    """Leave out the beats: on a busy machine some come before what is waited for, or with it."""
    async for some in subscription:
        for event in some:
            if event.topic is not Topic.BEAT:
                yield event


async def test_the_reader_works_only_while_somebody_listens(dashboard_store: Store) -> None:
    feed = LiveFeed(dashboard_store, stopping=asyncio.Event(), every=A_MOMENT)
    at_rest = asyncio.all_tasks()

    for number in (1, 2):
        async with feed.subscribe(None) as subscription:
            await dashboard_store.jobs.enqueue(NewJob(DocumentRef("home", number)), now=NOON)
            event = await anext(_but_beats(subscription))
            assert f"id: {number}\n".encode() in event.payload
            assert asyncio.all_tasks() > at_rest

        assert asyncio.all_tasks() == at_rest


async def test_new_and_read_notifications_reach_the_listeners(dashboard_store: Store) -> None:
    feed = LiveFeed(dashboard_store, stopping=asyncio.Event(), every=A_MOMENT)
    new = NewNotification(NotificationKind.REVIEW, "review", "review:5", {"documents": 5})

    async with feed.subscribe(None) as subscription, asyncio.timeout(LONG):
        events = _but_beats(subscription)
        await dashboard_store.notifications.record([new], now=NOON)
        came = await anext(events)
        await dashboard_store.notifications.mark_all_read(now=NOON)
        was_read = await anext(events)

    assert [came.topic, was_read.topic] == [Topic.NOTIFICATIONS] * 2
    assert b'{"unread": 1}' in came.payload
    assert b'{"unread": 0}' in was_read.payload


async def test_nothing_is_sent_any_more_when_the_daemon_stops(dashboard_store: Store) -> None:
    stopping = asyncio.Event()
    stopping.set()
    feed = LiveFeed(dashboard_store, stopping=stopping, every=A_MOMENT)

    async with feed.subscribe(0) as subscription:
        assert [event async for event in subscription] == []


async def test_the_reader_tells_now_and_then_that_it_lives(dashboard_store: Store) -> None:
    feed = LiveFeed(dashboard_store, stopping=asyncio.Event(), every=A_MOMENT)

    async with feed.subscribe(None) as subscription, asyncio.timeout(LONG):
        assert [event.topic for event in await anext(subscription)] == [Topic.BEAT]


@pytest.mark.parametrize(
    ("listeners", "pages", "seconds"),
    [(1, 1, 1), (FEW, 1, 1), (1, FEW, 1), (FEW + 1, 1, 2.5), (2, 3, 3), (20, 1, 10)],
)
async def test_a_few_pages_look_as_soon_as_they_may_and_many_share_their_looks(
    dashboard_store: Store, listeners: int, pages: int, seconds: float
) -> None:
    feed = LiveFeed(dashboard_store, stopping=asyncio.Event(), every=A_MOMENT)

    async with AsyncExitStack() as people:
        for _ in range(listeners):
            await people.enter_async_context(feed.subscribe(None, pages=pages))

        assert feed.page_interval == timedelta(seconds=seconds)
    async with feed.subscribe(None):
        assert feed.page_interval == timedelta(seconds=1)


async def test_the_number_of_viewers_is_reported_when_it_grows(dashboard_store: Store) -> None:
    feed = LiveFeed(dashboard_store, stopping=asyncio.Event(), every=A_MOMENT)

    async with (
        feed.subscribe(None) as subscription,
        asyncio.timeout(LONG),
        feed.subscribe(None, pages=9),
    ):
        while (await anext(subscription))[0].payload != build_beat(timedelta(seconds=5)).payload:
            pass
        assert feed.page_interval == timedelta(seconds=5)


def test_who_wants_no_beat_hears_that_the_stream_lives() -> None:
    subscription = Subscription({Topic.JOBS}, None)

    assert (
        subscription.encode([build_beat(A_MOMENT), an_event()])
        == b": beat\n\n" + an_event().payload
    )


async def test_who_opens_too_many_streams_loses_the_oldest_of_them_and_nobody_else_does(
    dashboard_store: Store,
) -> None:
    feed = LiveFeed(dashboard_store, stopping=asyncio.Event(), every=A_MOMENT)

    async with AsyncExitStack() as streams, asyncio.timeout(30):
        other = await streams.enter_async_context(feed.subscribe(None, owner="other"))
        oldest, second, *_ = [
            await streams.enter_async_context(feed.subscribe(None, owner="greedy"))
            for _ in range(MAX_STREAMS_PER_SESSION + 1)
        ]

        assert [event async for event in oldest] == []
        for stream in (other, second):
            assert await anext(stream)


async def test_streams_of_all_together_leave_room_for_other_requests(
    dashboard_store: Store,
) -> None:
    feed = LiveFeed(dashboard_store, stopping=asyncio.Event(), every=A_MOMENT)

    async with AsyncExitStack() as streams, asyncio.timeout(30):
        oldest, second, *_ = [
            await streams.enter_async_context(feed.subscribe(None, owner=f"owner {number}"))
            for number in range(MAX_STREAMS + 1)
        ]

        assert [event async for event in oldest] == []
        assert await anext(second)


async def test_the_progress_of_a_model_call_is_sent_although_it_is_no_event(
    dashboard_store: Store,
) -> None:
    feed = LiveFeed(dashboard_store, stopping=asyncio.Event(), every=A_MOMENT)
    await dashboard_store.jobs.enqueue(NewJob(DocumentRef("home", 7)), now=NOON)
    job = await dashboard_store.jobs.claim(worker="w", now=NOON)
    assert job is not None
    await dashboard_store.jobs.record_progress(job, Stage.ANALYZE, 20, now=NOON)

    async with feed.subscribe(None) as events, asyncio.timeout(LONG):
        call = CallProgress(NOON, tokens=12, is_thinking=True)
        await dashboard_store.jobs.record_model_call(job, call, 33, now=NOON)
        event = await anext(_but_beats(events))

    assert (event.topic, event.instance) == (Topic.PROGRESS, "home")
    assert b'"percent": 33, "tokens": 12, "thinking": true' in event.payload
    assert b"\nid:" not in event.payload
