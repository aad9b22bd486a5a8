"""Who does the work that a command asks for: this process, or the daemon that is running."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from time import monotonic
from typing import Protocol

from core.changes import Change
from core.errors import PaperclerkError, Problem
from core.jobs import ANALYZE, DRY_RUN, UNDO, EventName, Job, JobStatus, Scope
from core.scans import INTERRUPTED, Scan
from core.tasks import run_until
from daemon.running import find_daemon
from daemon.services import Services
from processor.pipeline import Report, build_plan
from processor.processor import FinishedJob, Processor
from scanner.scan import ScanOrder
from store import JobFilter, Store

_LOOK_EVERY = timedelta(seconds=0.3)
_TAKEN_UP_WITHIN = timedelta(minutes=1)
_MOST_EVENTS = 1_000
_PROCESSING = JobFilter(JobStatus.PROCESSING)
_ENDS = {
    EventName.COMPLETED,
    EventName.RETRIED,
    EventName.RELEASED,
    EventName.FAILED,
    EventName.CANCELLED,
    EventName.RECOVERED,
}
"""Events that end an attempt."""


class ScanFailed(PaperclerkError):
    """The daemon's scan did not go through."""

    code = "scan_failed"
    user_message = "The scan failed."

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message)
        # As if this process had met it itself: the same words, the same advice, the same end.
        self.code, self.hint = problem.code, problem.hint


class DaemonGone(PaperclerkError):
    """The daemon that was asked shows no life any more; what it was asked for is in the store."""

    code = "daemon_gone"
    user_message = "The daemon has stopped; the request is still waiting."
    hint = (
        "Start it again with `paperclerk run`, or repeat the command to run it without the daemon."
    )


class Executor(Protocol):
    """What a command needs to have work done."""

    @property
    def stopping(self) -> bool: ...

    async def scan(self, instance: str, order: ScanOrder) -> Scan: ...

    def work(self, scope: Scope) -> AsyncIterator[FinishedJob]: ...


class LocalExecutor:
    """Scans and works in this very process."""

    def __init__(self, services: Services, processor: Processor, stop: asyncio.Event) -> None:
        self._clerk = services
        self._processor = processor
        self._stop = stop

    @property
    def stopping(self) -> bool:
        return self._processor.stopping

    async def scan(self, instance: str, order: ScanOrder) -> Scan:
        """Scan; if something else was asked for before, that is done first.

        Raise ScanFailed if a stop came in between.
        """
        scan = await run_until(self._stop, self._scan(instance, order))
        if scan is None:
            raise ScanFailed(INTERRUPTED)
        return scan

    def work(self, scope: Scope) -> AsyncIterator[FinishedJob]:
        """Work until nothing in `scope` is due, and yield each job after its attempt."""
        return self._processor.drain(scope)

    async def _scan(self, instance: str, order: ScanOrder) -> Scan:
        scanner = self._clerk.scanners[instance]
        while not (scan := await scanner.scan(order)).satisfies(order.kind, order.limit):
            pass
        return scan


class DaemonExecutor:
    """A daemon on the same data does the work; this process asks for it and looks on."""

    def __init__(self, services: Services, *, patience: timedelta = _TAKEN_UP_WITHIN) -> None:
        self._clerk = services
        self._store = services.store
        self._patience = patience
        self._moved = monotonic()
        """When we last saw the daemon do something."""
        self._since: int | None = None
        """The last event before a scan was asked for: what it finds may be done before its end."""

    @property
    def stopping(self) -> bool:
        """Whoever only looks on has nothing to put down: a signal simply ends it."""
        return False

    async def scan(self, instance: str, order: ScanOrder) -> Scan:
        """Ask for a scan, or join the one that is under way, and wait for its end."""
        self._since = await self._store.jobs.get_last_event_id()
        while not (scan := await self._scan(instance, order)).satisfies(order.kind, order.limit):
            pass
        if scan.problem is not None:
            raise ScanFailed(scan.problem)
        return scan

    async def work(self, scope: Scope) -> AsyncIterator[FinishedJob]:
        """Yield each job in `scope` as its attempt ends, until none is due any more."""
        shown: dict[int, int] = {}
        self._moved = monotonic()
        since = await self._store.jobs.get_last_event_id() if self._since is None else self._since
        ended = sorted(scope.jobs or ())
        while True:
            # In this order: what is not due any more has told of its end by now.
            is_busy = await self._store.jobs.is_anything_due(scope, now=self._clerk.context.clock())
            events = await self._store.jobs.list_events_after(since, limit=_MOST_EVENTS)
            ended += [event.job_id for event in events if event.name in _ENDS]
            for job in [await self._store.jobs.get(id_) for id_ in dict.fromkeys(ended)]:
                if is_within(job, scope) and _has_ended(job) and shown.get(job.id) != job.claim:
                    shown[job.id] = job.claim
                    yield FinishedJob(job, await self._report(job))
            if not (is_busy or events):
                return
            ended, since = [], max([since, *(event.id for event in events)])
            await self._wait(is_moving=bool(events))

    async def _scan(self, instance: str, order: ScanOrder) -> Scan:
        scan = await self._store.scans.request(
            instance,
            asked_by=order.asked_by,
            kind=order.kind,
            limit=order.limit,
            now=self._clerk.context.clock(),
        )
        self._moved = monotonic()
        while scan.finished_at is None:
            await self._wait(is_moving=scan.started_at is not None)
            scan = await self._store.scans.get(scan.id)
        return scan

    async def _wait(self, *, is_moving: bool) -> None:
        """Give the daemon time; raise DaemonGone if it has none left, or does something else."""
        if await find_daemon(self._clerk.context) is None:
            raise DaemonGone("the daemon that was at work has ended")
        if is_moving or await self._store.jobs.list(_PROCESSING, limit=1):
            self._moved = monotonic()
        if monotonic() - self._moved > self._patience.total_seconds():
            raise DaemonGone("the daemon does not take this up: it knows other instances")
        await asyncio.sleep(_LOOK_EVERY.total_seconds())

    async def _report(self, job: Job) -> Report | None:
        """Put together from the store what the daemon's own report said."""
        if job.status is not JobStatus.COMPLETED:
            return None
        if job.kind == DRY_RUN:
            return await self._dry_run_report(job)
        if job.kind == ANALYZE:
            return Report(changes=await self._store.changes.list_for_job(job.id))
        settled = await list_settled(self._store, job.id)
        done = {change.id for change in settled}
        asked = await self._requested_changes(job)
        return Report(changes=settled, kept=tuple(one for one in asked if one.id not in done))

    async def _dry_run_report(self, job: Job) -> Report:
        instance = await self._clerk.instances[job.document.instance].with_custom_fields()
        result = await self._store.results.get_final(job.id)
        document = await instance.paperless.fetch_document(job.document.id)
        names = await instance.catalogue.names()
        analysis = result.analysis if result else None
        now = self._clerk.context.clock()
        return Report(build_plan(analysis, document, names, instance, now=now))

    async def _requested_changes(self, job: Job) -> tuple[Change, ...]:
        ids = job.payload.get("changes", []) if job.kind == UNDO else []
        return await self._store.changes.list_by_ids(ids)  # type: ignore[arg-type]  # as `undo` writes it


async def list_settled(store: Store, job_id: int) -> tuple[Change, ...]:
    """List the changes that a job carried out or took back, whoever planned them."""
    events = await store.jobs.list_events(job_id)
    told = [event for event in events if event.name is EventName.CHANGES_SETTLED]
    return await store.changes.list_by_ids(
        [one["id"] for event in told for one in event.data["changes"]]  # type: ignore[attr-defined]  # as the store writes it
    )


def is_within(job: Job, scope: Scope) -> bool:
    """Tell whether a job is among those that a command is about."""
    return (
        (scope.jobs is None or job.id in scope.jobs)
        and (scope.instances is None or job.document.instance in scope.instances)
        and (scope.kinds is None or job.kind in scope.kinds)
    )


def _has_ended(job: Job) -> bool:
    """Tell whether an attempt has ended: the job is finished, or waits for its next one.

    One that a person has just started again waits for its first: it has no trace yet.
    """
    if job.status is JobStatus.PENDING:
        return job.trace is not None
    return job.status is not JobStatus.PROCESSING
