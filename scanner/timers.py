"""One timer per instance. The only module that knows APScheduler.

APScheduler is given ready dates, so that the timer and the "next scan" that people see cannot
disagree. Its callback only signals.
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
        # Late is better than never: by default a late timer would be dropped, and so would one that
        # is set anew while its callback still runs.
        defaults = {"misfire_grace_time": None, "coalesce": True, "max_instances": 2}
        # Named here: APScheduler would import its executor at the start, which fails without a free
        # file descriptor.
        executors = {"default": AsyncIOExecutor()}
        self._scheduler = AsyncIOScheduler(timezone=UTC, job_defaults=defaults, executors=executors)

    def start(self) -> None:
        self._scheduler.start()

    def stop(self) -> None:
        self._scheduler.shutdown(wait=False)

    def set(self, instance: str, at: datetime) -> None:
        """Arm an instance's timer, in place of the one it had."""
        self._scheduler.add_job(
            self._fire,
            DateTrigger(at.astimezone(UTC)),
            args=[instance],
            id=instance,
            replace_existing=True,
        )

    def recheck(self) -> None:
        """Compare all timers with the clock: after a jump of it they would come too late."""
        if self._scheduler.running:
            self._scheduler.wakeup()

    async def _fire(self, instance: str) -> None:
        # A coroutine runs in the loop's own thread; a plain function would get another one.
        self._due(instance)
