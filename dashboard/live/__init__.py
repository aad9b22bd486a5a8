"""Live events: one reader of the event log, and a stream for each listener."""

from dashboard.live.events import LiveEvent, Topic
from dashboard.live.feed import EventStream, LiveFeed

__all__ = ["EventStream", "LiveEvent", "LiveFeed", "Topic"]
