"""Live: what happens is told to everybody who listens, as it happens."""

from dashboard.live.events import News, Topic
from dashboard.live.feed import Feed, Listening

__all__ = ["Feed", "Listening", "News", "Topic"]
