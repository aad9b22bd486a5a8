"""Repeat steps until the stop, through database outages and unexpected errors."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import timedelta
from typing import TypeAlias

import structlog

from core.tasks import cancel_and_wait
from processor.verdict import problem_of
from store import LeaseLost, StoreUnavailable

log = structlog.get_logger()

Step: TypeAlias = Callable[[], Awaitable[None]]

AFTER_TROUBLE = timedelta(seconds=5)
"""How long to wait after a database outage or an unexpected error."""
_HEALTHY_AFTER = timedelta(seconds=11)
"""A step that runs this long has reached the database: even waiting for a lock takes less."""


class Loops:
    """Repeats steps until the stop.

    A database outage is logged once when the first step fails, and once when no step fails any
    more. Skipped steps do no harm: what they would have read is still there later.

    An unexpected error is logged once for each step and never ends the others.
    """

    def __init__(self, stop: asyncio.Event) -> None:
        self._stop = stop
        self._without_database: set[Step] = set()
        self._failing: dict[Step, str] = {}

    async def every(
        self, interval: timedelta, step: Step, *, stop: asyncio.Event | None = None
    ) -> None:
        """Run `step`, and again after each interval, until the stop; ours unless given another."""
        stop = stop or self._stop
        while not stop.is_set():
            try:
                await self._run(step)
            except StoreUnavailable as error:
                self._record_outage(step, error)
                await wait_or_stop(min(interval, AFTER_TROUBLE), stop=stop)
            except LeaseLost:
                # Logged once, by whoever renews it.
                await wait_or_stop(min(interval, AFTER_TROUBLE), stop=stop)
            except Exception as error:  # noqa: BLE001 - one part's fault must not end the others
                self._record_failure(step, error)
                await wait_or_stop(min(interval, AFTER_TROUBLE), stop=stop)
            else:
                self._record_success(step)
                await wait_or_stop(interval, stop=stop)

    async def _run(self, step: Step) -> None:
        """Run a step; one that never ends counts as recovered after a while."""
        task = asyncio.ensure_future(step())
        try:
            await asyncio.wait({task}, timeout=_HEALTHY_AFTER.total_seconds())
            if not task.done():
                self._record_success(step)
            await task
        except asyncio.CancelledError:
            error = await cancel_and_wait(task)
            if error is not None:
                message = str(problem_of(error).message)
                log.warning("part failed while being ended", part=_name_of(step), error=message)
            raise

    def _record_outage(self, step: Step, error: StoreUnavailable) -> None:
        if not self._without_database:
            log.error("database unavailable", error=str(error), hint=error.hint)
        self._without_database.add(step)

    def _record_failure(self, step: Step, error: Exception) -> None:
        message = str(problem_of(error).message)
        if self._failing.get(step) != message:
            log.error("part failed", part=_name_of(step), error=message)
        self._failing[step] = message

    def _record_success(self, step: Step) -> None:
        if self._failing.pop(step, None):
            log.info("part works again", part=_name_of(step))
        if step in self._without_database:
            self._without_database.remove(step)
            if not self._without_database:
                log.info("database available again")


def _name_of(step: Step) -> str:
    return getattr(step, "__qualname__", repr(step))


async def wait_or_stop(interval: timedelta, *, stop: asyncio.Event) -> None:
    """Wait for the interval, or until the stop."""
    with suppress(TimeoutError):
        await asyncio.wait_for(stop.wait(), interval.total_seconds())
