"""How things stand that leave no events: scans under way, and what rests."""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from datetime import timedelta
from enum import StrEnum

from fastapi.sse import format_sse_event

from core.holds import Hold
from core.jobs import EventName, JobEvent
from core.scans import Scan


@dataclass(frozen=True, slots=True)
class FeedSnapshot:
    """What was seen last."""

    scans: Mapping[str, Scan] = field(default_factory=dict)
    """By instance: one of each at most is asked for or under way."""
    holds: frozenset[Hold] = frozenset()


class Topic(StrEnum):
    """What news are about; a listener may ask for some."""

    JOBS = "jobs"
    """Every move of a job."""
    PROGRESS = "progress"
    RESULTS = "results"
    CHANGES = "changes"
    """Something waits for review, or was written or taken back."""
    SCANS = "scans"
    """The scans that are asked for or under way are others, or have got further."""
    HOLDS = "holds"
    """What rests is something else."""
    RESET = "reset"
    """Too much was missed to be told: load everything anew."""
    BEAT = "beat"
    """The stream lives, and how often to look: told to who asks for it at the beginning, every ten
    seconds, and when more or fewer listen."""


_TOPICS = {
    EventName.PROGRESSED: Topic.PROGRESS,
    EventName.RESULT_STORED: Topic.RESULTS,
    EventName.CHANGES_RECORDED: Topic.CHANGES,
    EventName.CHANGES_SETTLED: Topic.CHANGES,
}
_QUIET = {Topic.BEAT: format_sse_event(comment="beat")}
"""So that no proxy takes a stream for dead on which nothing happens."""


@dataclass(frozen=True, slots=True)
class HoldChanges:
    """What rests, and what of it is different from before, each by its target."""

    now: frozenset[str]
    changed: frozenset[str]

    def encode_for(self, targets: Collection[str]) -> bytes:
        """Return what is sent to who may see only these; of the others not even the number."""
        if self.changed.isdisjoint(targets):
            return b""
        return _format_event(Topic.HOLDS, {"count": len(self.now.intersection(targets))})


@dataclass(frozen=True, slots=True)
class LiveEvent:
    """What is sent, and who wants it."""

    topic: Topic
    instance: str | None
    """None: about no single one."""
    payload: bytes
    """Made once, however many listen."""
    hold_changes: HoldChanges | None = None
    """For those who may not hear of all that rests."""

    def matches(self, topics: Collection[Topic] | None, instances: Collection[str] | None) -> bool:
        """Tell whether it is for a listener; None means all topics, or all instances."""
        if self.topic is Topic.RESET:
            return True
        wanted = self.topic is not Topic.BEAT if topics is None else self.topic in topics
        return wanted and (instances is None or self.instance is None or self.instance in instances)


@dataclass(frozen=True, slots=True)
class Subscription:
    """What a listener wants to hear, and may; None means all topics, instances, or targets."""

    topics: Collection[Topic] | None
    instances: Collection[str] | None
    targets: Collection[str] | None = None
    """What may rest that has to do with these instances."""

    def encode(self, news: Sequence[LiveEvent]) -> bytes:
        """Return what is sent of some news; who wants no beat hears that the stream lives."""
        return b"".join(map(self._encode_event, news))

    def _encode_event(self, news: LiveEvent) -> bytes:
        if not news.matches(self.topics, self.instances):
            return _QUIET.get(news.topic, b"")
        if news.hold_changes is None or self.targets is None:
            return news.payload
        return news.hold_changes.encode_for(self.targets)


def build_job_event(followed: JobEvent) -> LiveEvent:
    """Tell of an event; its number is where a listener goes on that was cut off."""
    event, topic = followed.event, _TOPICS.get(followed.event.name, Topic.JOBS)
    told = {
        "id": event.id,
        "name": event.name,
        "job": event.job_id,
        "kind": followed.kind,
        "document": str(followed.document),
        "instance": followed.document.instance,
        "at": event.at.isoformat(),
        "data": event.data,
    }
    return LiveEvent(
        topic, followed.document.instance, _format_event(topic, told, id_=str(event.id))
    )


def build_scan_event(instance: str, scan: Scan | None) -> LiveEvent:
    """Tell how the scan of an instance stands; None: it is over.

    It has no number: who was cut off asks how things stand.
    """
    under_way = None if scan is None else {"scan": scan.id, "seen": scan.seen}
    told = {"instance": instance, "under_way": under_way}
    return LiveEvent(Topic.SCANS, instance, _format_event(Topic.SCANS, told))


def build_hold_event(before: Set[Hold], now: Set[Hold]) -> LiveEvent:
    """Tell that what rests is something else; what it is, is not for all ears."""
    rests = HoldChanges(_targets(now), _targets(before ^ now))
    return LiveEvent(Topic.HOLDS, None, _format_event(Topic.HOLDS, {"count": len(now)}), rests)


def _targets(holds: Iterable[Hold]) -> frozenset[str]:
    return frozenset(hold.target for hold in holds)


def build_reset(event_id: int) -> LiveEvent:
    """Tell that too much was missed; what follows comes after this event."""
    return LiveEvent(Topic.RESET, None, _format_event(Topic.RESET, {}, id_=str(event_id)))


def build_beat(apart: timedelta) -> LiveEvent:
    """Tell that the stream lives: a proxy that keeps it back is known by its silence.

    Who looks at a page because of what is told should leave so much time between two looks.
    """
    told = {"apart_ms": round(apart.total_seconds() * 1000)}
    return LiveEvent(Topic.BEAT, None, _format_event(Topic.BEAT, told))


def _format_event(topic: Topic, told: object, id_: str | None = None) -> bytes:
    return format_sse_event(event=topic, data_str=json.dumps(told), id=id_)
