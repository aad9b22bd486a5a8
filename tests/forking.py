"""Fork processes from one with all imports done, which take a daemon two seconds."""

import multiprocessing
import os
from collections.abc import Callable
from multiprocessing import forkserver
from multiprocessing.context import ForkServerProcess

_COVERAGE = "COVERAGE_PROCESS_CONFIG"
_CONTEXT = multiprocessing.get_context("forkserver")
# One list for all: there is one server for each process of pytest, and the last list set wins.
_CONTEXT.set_forkserver_preload(["__main__", "tests.preloaded"])


def start_forked(target: Callable[..., object], *args: object) -> ForkServerProcess:
    """Start a process that runs `target` and is killed when this process ends."""
    _start_server()
    process = _CONTEXT.Process(target=target, args=args, daemon=True)
    process.start()
    return process


def _start_server() -> None:
    """Start the server unless it runs, without coverage.

    A forked process ends by `os._exit`, which drops what was measured: it would only be slower.
    """
    measuring = os.environ.pop(_COVERAGE, None)  # noqa: TID251 - a child's environment
    try:
        forkserver.ensure_running()
    finally:
        if measuring is not None:
            os.environ[_COVERAGE] = measuring  # noqa: TID251
