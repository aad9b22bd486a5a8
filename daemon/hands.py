"""Who does the work that a command asks for: this process, or the daemon that is running."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Protocol

from core.changes import Change
from core.errors import PaperclerkError
from core.jobs import ANALYZE, REHEARSE, UNDO, EventName, Job, JobStatus, Scope
from core.scans import Scan
from daemon.alive import running_daemon
from daemon.rests import holds_on
from daemon.wiring import Clerk
from processor.kinds import Report
from processor.process import plan_from
from processor.processor import Finished, Processor
from scanner.scan import ScanOrder
from store import JobFilter

_LOOK_EVERY = timedelta(seconds=0.3)
_MOST_JOBS = 100_000


class ScanFailed(PaperclerkError):
    """The daemon's scan did not go through."""

    code = "scan_failed"
    user_message = "The scan did not go through."


class DaemonGone(PaperclerkError):
    """The daemon that was asked shows no life any more; what it was asked for is in the store."""

    code = "daemon_gone"
    user_message = "The daemon has ended; what was asked for waits."
    hint = "Start it again with `paperclerk run`, or type the command again to work without it."


class Hands(Protocol):
    """What a command needs to have work done."""

    @property
    def stopping(self) -> bool: ...

    async def scan(self, instance: str, order: ScanOrder) -> Scan: ...

    def work(self, scope: Scope) -> AsyncIterator[Finished]: ...


class OwnHands:
    """Scans and works in this very process."""

    def __init__(self, clerk: Clerk, processor: Processor) -> None:
        self._clerk = clerk
        self._processor = processor

    @property
    def stopping(self) -> bool:
        return self._processor.stopping

    async def scan(self, instance: str, order: ScanOrder) -> Scan:
        return await self._clerk.scanners[instance].scan(order)

    def work(self, scope: Scope) -> AsyncIterator[Finished]:
        """Work until nothing in `scope` is due, and yield each job after its attempt."""
        return self._processor.drain(scope)


class DaemonHands:
    """A daemon on the same data does the work; this process asks for it and looks on."""

    def __init__(self, clerk: Clerk) -> None:
        self._clerk = clerk
        self._store = clerk.store

    @property
    def stopping(self) -> bool:
        """Whoever only looks on has nothing to put down: a signal simply ends it."""
        return False

    async def scan(self, instance: str, order: ScanOrder) -> Scan:
        """Ask for a scan, or join the one that is under way, and wait for its end."""
        scan = await self._store.scans.request(
            instance,
            asked_by=order.asked_by,
            kind=order.kind,
            limit=order.limit,
            now=self._clerk.memory.clock(),
        )
        while scan.finished_at is None:
            await self._wait()
            scan = await self._store.scans.get(scan.id)
        if scan.problem is not None:
            raise ScanFailed(scan.problem)
        return scan

    async def work(self, scope: Scope) -> AsyncIterator[Finished]:
        """Yield each job in `scope` as its attempt ends, until none is due any more."""
        seen = {job.id: job.claim for job in await self._jobs(scope) if not _is_live(job)}
        while True:
            jobs = await self._jobs(scope)
            for job in jobs:
                if _has_ended(job) and seen.get(job.id) != job.claim:
                    seen[job.id] = job.claim
                    yield Finished(job, await self._report(job))
            if not await self._is_anything_due(jobs):
                return
            await self._wait()

    async def _wait(self) -> None:
        """Give the daemon time; raise DaemonGone if it has none left."""
        if await running_daemon(self._clerk.memory) is None:
            raise DaemonGone("the daemon that was at work has ended")
        await asyncio.sleep(_LOOK_EVERY.total_seconds())

    async def _jobs(self, scope: Scope) -> list[Job]:
        if scope.jobs is not None:
            return [await self._store.jobs.get(id_) for id_ in sorted(scope.jobs)]
        found = [
            job
            for instance in scope.instances or ()
            for job in await self._store.jobs.list(JobFilter(instance=instance), _MOST_JOBS)
        ]
        return sorted(found, key=lambda job: job.id)

    async def _is_anything_due(self, jobs: list[Job]) -> bool:
        now, holds = self._clerk.memory.clock(), await self._store.holds.active()
        return any(
            job.status is JobStatus.PROCESSING
            or (
                job.status is JobStatus.PENDING
                and job.scheduled_for <= now
                and not holds_on(job, self._clerk.instances[job.document.instance], holds)
            )
            for job in jobs
        )

    async def _report(self, job: Job) -> Report | None:
        """Put together from the store what the daemon's own report said."""
        if job.status is not JobStatus.COMPLETED:
            return None
        if job.kind == REHEARSE:
            return await self._rehearsed(job)
        if job.kind == ANALYZE:
            return Report(changes=await self._store.changes.of_job(job.id))
        settled = await self._settled(job)
        done = {change.id for change in settled}
        asked = await self._asked(job)
        return Report(changes=settled, kept=tuple(one for one in asked if one.id not in done))

    async def _rehearsed(self, job: Job) -> Report:
        instance = self._clerk.instances[job.document.instance]
        result = await self._store.results.of_job(job.id)
        document = await instance.paperless.document(job.document.id)
        names = await instance.catalogue.names()
        analysis = result.analysis if result else None
        now = self._clerk.memory.clock()
        return Report(plan_from(analysis, document, names, instance, now=now))

    async def _settled(self, job: Job) -> tuple[Change, ...]:
        events = await self._store.jobs.events(job.id)
        told = [event for event in events if event.name is EventName.CHANGES_SETTLED]
        return await self._store.changes.listed(
            [one["id"] for event in told for one in event.data["changes"]]  # type: ignore[attr-defined]  # as the store writes it
        )

    async def _asked(self, job: Job) -> tuple[Change, ...]:
        ids = job.payload.get("changes", []) if job.kind == UNDO else []
        return await self._store.changes.listed(ids)  # type: ignore[arg-type]  # as `undo` writes it


def _is_live(job: Job) -> bool:
    return job.status in {JobStatus.PENDING, JobStatus.PROCESSING}


def _has_ended(job: Job) -> bool:
    """Tell whether an attempt has ended: the job is finished, or waits for its next one."""
    return not _is_live(job) or (job.status is JobStatus.PENDING and job.claim > 0)
