"""Do things again and again until the stop, and survive the database's bad hours and our bugs."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import timedelta
from typing import TypeAlias

import structlog

from core.tasks import cancel_and_wait
from processor.verdict import problem_of
from store import StoreUnavailable

log = structlog.get_logger()

Step: TypeAlias = Callable[[], Awaitable[None]]

AFTER_TROUBLE = timedelta(seconds=5)
"""After so long a step that met a database that is away, or a bug, is taken again."""
_GOES_WELL = timedelta(seconds=11)
"""A step that has gone on for so long has found the database: even a lock is not awaited longer."""


class Loops:
    """Takes steps until the stop.

    All of them may meet the same outage of the database: it is told when the first of them does,
    and again when none does any more. The steps in between are lost, and nothing else: whatever
    they look at is still there later.

    An error that nobody foresaw is told once as well, for each part that meets one: it may never
    end the other parts.
    """

    def __init__(self, stop: asyncio.Event) -> None:
        self._stop = stop
        self._in_trouble: set[Step] = set()
        self._failing: dict[Step, str] = {}

    async def every(self, interval: timedelta, step: Step) -> None:
        """Take `step`, and again after each interval, until the stop."""
        while not self._stop.is_set():
            try:
                await self._take(step)
            except StoreUnavailable as error:
                self._meet(step, error)
                await wait_or_stop(min(interval, AFTER_TROUBLE), stop=self._stop)
            except Exception as error:  # noqa: BLE001 - one part's fault must not end the others
                self._stumble(step, error)
                await wait_or_stop(min(interval, AFTER_TROUBLE), stop=self._stop)
            else:
                self._overcome(step)
                await wait_or_stop(interval, stop=self._stop)

    async def _take(self, step: Step) -> None:
        """Take a step; one that takes for ever need not end to be seen to work again."""
        going = asyncio.ensure_future(step())
        try:
            await asyncio.wait({going}, timeout=_GOES_WELL.total_seconds())
            if not going.done():
                self._overcome(step)
            await going
        except asyncio.CancelledError:
            error = await cancel_and_wait(going)
            if error is not None:
                said = str(problem_of(error).message)
                log.warning("part failed while being ended", part=_name_of(step), error=said)
            raise

    def _meet(self, step: Step, error: StoreUnavailable) -> None:
        if not self._in_trouble:
            log.error("database unavailable", error=str(error), hint=error.hint)
        self._in_trouble.add(step)

    def _stumble(self, step: Step, error: Exception) -> None:
        said = str(problem_of(error).message)
        if self._failing.get(step) != said:
            log.error("part failed", part=_name_of(step), error=said)
        self._failing[step] = said

    def _overcome(self, step: Step) -> None:
        if self._failing.pop(step, None):
            log.info("part works again", part=_name_of(step))
        if step in self._in_trouble:
            self._in_trouble.remove(step)
            if not self._in_trouble:
                log.info("database available again")


def _name_of(step: Step) -> str:
    return getattr(step, "__qualname__", repr(step))


async def wait_or_stop(interval: timedelta, *, stop: asyncio.Event) -> None:
    """Wait so long, or until the stop."""
    with suppress(TimeoutError):
        await asyncio.wait_for(stop.wait(), interval.total_seconds())
