"""Claim due jobs, process several at a time, settle them, and sleep until more are due.

During a database outage, results that cannot be stored are kept until it is over.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import timedelta
from time import monotonic
from typing import TypeAlias
from uuid import uuid4

import structlog

from core.calendar import Clock
from core.jobs import EVERYTHING, Job, Scope
from core.messages import message
from processor.attempt import Attempt, DeferredWrite, Interrupted, StopReason, supervise
from processor.instance import Instance
from processor.pipeline import JOB_HANDLERS, JobHandlers, Report, get_handler, verify_begun_writes
from processor.settle import Settler, build_log_fields
from processor.verdict import NotYet, problem_of
from store import ClaimLost, InvalidTransition, JobNotFound, Store, StoreUnavailable

log = structlog.get_logger()

_MAX_SLEEP = timedelta(minutes=1)
"""A jump of the system clock is noticed after this time at the latest."""
_MIN_SLEEP = timedelta(milliseconds=10)
_DATABASE_RETRY_DELAY = timedelta(seconds=5)
"""Delay between two retries of an unreachable database while attempts are still running."""
_ENDED = Interrupted(StopReason.STOPPED, message("ended"))
_REMOVED = Interrupted(StopReason.STOPPED, message("the settings file was removed"))
_DATABASE_UNREACHABLE = Interrupted(StopReason.STOPPED, message("the database was unreachable"))
_NOTHING = Scope(instances=())


@dataclass(frozen=True, slots=True)
class FinishedJob:
    """A job after an attempt, with its report; without one if the attempt failed."""

    job: Job
    report: Report | None = None


@dataclass(frozen=True, slots=True)
class _AttemptResult:
    """The result of an attempt, and the job that was claimed when it was settled."""

    finished: FinishedJob | None
    """None if the job no longer exists in the store."""
    following: Job | None = None
    outage: StoreUnavailable | None = None
    """The database was unreachable; what the attempt could not store is kept."""


_Running: TypeAlias = "set[asyncio.Task[_AttemptResult]]"


class Processor:
    """Processes the jobs of the given instances, taking turns between them."""

    def __init__(  # noqa: PLR0913 - two dependencies and keyword-only options
        self,
        store: Store,
        instances: Mapping[str, Instance],
        *,
        clock: Clock,
        worker: str,
        parallel: int = 1,
        grace: timedelta = timedelta(0),
        kinds: JobHandlers = JOB_HANDLERS,
    ) -> None:
        self._store = store
        self._instances = instances
        self._clock = clock
        self._worker = worker
        self._parallel = parallel
        self._grace = grace
        """How long a running attempt may continue after the stop."""
        self._kinds = kinds
        self._settler = Settler(store, clock=clock)
        self._turns = deque(instances)
        """Instances, the one that has waited longest for its turn first."""
        self._stop = asyncio.Event()
        self._wake = asyncio.Event()
        self._found_empty_at = clock()
        """When the queue last had no job for us."""
        self._unsaved = UnsavedWork(store, self._settler)
        self._running_traces: set[str] = set()
        self._in_use: dict[str, Instance] = {}
        """The instances of the running attempts, as they were when each began, by trace id."""
        self.last_sign = monotonic()
        """When the processor last showed that it is alive, by the monotonic clock."""

    @property
    def stopping(self) -> bool:
        return self._stop.is_set()

    @property
    def own_traces(self) -> frozenset[str]:
        """The trace ids of our attempts; they are alive even if they send no heartbeat."""
        return self._unsaved.traces | self._running_traces

    @property
    def instances_in_use(self) -> tuple[Instance, ...]:
        """The instances of the running attempts, as they were when each began."""
        return tuple(self._in_use.values())

    def set_instances(self, instances: Mapping[str, Instance], *, parallel: int) -> None:
        """Replace the instances; a running attempt keeps the one that it began with."""
        self._instances = instances
        self._parallel = parallel
        kept = [name for name in self._turns if name in instances]
        self._turns = deque([*kept, *(name for name in instances if name not in kept)])
        self.wake()

    def stop(self) -> None:
        """Claim nothing more, and release the running jobs unless they are being written."""
        self._stop.set()
        self._wake.set()

    def wake(self) -> None:
        """Check the queue now, because there may be a new job."""
        self._wake.set()

    async def run(self) -> None:
        """Process jobs until the stop: drain the queue, then sleep until one is due or `wake`."""
        try:
            while not self.stopping:
                # Clear first, then check the queue: a later wake sets the event again, and an
                # earlier one has already left its job in the queue.
                self._wake.clear()
                await self.flush_unsaved()
                async for _ in self.drain():
                    pass
                await self._wait_for(set())
        except StoreUnavailable:
            # The database is unreachable, but the processor is alive.
            self.last_sign = monotonic()
            raise

    async def drain(self, scope: Scope = EVERYTHING) -> AsyncIterator[FinishedJob]:
        """Process jobs until nothing in `scope` is due, and yield each job after its attempt.

        Raise StoreUnavailable if the database is unreachable, but only after the running attempts
        have ended: a model call that has started must be paid for.
        """
        running: _Running = set()
        outage: StoreUnavailable | None = None
        try:
            while True:
                outage = outage or await self._try_claim_jobs(running, scope)
                self.last_sign = monotonic()
                if not running:
                    if outage is not None:
                        raise outage
                    return
                results = await self._next_results(running, scope, is_outage=outage is not None)
                outage = next((result.outage for result in results if result.outage), None)
                for result in results:
                    if result.finished:
                        yield result.finished
        finally:
            await self._cancel_all(running)

    async def flush_unsaved(self) -> None:
        """Store answers and release jobs left over from a database outage."""
        await self._unsaved.flush()

    async def _try_claim_jobs(self, running: _Running, scope: Scope) -> StoreUnavailable | None:
        """Claim jobs for all free slots; return the error if the database is unreachable."""
        try:
            await self.flush_unsaved()
            while len(running) < self._parallel and not self.stopping:
                now, trace = self._clock(), uuid4().hex
                with self._keeping_claim(trace):
                    job = await self._store.jobs.claim(
                        worker=self._worker, scope=self._order_turns(scope), now=now, trace=trace
                    )
                if job is None:
                    self._found_empty_at = now
                    return None
                running.add(self._start(job, scope))
        except StoreUnavailable as outage:
            return outage
        return None

    async def _next_results(
        self, running: _Running, scope: Scope, *, is_outage: bool
    ) -> list[_AttemptResult]:
        """Wait until attempts end, and start the jobs that were claimed when they were settled."""
        if is_outage:
            seconds = _DATABASE_RETRY_DELAY.total_seconds()
            ended, _ = await asyncio.wait(
                running, timeout=seconds, return_when=asyncio.FIRST_COMPLETED
            )
        else:
            ended = await self._wait_for(running)
        results = [task.result() for task in ended]
        running -= ended
        running |= {self._start(result.following, scope) for result in results if result.following}
        return results

    def _start(self, job: Job, scope: Scope) -> "asyncio.Task[_AttemptResult]":
        if job.document.instance in self._turns:
            self._turns.remove(job.document.instance)
            self._turns.append(job.document.instance)
        self._running_traces.add(str(job.trace))
        return asyncio.create_task(self._run_attempt(job, scope))

    def _order_turns(self, scope: Scope) -> Scope:
        """Limit the scope to our instances, the one that has waited longest first."""
        wanted = scope.instances
        turns = tuple(name for name in self._turns if wanted is None or name in wanted)
        return replace(scope, instances=turns)

    async def _wait_for(self, running: _Running) -> _Running:
        """Wait until an attempt ends; with a free slot also until a wake, or until more is due."""
        waker = asyncio.create_task(self._wake.wait())
        # A stop leaves the wake set: while attempts are running it would end every wait at once.
        free = len(running) < self._parallel and not (running and self.stopping)
        waits = {*running, waker} if free else {*running}
        try:
            await asyncio.wait(
                waits,
                timeout=await self._seconds_until_due() if free else _MAX_SLEEP.total_seconds(),
                return_when=asyncio.FIRST_COMPLETED,
            )
        finally:
            waker.cancel()
        if free and running and not self.stopping:
            self._wake.clear()
        return {task for task in running if task.done()}

    async def _seconds_until_due(self) -> float:
        """Return how long to sleep.

        Jobs that were due at the last check, but not claimable, are not waited for: a wake or the
        end of an attempt makes them claimable. Otherwise the processor would poll without pause.
        """
        try:
            due = await self._store.jobs.next_due_after(self._found_empty_at)
        except StoreUnavailable:
            if not self._running_traces:
                raise
            return _DATABASE_RETRY_DELAY.total_seconds()
        wait = _MAX_SLEEP if due is None else due - self._clock()
        return max(_MIN_SLEEP, min(wait, _MAX_SLEEP)).total_seconds()

    async def _run_attempt(self, job: Job, scope: Scope) -> _AttemptResult:
        """Process a claimed job; whatever happens, release it or keep it to release later."""
        with structlog.contextvars.bound_contextvars(**log_context(job)):
            try:
                return await self._process(job, scope)
            except ClaimLost:
                return _AttemptResult(await self._abandon(job))
            except StoreUnavailable as outage:
                self._unsaved.add_job(job)
                return _AttemptResult(None, outage=outage)
            except asyncio.CancelledError:
                await asyncio.shield(self._release_or_defer(job))
                raise
            finally:
                self._running_traces.discard(str(job.trace))
                self._in_use.pop(str(job.trace), None)

    async def _abandon(self, job: Job) -> FinishedJob | None:
        """Leave a job to another worker: ours seemed dead, or the database was replaced."""
        log.warning("job lost", attempt=job.attempts)
        try:
            return FinishedJob(await self._store.jobs.get(job.id))
        except JobNotFound:
            return None

    async def _process(self, job: Job, scope: Scope) -> _AttemptResult:
        instance = self._instances.get(job.document.instance)
        if instance is None:
            # Claimed in the moment in which its settings file was removed.
            return _AttemptResult(
                FinishedJob(await self._settler.settle_interruption(job, _REMOVED))
            )
        self._in_use[str(job.trace)] = instance
        attempt = Attempt(
            job,
            store=self._store,
            clock=self._clock,
            budget=instance.budget,
            current=lambda: self._instances.get(job.document.instance),
        )
        try:
            return await self._process_and_settle(attempt, instance, scope)
        except (ClaimLost, StoreUnavailable):
            raise
        except Exception as bug:  # noqa: BLE001 - a bug in settling must not leave the job claimed
            settled = await self._settler.settle_internal_error(attempt.job, instance, bug)
            return _AttemptResult(FinishedJob(settled))
        finally:
            self._unsaved.add_writes(attempt.unstored)

    async def _process_and_settle(
        self, attempt: Attempt, instance: Instance, scope: Scope
    ) -> _AttemptResult:
        ends_only = attempt.job.ends_as is not None
        try:
            handler = get_handler(attempt.job, self._kinds)
            report = await supervise(
                attempt,
                verify_begun_writes(attempt, instance)
                if ends_only
                else handler.handle(attempt, instance, handler.read_payload(attempt.job)),
                stop=self._stop,
                grace=self._grace,
                timeouts=instance.timeouts,
            )
        except (ClaimLost, StoreUnavailable):
            raise
        except Interrupted as interrupted:
            settled = await self._settler.settle_interruption(attempt.job, interrupted)
        except NotYet as early:
            settled = await self._settler.put_off(attempt.job, early)
        except Exception as error:  # noqa: BLE001 - any error of one job ends here
            settled = await self._settler.settle_failure(attempt.job, instance, error)
        else:
            if not ends_only:
                return await self._settle_and_claim(attempt, report, scope)
            settled = await self._settler.settle_verified(attempt.job)
        return _AttemptResult(FinishedJob(settled))

    async def _settle_and_claim(
        self, attempt: Attempt, report: Report, scope: Scope
    ) -> _AttemptResult:
        """Settle a job and claim the next one in the same transaction, which saves a commit."""
        wanted = _NOTHING if self.stopping else self._order_turns(scope)
        trace = uuid4().hex
        settling = asyncio.ensure_future(
            self._settler.settle_success(
                attempt.job, wanted, build_log_fields(attempt, report), trace=trace
            )
        )
        try:
            with self._keeping_claim(trace):
                settled, following = await asyncio.shield(settling)
        except asyncio.CancelledError:
            # The transaction continues, and the job that it claims must be released.
            await self._release_or_defer((await settling)[1])
            raise
        return _AttemptResult(FinishedJob(settled, report), following)

    async def _release_or_defer(self, job: Job | None) -> None:
        """Release a job that was not finished; later, if the database is unreachable.

        If it was settled a moment before, it is no longer ours.
        """
        if job is None:
            return
        try:
            with suppress(ClaimLost):
                await self._settler.settle_interruption(job, _ENDED)
        except StoreUnavailable:
            self._unsaved.add_job(job)

    @contextmanager
    def _keeping_claim(self, trace: str) -> Iterator[None]:
        """Remember a claim without confirmation: its commit may have succeeded."""
        try:
            yield
        except StoreUnavailable:
            self._unsaved.add_claim(trace)
            raise

    async def _cancel_all(self, running: _Running) -> None:
        """Cancel the running attempts, and wait until each has released its job."""
        # A task that is cancelled before its first step would never release its job.
        await asyncio.sleep(0)
        for task in running:
            task.cancel()
        for result in await asyncio.gather(*running, return_exceptions=True):
            if isinstance(result, _AttemptResult):
                await self._release_or_defer(result.following)
            elif isinstance(result, Exception):
                log.warning("attempt failed while being ended", error=problem_of(result).message)


class UnsavedWork:
    """Answers not stored, jobs not settled, and claims with an unknown outcome."""

    def __init__(self, store: Store, settler: Settler) -> None:
        self._store = store
        self._settler = settler
        self._unstored: list[DeferredWrite] = []
        self._unsettled: list[Job] = []
        self._uncertain: set[str] = set()

    @property
    def traces(self) -> frozenset[str]:
        """The trace ids of attempts that may still be claimed by us in the store."""
        return frozenset({*self._uncertain, *(str(job.trace) for job in self._unsettled)})

    def add_writes(self, writes: Iterable[DeferredWrite]) -> None:
        """Keep answers that must be stored, because they are paid for."""
        self._unstored += writes

    def add_job(self, job: Job) -> None:
        """Keep a job that must be released."""
        self._unsettled.append(job)

    def add_claim(self, trace: str) -> None:
        """Keep the trace id of a claim whose commit may have succeeded without confirmation."""
        self._uncertain.add(trace)

    async def flush(self) -> None:
        """Store the answers, then release the jobs, so that the next attempt finds the answers.

        Raise StoreUnavailable while the database is unreachable; the rest is kept for later.
        """
        while self._unstored:
            await self._store_late(self._unstored[0])
            self._unstored.pop(0)
        while self._unsettled:
            await self._release(self._unsettled[0])
            self._unsettled.pop(0)
        if self._uncertain:
            for job in await self._store.jobs.list_processing(self._uncertain):
                await self._release(job)
            self._uncertain.clear()

    async def _store_late(self, write: DeferredWrite) -> None:
        try:
            await write()
        except (ClaimLost, InvalidTransition):
            # It is stored now, by this write or by the first one whose confirmation was lost.
            pass
        except StoreUnavailable:
            raise
        except Exception as error:  # noqa: BLE001 - what cannot be stored must not stop the queue
            log.error("answer could not be stored", error=problem_of(error).message)

    async def _release(self, job: Job) -> None:
        with structlog.contextvars.bound_contextvars(**log_context(job)):
            try:
                await self._settler.settle_interruption(job, _DATABASE_UNREACHABLE)
            except ClaimLost:
                await self._settler.log_earlier_settlement(job)


def log_context(job: Job) -> Mapping[str, object]:
    """Return the fields of every log line about an attempt."""
    return {"document": str(job.document), "job": job.id, "trace": job.trace}
