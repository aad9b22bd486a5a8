"""Live events by topic, and how they are encoded for a listener."""

import json
from collections.abc import Collection, Iterable, Sequence, Set
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum

from fastapi.sse import format_sse_event

from core.holds import Hold
from core.jobs import EventName, Job, JobEvent
from core.scans import Scan


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
