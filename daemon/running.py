"""Tell whether a daemon lives on this data."""

import os
import socket
from collections.abc import Sequence

from core.workers import WORKER_TIMEOUT, Worker
from daemon.context import Context

DAEMON = "daemon"
"""Role of a process that works by itself."""


async def find_daemon(memory: Context) -> Worker | None:
    """Return the daemon that works on this data; None if there is none."""
    return next(iter(await _daemons(memory)), None)


async def find_local_daemon(memory: Context) -> Worker | None:
    """Return the daemon of this data folder, or, if the database is shared, of this machine.

    To know that one lives elsewhere would not tell whether the one in this container does.
    """
    here, shared = socket.gethostname(), memory.store.shared
    alive = await _daemons(memory)
    return next((one for one in alive if one.host == here or not shared), None)


async def _daemons(memory: Context) -> Sequence[Worker]:
    alive = await memory.store.workers.list_alive(since=memory.clock() - WORKER_TIMEOUT)
    return [one for one in alive if one.role == DAEMON and not _is_known_dead(one)]


def _is_known_dead(worker: Worker) -> bool:
    """Tell whether a process of this very machine is gone; it may not have said goodbye."""
    if worker.host != socket.gethostname():
        return False
    try:
        os.kill(worker.pid, 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        # It lives, and belongs to someone else.
        return False
    return False
