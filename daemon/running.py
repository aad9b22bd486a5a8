"""Find the daemon that is running on this data folder or database."""

import os
import socket
from collections.abc import Sequence

from core.workers import WORKER_TIMEOUT, Worker
from daemon.context import Context

DAEMON = "daemon"
"""Role of a daemon among the workers."""


async def find_daemon(context: Context) -> Worker | None:
    """Return the running daemon; None if there is none."""
    return next(iter(await _list_daemons(context)), None)


async def find_local_daemon(context: Context) -> Worker | None:
    """Return the daemon of this data folder, or, if the database is shared, of this machine.

    A daemon on another machine does not prove that the one in this container is alive.
    """
    here, shared = socket.gethostname(), context.store.shared
    alive = await _list_daemons(context)
    return next((daemon for daemon in alive if daemon.host == here or not shared), None)


async def _list_daemons(context: Context) -> Sequence[Worker]:
    alive = await context.store.workers.list_alive(since=context.clock() - WORKER_TIMEOUT)
    return [worker for worker in alive if worker.role == DAEMON and not _is_known_dead(worker)]


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
