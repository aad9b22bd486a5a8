"""Processes that share the work, and whether they are alive."""

from dataclasses import dataclass
from datetime import datetime, timedelta

SILENT = timedelta(minutes=2)
"""A process that has shown no life for so long is dead."""


@dataclass(frozen=True, slots=True)
class Worker:
    """One process, as it tells of itself."""

    name: str
    pid: int
    host: str
    role: str
    """What it does, such as daemon or worker."""
    started_at: datetime
    beat_at: datetime
    """When it was heard of last."""
