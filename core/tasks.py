"""Do something, but not longer than until the stop."""

import asyncio
from collections.abc import Coroutine
from typing import TypeVar

T = TypeVar("T")


async def cancel_and_wait(task: "asyncio.Future[T]") -> Exception | None:
    """Cancel a running task and wait for its end; return the error it ended with, if any.

    The caller must log that error: nothing else reports it.
    """
    if task.done():
        return None
    task.cancel()
    await asyncio.wait({task})
    error = None if task.cancelled() else task.exception()
    return error if isinstance(error, Exception) else None


async def run_until(stop: asyncio.Event, work: Coroutine[object, object, T]) -> T | None:
    """Do `work` to its end, or until the stop: then it is cancelled, has ended, and gives None."""
    task, stopped = asyncio.ensure_future(work), asyncio.ensure_future(stop.wait())
    try:
        await asyncio.wait({task, stopped}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for one in (task, stopped):
            if not one.done():
                one.cancel()
        await asyncio.wait({task, stopped})
    return None if task.cancelled() else task.result()
