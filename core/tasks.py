"""Run tasks until they end or a stop event is set."""

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
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


@asynccontextmanager
async def run_beside(work: Coroutine[object, object, T]) -> "AsyncIterator[asyncio.Task[T]]":
    """Run `work` beside the block; cancel it if it is unfinished when the block ends.

    The block awaits the task that it gets. If both fail, the error of the block is raised.
    """
    task = asyncio.create_task(work)
    try:
        yield task
    finally:
        task.cancel()
        await asyncio.wait({task})
        if not task.cancelled():
            # Retrieve the error, so that asyncio does not log it as never retrieved.
            task.exception()


async def run_until(stop: asyncio.Event, work: Coroutine[object, object, T]) -> T | None:
    """Return the result of `work`; None if the stop came first and it was cancelled."""
    task, stopped = asyncio.ensure_future(work), asyncio.ensure_future(stop.wait())
    try:
        await asyncio.wait({task, stopped}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for pending in (task, stopped):
            if not pending.done():
                pending.cancel()
        await asyncio.wait({task, stopped})
    return None if task.cancelled() else task.result()
