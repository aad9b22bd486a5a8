"""Do something, but not longer than until the stop."""

import asyncio
from collections.abc import Coroutine


async def unless(stop: asyncio.Event, work: Coroutine[object, object, object]) -> None:
    """Do `work` to its end, or until the stop; then it is cancelled and has ended."""
    task, stopped = asyncio.ensure_future(work), asyncio.ensure_future(stop.wait())
    try:
        await asyncio.wait({task, stopped}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for one in (task, stopped):
            if not one.done():
                one.cancel()
        await asyncio.wait({task, stopped})
    if not task.cancelled():
        task.result()
