"""Tell whether a daemon lives on this data."""

from datetime import timedelta

from core.workers import Worker
from daemon.memory import Memory

DAEMON = "daemon"
"""Role of a process that works by itself."""
SILENT = timedelta(minutes=2)
"""A process that has shown no life for so long is dead."""


async def running_daemon(memory: Memory) -> Worker | None:
    """Return the daemon that works on this data; None if there is none."""
    alive = await memory.store.workers.alive(since=memory.clock() - SILENT)
    return next((worker for worker in alive if worker.role == DAEMON), None)
