"""How long a test waits for what must happen: limits for hangs, never measures of speed."""

import asyncio
from collections.abc import Callable

LONG = 180.0
"""Seconds: a program that starts on a machine that is busy with other work has needed 40."""
LONG_MS = 1000 * LONG
"""The same for a browser, which counts in milliseconds."""
SOON = 50.0
"""Seconds: less than the minute after which a processor looks for work by itself, so that a wake-up
that is lost is noticed."""
HELD = 3600.0
"""Seconds for which a request is held up: longer than any wait, so that what ends meanwhile has not
waited for it."""


async def until(is_true: Callable[[], bool]) -> None:
    """Return as soon as `is_true` holds; raise TimeoutError if it never does."""
    async with asyncio.timeout(SOON):
        while not is_true():
            await asyncio.sleep(0.005)
