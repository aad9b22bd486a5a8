"""Live events: one reader of the event log for all listeners, and a stream of events for each."""

import asyncio
import json
from collections.abc import AsyncIterator, Collection, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import timedelta
from enum import StrEnum
from itertools import count
from typing import TypeAlias

from fastapi.sse import format_sse_event

from core.holds import Hold
from core.jobs import EventName, Job, JobEvent
from core.scans import Scan
from core.tasks import run_until
from store import Store, StoreUnavailable

_EVERY = timedelta(seconds=0.5)
_POLLS_PER_BEAT = 20
_AT_ONCE = 500
"""Events that are read with one query."""
_MIN_INTERVAL = timedelta(seconds=1)
"""With the time to read, send and render, a change is on a page within two seconds."""
FEW = 4
"""Maximum number of pages that may refresh at the shortest interval."""
_INTERVAL_PER_PAGE = timedelta(seconds=0.5)
"""More than a few pages together refresh no more often than this."""
MAX_BEHIND = 5_000
"""A listener who missed more events must reload everything."""
MAX_WAITING = 1_000
"""A listener with more unsent events is closed; it reconnects and resumes where it was."""
MAX_STREAMS_PER_SESSION = 25
"""Maximum number of streams per session or token; above it, the oldest is closed."""
MAX_STREAMS = 100
"""Maximum number of streams; leaves enough connections for everything else."""

EventStream: TypeAlias = AbstractAsyncContextManager[AsyncIterator[Sequence["LiveEvent"]]]
"""A stream of events; it is subscribed while the context lasts."""


class Topic(StrEnum):
    """What an event is about; a listener may choose topics."""

    JOBS = "jobs"
    """Every transition of a job."""
    PROGRESS = "progress"
    """A stage began, or the model call of a job went on."""
    RESULTS = "results"
    CHANGES = "changes"
    """Changes are for review, or were written or undone."""
    SCANS = "scans"
    """A requested or running scan began, progressed or ended."""
    HOLDS = "holds"
    """The holds changed."""
    NOTIFICATIONS = "notifications"
    """The number of unread notifications changed; only for listeners who may see all instances."""
    RESET = "reset"
    """Too many events were missed to send them: reload everything."""
    BEAT = "beat"
    """A heartbeat with the refresh interval of pages. It is sent only to listeners that choose it:
    first, every ten seconds, and when the number of listeners changes."""


_TOPICS = {
    EventName.PROGRESSED: Topic.PROGRESS,
    EventName.RESULT_STORED: Topic.RESULTS,
    EventName.CHANGES_RECORDED: Topic.CHANGES,
    EventName.CHANGES_SETTLED: Topic.CHANGES,
}
_COMMENTS = {Topic.BEAT: format_sse_event(comment="beat")}
"""Sent instead of an event that is not wanted, so that no proxy closes an idle stream."""


@dataclass(frozen=True, slots=True)
class HoldChanges:
    """The targets of the active holds, and of those that changed."""

    now: frozenset[str]
    changed: frozenset[str]

    def encode_for(self, targets: Collection[str]) -> bytes:
        """Encode the event for a listener who may see only these targets; b"" if none changed."""
        if self.changed.isdisjoint(targets):
            return b""
        return _format_event(Topic.HOLDS, {"count": len(self.now.intersection(targets))})


@dataclass(frozen=True, slots=True)
class LiveEvent:
    """An event, encoded once for all listeners."""

    topic: Topic
    instance: str | None
    """None: it concerns no single instance."""
    payload: bytes
    hold_changes: HoldChanges | None = None
    """For listeners who may not see all holds."""

    def matches(self, topics: Collection[Topic] | None, instances: Collection[str] | None) -> bool:
        """Return whether a listener wants it; None means all topics, or all instances."""
        if self.topic is Topic.RESET:
            return True
        if self.topic is Topic.NOTIFICATIONS and instances is not None:
            return False
        wanted = self.topic is not Topic.BEAT if topics is None else self.topic in topics
        return wanted and (instances is None or self.instance is None or self.instance in instances)


@dataclass(frozen=True, slots=True)
class Subscription:
    """What a listener wants and may see; None means all topics, instances or targets."""

    topics: Collection[Topic] | None
    instances: Collection[str] | None
    targets: Collection[str] | None = None
    """The hold targets that concern these instances."""

    def encode(self, events: Sequence[LiveEvent]) -> bytes:
        """Encode the events for this listener; a beat that is not wanted becomes a comment."""
        return b"".join(map(self._encode_event, events))

    def _encode_event(self, event: LiveEvent) -> bytes:
        if not event.matches(self.topics, self.instances):
            return _COMMENTS.get(event.topic, b"")
        if event.hold_changes is None or self.targets is None:
            return event.payload
        return event.hold_changes.encode_for(self.targets)


def build_job_event(followed: JobEvent) -> LiveEvent:
    """Build the event of a job; its id is where an interrupted listener resumes."""
    event, topic = followed.event, _TOPICS.get(followed.event.name, Topic.JOBS)
    data = {
        "id": event.id,
        "name": event.name,
        "job": event.job_id,
        "kind": followed.kind,
        "document": str(followed.document),
        "instance": followed.document.instance,
        "at": event.at.isoformat(),
        "status": event.status,
        "actor": event.actor,
        "trace": event.trace,
        "data": event.data,
    }
    return LiveEvent(
        topic, followed.document.instance, _format_event(topic, data, id_=str(event.id))
    )


def build_tick_event(job: Job) -> LiveEvent:
    """Build the event about the progress of a model call; it has no id and is never sent again."""
    call = job.model_call
    data = {
        "name": "model_call",
        "job": job.id,
        "kind": job.kind,
        "document": str(job.document),
        "instance": job.document.instance,
        "data": {
            "percent": job.progress,
            "tokens": call.tokens if call else 0,
            "thinking": call.is_thinking if call else False,
        },
    }
    return LiveEvent(Topic.PROGRESS, job.document.instance, _format_event(Topic.PROGRESS, data))


def build_scan_event(instance: str, scan: Scan | None) -> LiveEvent:
    """Build the event about the scan of an instance; None: no scan is running.

    It has no id: an interrupted listener loads the present state.
    """
    under_way = None if scan is None else {"scan": scan.id, "seen": scan.seen}
    data = {"instance": instance, "under_way": under_way}
    return LiveEvent(Topic.SCANS, instance, _format_event(Topic.SCANS, data))


def build_hold_event(before: Set[Hold], now: Set[Hold]) -> LiveEvent:
    """Build the event about changed holds; it counts them and does not name them."""
    changes = HoldChanges(_targets(now), _targets(before ^ now))
    return LiveEvent(Topic.HOLDS, None, _format_event(Topic.HOLDS, {"count": len(now)}), changes)


def build_notification_event(unread: int) -> LiveEvent:
    """Build the event about notifications that came or were read."""
    payload = _format_event(Topic.NOTIFICATIONS, {"unread": unread})
    return LiveEvent(Topic.NOTIFICATIONS, None, payload)


def build_reset(event_id: int) -> LiveEvent:
    """Build the event that makes listeners reload; the stream continues after this id."""
    return LiveEvent(Topic.RESET, None, _format_event(Topic.RESET, {}, id_=str(event_id)))


def build_beat(interval: timedelta) -> LiveEvent:
    """Build a heartbeat: without it, a page knows that a proxy holds the stream back.

    A page should leave `interval` between two refreshes.
    """
    data = {"apart_ms": round(interval.total_seconds() * 1000)}
    return LiveEvent(Topic.BEAT, None, _format_event(Topic.BEAT, data))


def _targets(holds: Iterable[Hold]) -> frozenset[str]:
    return frozenset(hold.target for hold in holds)


def _format_event(topic: Topic, data: object, id_: str | None = None) -> bytes:
    return format_sse_event(event=topic, data_str=json.dumps(data), id=id_)


@dataclass(frozen=True, slots=True)
class FeedSnapshot:
    """The state that leaves no events in the log: scans, holds, model calls, notifications."""

    scans: Mapping[str, Scan] = field(default_factory=dict)
    """By instance: each has at most one that is requested or running."""
    holds: frozenset[Hold] = frozenset()
    asking: Mapping[int, Job] = field(default_factory=dict)
    """The jobs that are asking the model, by id."""
    unread: int = 0
    """Number of unread notifications."""


class Listener:
    """The events still to be sent to one listener."""

    def __init__(self, pages: int = 1, owner: str = "") -> None:
        self.pages = pages
        """How many pages of the browser share the stream."""
        self.owner = owner
        """The session, token or name that the stream belongs to."""
        self._waiting: list[LiveEvent] = []
        self._is_closed = False
        self._wake = asyncio.Event()

    def send(self, events: Sequence[LiveEvent]) -> None:
        """Queue events; close the listener if too many wait."""
        if len(self._waiting) + len(events) > MAX_WAITING:
            self.close()
        if not self._is_closed:
            self._waiting += events
            self._wake.set()

    def close(self) -> None:
        """End the stream and drop the unsent events."""
        self._waiting.clear()
        self._is_closed = True
        self._wake.set()

    async def next(self) -> Sequence[LiveEvent]:
        """Wait for events and return all that are queued; none if the stream is closed."""
        await self._wake.wait()
        if not self._is_closed:
            self._wake.clear()
        events, self._waiting = self._waiting, []
        return events


class LiveFeed:
    """Reads the event log while there are listeners, and sends its events to all of them."""

    def __init__(self, store: Store, *, stopping: asyncio.Event, every: timedelta = _EVERY) -> None:
        self._store = store
        self._change_signal = store.new_change_signal()
        self._stopping = stopping
        self._every = every
        self._listeners: dict[Listener, None] = {}
        """Oldest first."""
        self._position = 0
        """Id of the last event that was sent."""
        self._snapshot = FeedSnapshot()
        self._reading: asyncio.Task[None] | None = None
        self._starting = asyncio.Lock()

    @property
    def page_interval(self) -> timedelta:
        """Return the time between two refreshes of a page; the first after a pause is immediate.

        Each refresh takes time from the queue, so many pages share a total rate.
        """
        pages = sum(listener.pages for listener in self._listeners)
        return _MIN_INTERVAL if pages <= FEW else pages * _INTERVAL_PER_PAGE

    @asynccontextmanager
    async def subscribe(
        self, after: int | None, *, pages: int = 1, owner: str = ""
    ) -> AsyncIterator[AsyncIterator[Sequence[LiveEvent]]]:
        """Yield the stream of events after an id, or from the beginning of the context on.

        Events come in batches: sending each by itself would take time from the queue.
        The stream ends when the daemon stops, when the listener is too slow, and when it is the
        oldest stream and there are too many.
        """
        listener = Listener(pages, owner)
        async with self._starting:
            if self._reading is None:
                await self._start_reading()
            # Together with the position, so that no later event is missed.
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
                await self._stop_reading()

    def _make_room(self, owner: str) -> None:
        """Close the oldest stream of an owner with too many, or of all if there are too many."""
        own = [listener for listener in self._listeners if listener.owner == owner]
        if len(own) > MAX_STREAMS_PER_SESSION:
            self._close(own[0])
        elif len(self._listeners) > MAX_STREAMS:
            self._close(next(iter(self._listeners)))

    def _close(self, listener: Listener) -> None:
        self._listeners.pop(listener)
        listener.close()

    async def _stream(
        self, listener: Listener, after: int | None, position: int
    ) -> AsyncIterator[Sequence[LiveEvent]]:
        if after is not None:
            async for missed in self._read_missed(after, position):
                yield missed
        while events := await listener.next():
            yield events

    async def _start_reading(self) -> None:
        self._position = await self._store.jobs.get_last_event_id()
        await self._change_signal.has_changed()
        await self._refresh_snapshot()
        self._reading = asyncio.create_task(self._read())

    async def _stop_reading(self) -> None:
        reading, self._reading = self._reading, None
        if reading is not None:
            reading.cancel()
            with suppress(asyncio.CancelledError):
                await reading

    async def _read_missed(self, after: int, until: int) -> AsyncIterator[Sequence[LiveEvent]]:
        """Yield the events between two ids; a reset if there are too many."""
        if not 0 <= until - after <= MAX_BEHIND:
            yield [build_reset(until)]
            return
        while after < until and not self._stopping.is_set():
            found = await self._store.jobs.list_events_with_jobs(after, limit=_AT_ONCE)
            yield [build_job_event(followed) for followed in found if followed.event.id <= until]
            after = found[-1].event.id if found else until

    async def _read(self) -> None:
        """Poll until the daemon stops; an unavailable database is waited for."""
        was_available, interval = True, self.page_interval
        for poll in count(1):
            if self._stopping.is_set():
                break
            is_available = await self._poll()
            if is_available is not was_available:
                # Pages show an outage of the database, and its end.
                self._publish([build_reset(self._position)])
            if is_available and (poll % _POLLS_PER_BEAT == 0 or interval != self.page_interval):
                interval = self.page_interval
                self._publish([build_beat(interval)])
            was_available = is_available
            await run_until(self._stopping, asyncio.sleep(self._every.total_seconds()))
        for listener in tuple(self._listeners):
            listener.close()

    async def _poll(self) -> bool:
        """Publish new events; return whether the database is available."""
        try:
            # A heartbeat with the progress of a model call is no change for other processes.
            if await self._change_signal.has_changed() or self._snapshot.asking:
                await self._publish_events()
        except StoreUnavailable:
            return False
        return True

    async def _publish_events(self) -> None:
        while found := await self._store.jobs.list_events_with_jobs(self._position, limit=_AT_ONCE):
            self._publish([build_job_event(followed) for followed in found])
            self._position = found[-1].event.id
        if events := await self._refresh_snapshot():
            self._publish(events)

    async def _refresh_snapshot(self) -> tuple[LiveEvent, ...]:
        """Load the state without events of its own; return the events about what changed in it."""
        before, holds = self._snapshot, await self._store.holds.list_active()
        scans = {scan.instance: scan for scan in await self._store.scans.list_unfinished()}
        asking = {job.id: job for job in await self._store.jobs.list_asking_model()}
        unread = await self._store.notifications.count_unread()
        self._snapshot = FeedSnapshot(scans, frozenset(holds), asking, unread)
        return tuple(_compare(before, self._snapshot))

    def _publish(self, events: Sequence[LiveEvent]) -> None:
        for listener in tuple(self._listeners):
            listener.send(events)


def _compare(before: FeedSnapshot, now: FeedSnapshot) -> Iterator[LiveEvent]:
    for instance in sorted(before.scans.keys() | now.scans.keys()):
        if before.scans.get(instance) != (scan := now.scans.get(instance)):
            yield build_scan_event(instance, scan)
    if before.holds != now.holds:
        yield build_hold_event(before.holds, now.holds)
    for job in now.asking.values():
        earlier = before.asking.get(job.id)
        if earlier is not None and earlier.model_call != job.model_call:
            yield build_tick_event(job)
    if before.unread != now.unread:
        yield build_notification_event(now.unread)
