"""One timer per instance. The only module that imports APScheduler.

APScheduler gets computed times, so that the timer and the "next scan" on the pages cannot differ.
Its callback only sets a signal.
"""

from collections.abc import Callable
from datetime import UTC, datetime

from apscheduler.executors.asyncio import AsyncIOExecutor
from apscheduler.schedulers.asyncio import AsyncIOScheduler
from apscheduler.triggers.date import DateTrigger


class Timers:
    """Calls `due` with an instance's name when its time has come."""

    def __init__(self, due: Callable[[str], None]) -> None:
        self._due = due
        # By default APScheduler would drop a late timer, and one that is set again while its
        # callback is running.
        defaults = {"misfire_grace_time": None, "coalesce": True, "max_instances": 2}
        # Given here: APScheduler would import its executor at the start, which fails without a free
        # file descriptor.
        executors = {"default": AsyncIOExecutor()}
        self._scheduler = AsyncIOScheduler(timezone=UTC, job_defaults=defaults, executors=executors)

    def start(self) -> None:
        self._scheduler.start()

    def stop(self) -> None:
        self._scheduler.shutdown(wait=False)

    def set(self, instance: str, at: datetime) -> None:
        """Set the timer of an instance, replacing the previous one."""
        self._scheduler.add_job(
            self._fire,
            DateTrigger(at.astimezone(UTC)),
            args=[instance],
            id=instance,
            replace_existing=True,
        )

    def remove(self, instance: str) -> None:
        """Remove the timer of an instance, if it has one."""
        if self._scheduler.get_job(instance) is not None:
            self._scheduler.remove_job(instance)

    def recheck(self) -> None:
        """Compare all timers with the clock; after a jump they would fire too late."""
        if self._scheduler.running:
            self._scheduler.wakeup()

    async def _fire(self, instance: str) -> None:
        # A coroutine runs in the thread of the event loop; a plain function would not.
        self._due(instance)
