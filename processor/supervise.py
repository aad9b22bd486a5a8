"""Watch over one attempt: show that it lives, and end it when it is to be cancelled or stopped."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import TypeVar

from processor.attempt import Attempt
from processor.patience import Patience, TookTooLong

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


@dataclass(frozen=True, slots=True)
class Watchfulness:
    """When an attempt is to end, though it has not come to its end."""

    stop: asyncio.Event
    grace: timedelta
    """How long an attempt may go on after the stop."""
    patience: Patience


async def supervise(attempt: Attempt, work: Callable[[], Awaitable[T]], watch: Watchfulness) -> T:
    """Run `work` with a heartbeat until it ends; raise Interrupted if it is to end before.

    From the first write on nothing interrupts it: each of its requests has an end of its own.
    """
    task = asyncio.ensure_future(work())
    stopped = asyncio.ensure_future(_stop_and_grace(watch))
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
                await _check_on(attempt, watch, over=stopped.done())
        return task.result()
    finally:
        await _end(stopped)
        await _end(task)


async def _check_on(attempt: Attempt, watch: Watchfulness, *, over: bool) -> None:
    beat = await attempt.store.jobs.heartbeat(attempt.job, now=attempt.now())
    if attempt.writing:
        return
    if beat.cancel_requested is not None and beat.ends_as is None:
        raise Interrupted(Ending.CANCELLED, beat.cancel_requested)
    if over:
        raise Interrupted(Ending.STOPPED, "stopped")
    stage = attempt.job.stage
    if attempt.time_in_stage() > watch.patience.with_stage(stage):
        raise TookTooLong(f"the stage {stage} took too long")
    if attempt.time_taken() > watch.patience.attempt:
        raise TookTooLong("the attempt took too long, though each of its parts came in time")


async def _stop_and_grace(watch: Watchfulness) -> None:
    await watch.stop.wait()
    await asyncio.sleep(watch.grace.total_seconds())


async def _end(task: "asyncio.Future[T]") -> None:
    """Cancel what still runs and wait for its last words; nothing is left behind."""
    if not task.done():
        task.cancel()
        await asyncio.wait({task})
        # Looked at, so that asyncio does not complain: what ended it is told by whoever did.
        _ = task.cancelled() or task.exception()
