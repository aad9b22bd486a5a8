"""List the processes that work on the queue, and what each is doing."""

from datetime import datetime, timedelta

from core.workers import WorkerStatus
from store import Store

_SHOWN_FOR = timedelta(hours=1)
"""A process that ended without removing its entry is shown for this long."""


async def list_workers(store: Store, *, now: datetime) -> tuple[WorkerStatus, ...]:
    """List the processes that sent a heartbeat within the last hour, by name."""
    return await store.workers.list_with_jobs(since=now - _SHOWN_FOR)
