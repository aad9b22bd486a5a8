"""Timeouts of tests: limits for hangs, not measures of speed."""

import asyncio
from collections.abc import Callable

LONG = 180.0
"""Seconds: starting a program on a busy machine has taken up to 40."""
LONG_MS = 1000 * LONG
"""The same for a browser, which counts in milliseconds."""
SOON = 50.0
"""Seconds: less than the minute after which a processor polls for work, so that a lost wake-up is
noticed."""
HELD = 3600.0
"""Seconds for which a request is delayed: longer than any wait, so that nothing that ends meanwhile
can have waited for it."""


async def until(is_true: Callable[[], bool]) -> None:
    """Return as soon as `is_true` holds; raise TimeoutError if it never does."""
    async with asyncio.timeout(SOON):
        while not is_true():
            await asyncio.sleep(0.005)
