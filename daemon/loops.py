"""Do something again and again until the stop, and survive the database's bad hours."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import timedelta

import structlog

from store import StoreUnavailable

log = structlog.get_logger()


async def every(
    interval: timedelta, step: Callable[[], Awaitable[None]], *, stop: asyncio.Event
) -> None:
    """Take `step`, and again after each interval, until the stop.

    A database that is away is told once, and once when it is back; the steps in between are lost,
    and nothing else: whatever they look at is still there later.
    """
    away = False
    while not stop.is_set():
        try:
            await step()
        except StoreUnavailable as error:
            if not away:
                log.error("database unavailable", error=str(error), hint=error.hint)
            away = True
        else:
            if away:
                log.info("database available again")
            away = False
        await pause(interval, stop=stop)


async def pause(interval: timedelta, *, stop: asyncio.Event) -> None:
    """Wait so long, or until the stop."""
    with suppress(TimeoutError):
        await asyncio.wait_for(stop.wait(), interval.total_seconds())
