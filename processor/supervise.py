"""Watch over one attempt: show that it lives, and end it when it is to be cancelled or stopped."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from enum import StrEnum
from typing import TypeVar

from processor.attempt import Attempt

T = TypeVar("T")

_BEAT = timedelta(seconds=1)
"""How often an attempt shows that it lives and looks whether someone wants it cancelled."""


class Ending(StrEnum):
    """Why an attempt was ended from outside; to its task both are the same exception."""

    CANCELLED = "cancelled"
    STOPPED = "stopped"


class Interrupted(Exception):
    """The attempt was ended from outside."""

    def __init__(self, ending: Ending, why: str) -> None:
        super().__init__(why)
        self.ending = ending


async def supervise(
    attempt: Attempt, work: Callable[[], Awaitable[T]], *, stop: asyncio.Event
) -> T:
    """Run `work` with a heartbeat until it ends; raise Interrupted if it is to end before.

    From the first write on neither a cancel nor a stop interrupts it.
    """
    task, stopped = asyncio.ensure_future(work()), asyncio.ensure_future(stop.wait())
    try:
        while not task.done():
            # A stop that is already known must not wake us again at once.
            waited_for = {task} if stopped.done() else {task, stopped}
            await asyncio.wait(
                waited_for,
                timeout=_BEAT.total_seconds(),
                return_when=asyncio.FIRST_COMPLETED,
            )
            if not task.done():
                await _check_on(attempt, stop)
        return task.result()
    finally:
        stopped.cancel()
        await _end(task)


async def _check_on(attempt: Attempt, stop: asyncio.Event) -> None:
    beat = await attempt.store.jobs.heartbeat(attempt.job, now=attempt.now())
    if attempt.writing:
        return
    if beat.cancel_requested is not None:
        raise Interrupted(Ending.CANCELLED, beat.cancel_requested)
    if stop.is_set():
        raise Interrupted(Ending.STOPPED, "stopped")


async def _end(task: "asyncio.Future[T]") -> None:
    """Cancel what still runs and wait for its last words; nothing is left behind."""
    if not task.done():
        task.cancel()
        await asyncio.wait({task})
