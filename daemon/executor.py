"""Run scans and jobs for a command, in this process or through the running daemon."""

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
from daemon.context import find_daemon
from daemon.services import Services
from processor.pipeline import Report, with_stored_settings
from processor.plan import look_up_background, plan_document
from processor.processor import FinishedJob, Processor
from scanner.scan import ScanOrder
from store import JobFilter, Store

_POLL_INTERVAL = timedelta(seconds=0.3)
_START_TIMEOUT = timedelta(minutes=1)
_MAX_EVENTS = 1_000
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
    """The scan failed."""

    code = "scan_failed"
    user_message = "The scan failed."

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message)
        # The same code and hint, and so the same exit code, as if this process had scanned.
        self.code, self.hint = problem.code, problem.hint


class DaemonGone(PaperclerkError):
    """The daemon has ended; the requested work stays in the store."""

    code = "daemon_gone"
    user_message = "The daemon has stopped; the request is still waiting."
    hint = (
        "Start it again with `paperclerk run`, or repeat the command to run it without the daemon."
    )


class Executor(Protocol):
    """Runs scans and jobs for a command."""

    @property
    def stopping(self) -> bool: ...

    async def scan(self, instance: str, order: ScanOrder) -> Scan: ...

    def work(self, scope: Scope) -> AsyncIterator[FinishedJob]: ...


class LocalExecutor:
    """Runs scans and jobs in this process."""

    def __init__(self, services: Services, processor: Processor, stop: asyncio.Event) -> None:
        self._services = services
        self._processor = processor
        self._stop = stop

    @property
    def stopping(self) -> bool:
        return self._processor.stopping

    async def scan(self, instance: str, order: ScanOrder) -> Scan:
        """Run a scan; one that was requested before runs first.

        Raise ScanFailed if the process is stopped meanwhile.
        """
        scan = await run_until(self._stop, self._scan(instance, order))
        if scan is None:
            raise ScanFailed(INTERRUPTED)
        return scan

    def work(self, scope: Scope) -> AsyncIterator[FinishedJob]:
        """Process jobs until none in `scope` is due; yield each after its attempt."""
        return self._processor.drain(scope)

    async def _scan(self, instance: str, order: ScanOrder) -> Scan:
        scanner = self._services.scanners[instance]
        while not (scan := await scanner.scan(order)).satisfies(order.kind, order.limit):
            pass
        return scan


class DaemonExecutor:
    """Requests scans and jobs from the running daemon, and follows their progress."""

    def __init__(self, services: Services, *, patience: timedelta = _START_TIMEOUT) -> None:
        self._services = services
        self._store = services.store
        self._patience = patience
        self._last_progress = monotonic()
        """When the daemon last made progress, by the monotonic clock."""
        self._since: int | None = None
        """The last event before the scan was requested: its jobs may end before the scan does."""

    @property
    def stopping(self) -> bool:
        """Return False: this process has nothing to finish, so a signal simply ends it."""
        return False

    async def scan(self, instance: str, order: ScanOrder) -> Scan:
        """Request a scan, or join the running one, and wait for its end."""
        self._since = await self._store.jobs.get_last_event_id()
        while not (scan := await self._scan(instance, order)).satisfies(order.kind, order.limit):
            pass
        if scan.problem is not None:
            raise ScanFailed(scan.problem)
        return scan

    async def work(self, scope: Scope) -> AsyncIterator[FinishedJob]:
        """Yield each job in `scope` as its attempt ends, until none is due any more."""
        shown: dict[int, int] = {}
        self._last_progress = monotonic()
        since = await self._store.jobs.get_last_event_id() if self._since is None else self._since
        ended = sorted(scope.jobs or ())
        while True:
            # In this order: the events read next contain the end of a job that is not due any more.
            is_busy = await self._store.jobs.is_anything_due(
                scope, now=self._services.context.clock()
            )
            events = await self._store.jobs.list_events_after(since, limit=_MAX_EVENTS)
            ended += [event.job_id for event in events if event.name in _ENDS]
            for job in [await self._store.jobs.get(id_) for id_ in dict.fromkeys(ended)]:
                if is_within(job, scope) and _has_ended(job) and shown.get(job.id) != job.claim:
                    shown[job.id] = job.claim
                    yield FinishedJob(job, await self._report(job))
            if not (is_busy or events):
                return
            ended, since = [], max([since, *(event.id for event in events)])
            await self._wait(has_progress=bool(events))

    async def _scan(self, instance: str, order: ScanOrder) -> Scan:
        scan = await self._store.scans.request(
            instance,
            asked_by=order.asked_by,
            kind=order.kind,
            limit=order.limit,
            consent=order.consent,
            now=self._services.context.clock(),
        )
        self._last_progress = monotonic()
        while scan.finished_at is None:
            await self._wait(has_progress=scan.started_at is not None)
            scan = await self._store.scans.get(scan.id)
        return scan

    async def _wait(self, *, has_progress: bool) -> None:
        """Wait for the daemon; raise DaemonGone if it has ended or makes no progress."""
        if await find_daemon(self._services.context) is None:
            raise DaemonGone("the daemon has stopped")
        if has_progress or await self._store.jobs.list(_PROCESSING, limit=1):
            self._last_progress = monotonic()
        if monotonic() - self._last_progress > self._patience.total_seconds():
            raise DaemonGone("the daemon does not process this: it runs with other instances")
        await asyncio.sleep(_POLL_INTERVAL.total_seconds())

    async def _report(self, job: Job) -> Report | None:
        """Rebuild the daemon's report from the store."""
        if job.status is not JobStatus.COMPLETED:
            return None
        if job.kind == DRY_RUN:
            return await self._dry_run_report(job)
        if job.kind == ANALYZE:
            return Report(changes=await self._store.changes.list_for_job(job.id))
        settled = await list_settled(self._store, job.id)
        done = {change.id for change in settled}
        asked = await self._requested_changes(job)
        return Report(
            changes=settled, kept=tuple(change for change in asked if change.id not in done)
        )

    async def _dry_run_report(self, job: Job) -> Report:
        instance = await with_stored_settings(
            self._services.instances[job.document.instance], self._store
        )
        result = await self._store.results.get_final(job.id)
        document = await instance.paperless.fetch_document(job.document.id)
        names = await instance.catalogue.names()
        analysis, now = result.analysis if result else None, self._services.context.clock()
        background = await look_up_background(document, names, self._store, instance, now=now)
        plan = await plan_document(
            analysis,
            document,
            names,
            instance,
            store=self._store,
            now=now,
            background=background,
        )
        return Report(plan)

    async def _requested_changes(self, job: Job) -> tuple[Change, ...]:
        ids = job.payload.get("changes", []) if job.kind == UNDO else []
        return await self._store.changes.list_by_ids(ids)  # type: ignore[arg-type]  # as `undo` writes it


async def list_settled(store: Store, job_id: int) -> tuple[Change, ...]:
    """Return the changes that a job wrote or undid, whichever job planned them."""
    events = await store.jobs.list_events(job_id)
    settled = [event for event in events if event.name is EventName.CHANGES_SETTLED]
    return await store.changes.list_by_ids(
        [change["id"] for event in settled for change in event.data["changes"]]  # type: ignore[attr-defined]  # as the store writes it
    )


def is_within(job: Job, scope: Scope) -> bool:
    """Return whether a job is in a scope."""
    return (
        (scope.jobs is None or job.id in scope.jobs)
        and (scope.instances is None or job.document.instance in scope.instances)
        and (scope.kinds is None or job.kind in scope.kinds)
    )


def _has_ended(job: Job) -> bool:
    """Return whether an attempt has ended: the job is finished, or waits for its next attempt.

    A job that was just retried by a person has no attempt yet, and so no trace.
    """
    if job.status is JobStatus.PENDING:
        return job.trace is not None
    return job.status is not JobStatus.PROCESSING
