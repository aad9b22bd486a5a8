"""Find the processes that are running on this data folder or database."""

import os
import socket
from collections.abc import Sequence

from core.workers import WORKER_TIMEOUT, Worker
from daemon.context import Context

DAEMON = "daemon"
"""Role of a process that scans, processes and serves the dashboard."""


async def find_daemon(context: Context) -> Worker | None:
    """Return the running daemon; None if there is none."""
    running = await list_running(context)
    return next((worker for worker in running if worker.role == DAEMON), None)


async def list_local(context: Context) -> Sequence[Worker]:
    """List the processes of this data folder, or, if the database is shared, of this machine.

    A process on another machine does not prove that the one in this container is alive.
    """
    here, shared = socket.gethostname(), context.store.shared
    running = await list_running(context)
    return [worker for worker in running if worker.host == here or not shared]


async def list_running(context: Context) -> Sequence[Worker]:
    """List the running daemons and workers, by name."""
    alive = await context.store.workers.list_alive(since=context.clock() - WORKER_TIMEOUT)
    return [worker for worker in alive if not _is_known_dead(worker)]


def _is_known_dead(worker: Worker) -> bool:
    """Return whether a process of this machine has ended without removing its entry."""
    if worker.host != socket.gethostname():
        return False
    try:
        os.kill(worker.pid, 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        # The process is alive and belongs to another user.
        return False
    return False
