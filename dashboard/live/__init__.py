"""Live: what happens is told to everybody who listens, as it happens."""

from dashboard.live.feed import Feed
from dashboard.live.news import News, Topic

__all__ = ["Feed", "News", "Topic"]
