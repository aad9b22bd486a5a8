"""Live: what happens is told to everybody who listens, as it happens."""

from dashboard.live.events import LiveEvent, Topic
from dashboard.live.feed import EventStream, LiveFeed

__all__ = ["EventStream", "LiveEvent", "LiveFeed", "Topic"]
