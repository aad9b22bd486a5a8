"""A queue that runs an action of the test at the worst moment."""

import asyncio
from collections.abc import Callable
from datetime import datetime

from core.jobs import EVERYTHING, Job, Scope
from daemon.services import Services
from store import StoreUnavailable
from store.store import Jobs


class InterferingQueue(Jobs):
    """The queue, with actions that run right after its own statements."""

    def __init__(self, jobs: Jobs) -> None:
        vars(self).update(vars(jobs))
        self._real_jobs = jobs
        self.claim = self._claim
        self.next_due_after = self._next_due_after
        self.succeed_and_claim = self._succeed_and_claim
        self.after_no_claim: Callable[[], object] | None = None
        self.after_next_due: Callable[[], object] | None = None
        self.after_settle: Callable[[], object] | None = None
        self.broken = 0
        """How many settlements still fail as if the database were unavailable."""

    async def _claim(
        self, *, worker: str, now: datetime, scope: Scope = EVERYTHING, trace: str | None = None
    ) -> Job | None:
        job = await self._real_jobs.claim(worker=worker, now=now, scope=scope, trace=trace)
        if job is None and self.after_no_claim:
            await _once(self, "after_no_claim")
        return job

    async def _next_due_after(self, moment: datetime) -> datetime | None:
        due = await self._real_jobs.next_due_after(moment)
        if self.after_next_due:
            await _once(self, "after_next_due")
        return due

    async def _succeed_and_claim(
        self, job: Job, *, now: datetime, scope: Scope = EVERYTHING, trace: str | None = None
    ) -> tuple[Job, Job | None]:
        if self.broken:
            self.broken -= 1
            raise StoreUnavailable("the disk is full")
        both = await self._real_jobs.succeed_and_claim(job, now=now, scope=scope, trace=trace)
        if self.after_settle:
            self.after_settle()
            await asyncio.sleep(0)
        return both


async def _once(jobs: InterferingQueue, name: str) -> None:
    action = getattr(jobs, name)
    setattr(jobs, name, None)
    await action()


def install_interfering_queue(services: Services) -> InterferingQueue:
    jobs = InterferingQueue(services.store.jobs)
    services.store.jobs = jobs
    return jobs
