"""One reader of the event log for all who listen, however many they are."""

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from datetime import timedelta
from itertools import count
from typing import TypeAlias

from core.tasks import run_until
from dashboard.live.events import (
    FeedSnapshot,
    LiveEvent,
    build_beat,
    build_hold_event,
    build_job_event,
    build_reset,
    build_scan_event,
)
from store import Store, StoreUnavailable

_EVERY = timedelta(seconds=0.5)
_LOOKS_A_BEAT = 20
_AT_ONCE = 500
"""Events that are read with one question."""
_SOONEST = timedelta(seconds=1)
"""So a move is on a page within two seconds, with what it takes to be read, told and shown."""
FEW = 4
"""So many pages may each look as soon as that."""
_A_LOOK = timedelta(seconds=0.5)
"""More than a few look no more often than this, all of them together."""
MOST_BEHIND = 5_000
"""Who missed more is told to load everything anew."""
MOST_WAITING = 1_000
"""Who is so slow that more wait for him is let go; he comes back and goes on where he was."""
MOST_OF_ONE = 25
"""Maximum number of streams per session or token; above it, the oldest is closed."""
MOST_IN_ALL = 100
"""Maximum number of streams; leaves enough connections for everything else."""

EventStream: TypeAlias = AbstractAsyncContextManager[AsyncIterator[Sequence[LiveEvent]]]
"""While it lasts, what happens is heard."""


class Listener:
    """What is still to be sent to one who listens."""

    def __init__(self, pages: int = 1, owner: str = "") -> None:
        self.pages = pages
        """How many look because of what is told."""
        self.owner = owner
        """The session, token or name that the stream belongs to."""
        self._waiting: list[LiveEvent] = []
        self._is_over = False
        self._called = asyncio.Event()

    def send(self, news: Sequence[LiveEvent]) -> None:
        if len(self._waiting) + len(news) > MOST_WAITING:
            self.close()
        if not self._is_over:
            self._waiting += news
            self._called.set()

    def close(self) -> None:
        """Let the listener go, and forget what he has not heard yet."""
        self._waiting.clear()
        self._is_over = True
        self._called.set()

    async def next(self) -> Sequence[LiveEvent]:
        """Wait for news, and give all there are; none: it is over."""
        await self._called.wait()
        if not self._is_over:
            self._called.clear()
        told, self._waiting = self._waiting, []
        return told


class LiveFeed:
    """Reads the log while somebody listens, and tells everybody what it says."""

    def __init__(self, store: Store, *, stopping: asyncio.Event, every: timedelta = _EVERY) -> None:
        self._store = store
        self._watch = store.new_change_signal()
        self._stopping = stopping
        self._every = every
        self._listeners: dict[Listener, None] = {}
        """Oldest first."""
        self._position = 0
        """The last event that was told."""
        self._standing = FeedSnapshot()
        self._reading: asyncio.Task[None] | None = None
        self._beginning = asyncio.Lock()

    @property
    def page_interval(self) -> timedelta:
        """How much time to leave between two looks at a page; the first after a rest is free.

        Each look takes from the time of the queue, so it is shared by all pages if they are many.
        """
        pages = sum(listener.pages for listener in self._listeners)
        return _SOONEST if pages <= FEW else pages * _A_LOOK

    @asynccontextmanager
    async def subscribe(
        self, after: int | None, *, pages: int = 1, owner: str = ""
    ) -> AsyncIterator[AsyncIterator[Sequence[LiveEvent]]]:
        """Give what happens after an event, or from the beginning of the context on.

        It comes by the handful: to send each by itself would take from the time of the queue.
        It ends when the daemon stops, when the listener is too slow, and when it is the oldest
        stream and there are too many.
        """
        listener = Listener(pages, owner)
        async with self._beginning:
            if self._reading is None:
                await self._begin()
            # In one go with the position: what comes later goes to the listener, and no less.
            self._listeners[listener] = None
            self._make_room(owner)
            position = self._position
        if self._stopping.is_set():
            listener.close()
        try:
            yield self._stream(listener, after, position)
        finally:
            self._listeners.pop(listener, None)
            if not self._listeners:
                await self._end()

    def _make_room(self, owner: str) -> None:
        """Close the oldest stream of an owner with too many, or of all if there are too many."""
        own = [listener for listener in self._listeners if listener.owner == owner]
        if len(own) > MOST_OF_ONE:
            self._let_go(own[0])
        elif len(self._listeners) > MOST_IN_ALL:
            self._let_go(next(iter(self._listeners)))

    def _let_go(self, listener: Listener) -> None:
        self._listeners.pop(listener)
        listener.close()

    async def _stream(
        self, listener: Listener, after: int | None, position: int
    ) -> AsyncIterator[Sequence[LiveEvent]]:
        if after is not None:
            async for missed in self._missed(after, position):
                yield missed
        while told := await listener.next():
            yield told

    async def _begin(self) -> None:
        self._position = await self._store.jobs.get_last_event_id()
        await self._watch.has_changed()
        await self._refresh_snapshot()
        self._reading = asyncio.create_task(self._read())

    async def _end(self) -> None:
        reading, self._reading = self._reading, None
        if reading is not None:
            reading.cancel()
            with suppress(asyncio.CancelledError):
                await reading

    async def _missed(self, after: int, until: int) -> AsyncIterator[Sequence[LiveEvent]]:
        """Yield what happened between two events, or say that it is too much."""
        if not 0 <= until - after <= MOST_BEHIND:
            yield [build_reset(until)]
            return
        while after < until and not self._stopping.is_set():
            found = await self._store.jobs.list_events_with_jobs(after, limit=_AT_ONCE)
            yield [build_job_event(one) for one in found if one.event.id <= until]
            after = found[-1].event.id if found else until

    async def _read(self) -> None:
        """Look again and again, until the daemon stops; a database that is away is waited for."""
        was_there, apart = True, self.page_interval
        for look in count(1):
            if self._stopping.is_set():
                break
            is_there = await self._poll()
            if is_there is not was_there:
                # How things stand cannot be told any more, or can again: everybody asks anew.
                self._publish([build_reset(self._position)])
            if is_there and (look % _LOOKS_A_BEAT == 0 or apart != self.page_interval):
                apart = self.page_interval
                self._publish([build_beat(apart)])
            was_there = is_there
            await run_until(self._stopping, asyncio.sleep(self._every.total_seconds()))
        for listener in tuple(self._listeners):
            listener.close()

    async def _poll(self) -> bool:
        """Tell what is new; return whether the database is there."""
        try:
            if await self._watch.has_changed():
                await self._publish_events()
        except StoreUnavailable:
            return False
        return True

    async def _publish_events(self) -> None:
        while found := await self._store.jobs.list_events_with_jobs(self._position, limit=_AT_ONCE):
            self._publish([build_job_event(one) for one in found])
            self._position = found[-1].event.id
        if news := await self._refresh_snapshot():
            self._publish(news)

    async def _refresh_snapshot(self) -> tuple[LiveEvent, ...]:
        before, holds = self._standing, await self._store.holds.list_active()
        scans = {scan.instance: scan for scan in await self._store.scans.list_unfinished()}
        self._standing = FeedSnapshot(scans, frozenset(holds))
        return tuple(_differences(before, self._standing))

    def _publish(self, news: Sequence[LiveEvent]) -> None:
        for listener in tuple(self._listeners):
            listener.send(news)


def _differences(before: FeedSnapshot, now: FeedSnapshot) -> Iterator[LiveEvent]:
    for instance in sorted(before.scans.keys() | now.scans.keys()):
        if before.scans.get(instance) != (scan := now.scans.get(instance)):
            yield build_scan_event(instance, scan)
    if before.holds != now.holds:
        yield build_hold_event(before.holds, now.holds)
