"""Processes that share the work, and whether they are alive."""

from dataclasses import dataclass
from datetime import datetime, timedelta

SILENT = timedelta(minutes=2)
"""A process that has shown no life for so long is dead."""
PART_SILENT = timedelta(minutes=5)
"""Scheduler and processor show life at least every minute; after so long something is wrong."""
WEB_SILENT = timedelta(minutes=2)
"""A short flood of requests is no reason to restart; a dashboard that stays away is."""


@dataclass(frozen=True, slots=True)
class LifeSigns:
    """When the parts of a process last showed life; None for a part that it does not have."""

    processor_at: datetime | None = None
    scheduler_at: datetime | None = None
    web_at: datetime | None = None
    """When `/health` last answered, as the process itself asks it."""

    def silent(self, *, now: datetime) -> tuple[str, ...]:
        """Name the parts that have been silent for too long."""
        parts = (
            ("processor", self.processor_at, PART_SILENT),
            ("scheduler", self.scheduler_at, PART_SILENT),
            ("dashboard", self.web_at, WEB_SILENT),
        )
        return tuple(name for name, at, longest in parts if at is not None and now - at > longest)


NO_SIGNS = LifeSigns()


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
    signs: LifeSigns = NO_SIGNS
