"""Processes that work on the queue, and their heartbeats."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from core.jobs import Job

WORKER_TIMEOUT = timedelta(minutes=2)
"""A process without a heartbeat for this long is dead."""
PART_TIMEOUT = timedelta(minutes=5)
"""The scheduler and the processor report at least every minute; after this long they hang."""
WEB_TIMEOUT = timedelta(minutes=2)
"""Long enough that a short flood of requests does not cause a restart."""
SCANNER = "scanner"
"""Name of the lease of the one daemon that scans."""
ONLY_PROCESSES = "worker"
"""Role of a process that processes jobs and never scans."""


@dataclass(frozen=True, slots=True)
class Heartbeats:
    """When each part of a process last reported; None for a part that it does not have."""

    processor_at: datetime | None = None
    scheduler_at: datetime | None = None
    web_at: datetime | None = None
    """When `/health` last responded to the process's own request."""

    def silent_parts(self, *, now: datetime) -> tuple[str, ...]:
        """Return the parts that have not reported for too long."""
        parts = (
            ("processor", self.processor_at, PART_TIMEOUT),
            ("scheduler", self.scheduler_at, PART_TIMEOUT),
            ("dashboard", self.web_at, WEB_TIMEOUT),
        )
        return tuple(name for name, at, longest in parts if at is not None and now - at > longest)


NO_HEARTBEATS = Heartbeats()


@dataclass(frozen=True, slots=True)
class Worker:
    """One process as it registered itself."""

    name: str
    pid: int
    host: str
    role: str
    """What it does, such as daemon or worker."""
    started_at: datetime
    beat_at: datetime
    """Time of its last heartbeat."""
    signs: Heartbeats = NO_HEARTBEATS
    settings: str | None = None
    """The fingerprint of its settings; None if it did not store one."""


@dataclass(frozen=True, slots=True)
class WorkerStatus:
    """A process, and what it is doing."""

    worker: Worker
    jobs: tuple[Job, ...]
    """The jobs that it is processing, oldest first."""
    scans: bool
    """Whether it is the one that scans, if several daemons share a database."""

    def is_silent(self, *, now: datetime) -> bool:
        """Return whether it has sent no heartbeat for too long, or one of its parts hangs."""
        beat = self.worker.beat_at
        return now - beat > WORKER_TIMEOUT or bool(self.worker.signs.silent_parts(now=now))
