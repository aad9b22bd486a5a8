"""Live: what happens is told to everybody who listens, as it happens."""

from dashboard.live.feed import Feed, Listening
from dashboard.live.news import News, Topic

__all__ = ["Feed", "Listening", "News", "Topic"]
