"""The single processor: claim what is due, work on it, sleep until there is more."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import timedelta
from time import monotonic
from uuid import uuid4

import structlog

from core.clock import Clock
from core.jobs import EVERYTHING, Job, Scope
from core.messages import message
from processor.attempt import Attempt
from processor.instance import Instance
from processor.leftovers import UnsavedWork, log_context
from processor.pipeline import JOB_HANDLERS, JobHandlers, Report, get_handler, verify_begun_writes
from processor.settle import LogFields, Settler, build_log_fields
from processor.supervise import Interrupted, StopConditions, StopReason, supervise
from processor.verdict import NotYet, problem_of
from store import ClaimLost, JobNotFound, Store, StoreUnavailable

log = structlog.get_logger()

_LONGEST_SLEEP = timedelta(minutes=1)
"""A clock that jumped is noticed after so long."""
_AT_ONCE = timedelta(milliseconds=10)
_AFTER_TROUBLE = timedelta(seconds=5)
"""Delay between two retries of an unreachable database while attempts are still running."""
_ENDED = Interrupted(StopReason.STOPPED, message("ended"))
_NOTHING = Scope(instances=())


@dataclass(frozen=True, slots=True)
class FinishedJob:
    """A job after an attempt, and what came of it; no report if the attempt failed."""

    job: Job
    report: Report | None = None


@dataclass(frozen=True, slots=True)
class _AttemptResult:
    """What came of an attempt, and the job that was taken as it was settled."""

    finished: FinishedJob | None
    """None: the store knows nothing of the job any more."""
    following: Job | None = None
    trouble: StoreUnavailable | None = None
    """The database was unreachable; what the attempt could not store is kept."""


@dataclass(frozen=True, slots=True)
class ProcessorOptions:
    """How the processor works."""

    parallel: int = 1
    """So many jobs at a time."""
    grace: timedelta = timedelta(0)
    """How long a job under way may go on after the stop."""


SEQUENTIAL = ProcessorOptions()


class Processor:
    """Works on the jobs of the given instances, taking turns between them."""

    def __init__(
        self,
        store: Store,
        instances: Mapping[str, Instance],
        *,
        clock: Clock,
        worker: str,
        manner: ProcessorOptions = SEQUENTIAL,
        kinds: JobHandlers = JOB_HANDLERS,
    ) -> None:
        self._store = store
        self._instances = instances
        self._clock = clock
        self._worker = worker
        self._manner = manner
        self._kinds = kinds
        self._settler = Settler(store, clock=clock)
        self._turns = deque(instances)
        self._stop = asyncio.Event()
        self._wake = asyncio.Event()
        self._looked_at = clock()
        """When the queue last had nothing for us."""
        self._left = UnsavedWork(store, self._settler)
        self._under_way: set[str] = set()
        """The attempts that have begun and not ended, by their trace."""
        self.last_sign = monotonic()
        """When the processor last showed that it goes round, by the monotonic clock."""

    @property
    def stopping(self) -> bool:
        return self._stop.is_set()

    @property
    def own_traces(self) -> frozenset[str]:
        """Name the attempts that are ours, by their trace: however silent they seem, they live."""
        return self._left.traces | self._under_way

    def stop(self) -> None:
        """Claim nothing more, and give the jobs under way back unless they are being written."""
        self._stop.set()
        self._wake.set()

    def wake(self) -> None:
        """Look into the queue: there may be something to do."""
        self._wake.set()

    async def run(self) -> None:
        """Work until the stop: drain the queue, then sleep until something is due or wakes us."""
        try:
            while not self.stopping:
                await self._round()
        except StoreUnavailable:
            # Silent is the database, not we.
            self._record_sign_of_life()
            raise

    async def drain(self, scope: Scope = EVERYTHING) -> AsyncIterator[FinishedJob]:
        """Process jobs until nothing in `scope` is due, and yield each job after its attempt.

        Raise StoreUnavailable if the database is unreachable, but only after the running attempts
        have ended: a model call that has started must be paid for.
        """
        under_way: set[asyncio.Task[_AttemptResult]] = set()
        trouble: StoreUnavailable | None = None
        try:
            while True:
                trouble = trouble or await self._try_claim_jobs(under_way, scope)
                self._record_sign_of_life()
                if not under_way:
                    if trouble is not None:
                        raise trouble
                    return
                turns = await self._next_turns(under_way, scope, in_trouble=trouble is not None)
                trouble = next((turn.trouble for turn in turns if turn.trouble), None)
                for turn in turns:
                    if turn.finished:
                        yield turn.finished
        finally:
            await self._end(under_way)

    async def flush_unsaved(self) -> None:
        """Store answers and release jobs left over from a database outage."""
        await self._left.flush()

    async def _round(self) -> None:
        # Clear first, then look: a wake that comes later sets the event again, and one that
        # came earlier has already left its job in the queue.
        self._wake.clear()
        await self.flush_unsaved()
        async for _ in self.drain():
            pass
        await self._wait_for(set())

    def _record_sign_of_life(self) -> None:
        self.last_sign = monotonic()

    async def _try_claim_jobs(
        self, under_way: set["asyncio.Task[_AttemptResult]"], scope: Scope
    ) -> StoreUnavailable | None:
        """Claim jobs for all free slots; return the error if the database is unreachable."""
        try:
            await self.flush_unsaved()
            await self._fill(under_way, scope)
        except StoreUnavailable as trouble:
            return trouble
        return None

    async def _fill(self, under_way: set["asyncio.Task[_AttemptResult]"], scope: Scope) -> None:
        """Claim as many jobs as there are free hands."""
        while self._has_free_slot(under_way) and not self.stopping:
            now, trace = self._clock(), uuid4().hex
            with self._keeping_claim(trace):
                job = await self._store.jobs.claim(
                    worker=self._worker, scope=self._reach(scope), now=now, trace=trace
                )
            if job is None:
                self._looked_at = now
                return
            under_way.add(self._begun(job, scope))

    async def _next_turns(
        self, under_way: set["asyncio.Task[_AttemptResult]"], scope: Scope, *, in_trouble: bool
    ) -> list[_AttemptResult]:
        """Wait until attempts end, and begin with what was taken as they were settled."""
        if in_trouble:
            seconds = _AFTER_TROUBLE.total_seconds()
            ended, _ = await asyncio.wait(
                under_way, timeout=seconds, return_when=asyncio.FIRST_COMPLETED
            )
        else:
            ended = await self._wait_for(under_way)
        turns = [task.result() for task in ended]
        under_way -= ended
        under_way |= {self._begun(turn.following, scope) for turn in turns if turn.following}
        return turns

    def _begun(self, job: Job, scope: Scope) -> "asyncio.Task[_AttemptResult]":
        self._turns.remove(job.document.instance)
        self._turns.append(job.document.instance)
        self._under_way.add(str(job.trace))
        return asyncio.create_task(self._attempt(job, scope))

    def _has_free_slot(self, under_way: set["asyncio.Task[_AttemptResult]"]) -> bool:
        return len(under_way) < self._manner.parallel

    def _reach(self, scope: Scope) -> Scope:
        """Take only what is ours, and first from whoever has waited longest for a turn."""
        wanted = scope.instances
        turns = tuple(one for one in self._turns if wanted is None or one in wanted)
        return replace(scope, instances=turns)

    async def _wait_for(
        self, under_way: set["asyncio.Task[_AttemptResult]"]
    ) -> set["asyncio.Task[_AttemptResult]"]:
        """Wait until an attempt ends; with a free hand also until a wake, or until more is due."""
        waker = asyncio.create_task(self._wake.wait())
        # A stop leaves the wake set: with work under way it would wake us again and again.
        free = self._has_free_slot(under_way) and not (under_way and self.stopping)
        waits = {*under_way, waker} if free else {*under_way}
        try:
            await asyncio.wait(
                waits,
                timeout=await self._seconds_until_due() if free else _LONGEST_SLEEP.total_seconds(),
                return_when=asyncio.FIRST_COMPLETED,
            )
        finally:
            waker.cancel()
        if free and under_way and not self.stopping:
            self._wake.clear()
        return {task for task in under_way if task.done()}

    async def _seconds_until_due(self) -> float:
        """Return how long to sleep.

        What was due when we looked, and yet not for us to take, comes with a wake or with the end
        of an attempt: to look at it again at once would be to look at it all the time.
        """
        try:
            due = await self._store.jobs.next_due_after(self._looked_at)
        except StoreUnavailable:
            if not self._under_way:
                raise
            return _AFTER_TROUBLE.total_seconds()
        wait = _LONGEST_SLEEP if due is None else due - self._clock()
        return max(_AT_ONCE, min(wait, _LONGEST_SLEEP)).total_seconds()

    async def _attempt(self, job: Job, scope: Scope) -> _AttemptResult:
        with structlog.contextvars.bound_contextvars(**log_context(job)):
            try:
                return await self._work_on(job, scope)
            except ClaimLost:
                return _AttemptResult(await self._abandon(job))
            except StoreUnavailable as trouble:
                self._left.add_job(job)
                return _AttemptResult(None, trouble=trouble)
            except asyncio.CancelledError:
                # Ended from outside, wherever it was.
                await asyncio.shield(self._release_or_defer(job))
                raise
            finally:
                self._under_way.discard(str(job.trace))

    async def _abandon(self, job: Job) -> FinishedJob | None:
        """Leave a job to another: we were taken for dead, or the database was replaced."""
        log.warning("job lost", attempt=job.attempts)
        try:
            return FinishedJob(await self._store.jobs.get(job.id))
        except JobNotFound:
            return None

    async def _work_on(self, job: Job, scope: Scope) -> _AttemptResult:
        instance = self._instances[job.document.instance]
        attempt = Attempt(job, store=self._store, clock=self._clock, budget=instance.budget)
        try:
            return await self._work_and_settle(attempt, instance, scope)
        except (ClaimLost, StoreUnavailable):
            raise
        except Exception as bug:  # noqa: BLE001 - a bug in settling must not leave the job in hand
            return _AttemptResult(
                FinishedJob(await self._settler.settle_internal_error(attempt.job, instance, bug))
            )
        finally:
            self._left.add_writes(attempt.unstored)

    async def _work_and_settle(
        self, attempt: Attempt, instance: Instance, scope: Scope
    ) -> _AttemptResult:
        job = attempt.job
        watch = StopConditions(self._stop, self._manner.grace, instance.timeouts)
        try:
            kind = get_handler(job, self._kinds)
            work = kind.run if job.ends_as is None else verify_begun_writes
            report = await supervise(attempt, lambda: work(attempt, instance), watch)
        except (ClaimLost, StoreUnavailable):
            raise
        except Interrupted as interrupted:
            return _AttemptResult(
                FinishedJob(await self._settler.settle_interruption(attempt.job, interrupted))
            )
        except NotYet as early:
            return _AttemptResult(FinishedJob(await self._settler.put_off(attempt.job, early)))
        except Exception as error:  # noqa: BLE001 - one job's fault, whatever it is, ends here
            return _AttemptResult(
                FinishedJob(await self._settler.settle_failure(attempt.job, instance, error))
            )
        if job.ends_as is not None:
            return _AttemptResult(FinishedJob(await self._settler.settle_verified(attempt.job)))
        figures = build_log_fields(attempt, report)
        settled, following = await self._settle_and_take(attempt.job, scope, figures)
        return _AttemptResult(FinishedJob(settled, report), following)

    async def _settle_and_take(
        self, job: Job, scope: Scope, figures: LogFields
    ) -> tuple[Job, Job | None]:
        """Settle what was done and take the next with it: a commit takes longer than a claim."""
        wanted = _NOTHING if self.stopping else self._reach(scope)
        trace = uuid4().hex
        both = asyncio.ensure_future(
            self._settler.settle_success(job, wanted, figures, trace=trace)
        )
        try:
            with self._keeping_claim(trace):
                return await asyncio.shield(both)
        except asyncio.CancelledError:
            # Ended from outside, but the move is on its way, and with it a job comes into our hand.
            await self._release_or_defer((await both)[1])
            raise

    async def _release_or_defer(self, job: Job | None) -> None:
        """Give back what does not come to its end; later, if the database is away.

        Perhaps it was settled a moment before: then it is not ours any more.
        """
        if job is None:
            return
        try:
            with suppress(ClaimLost):
                await self._settler.settle_interruption(job, _ENDED)
        except StoreUnavailable:
            self._left.add_job(job)

    @contextmanager
    def _keeping_claim(self, trace: str) -> Iterator[None]:
        """Remember a claim without confirmation: its commit may have succeeded."""
        try:
            yield
        except StoreUnavailable:
            self._left.add_claim(trace)
            raise

    async def _end(self, under_way: set["asyncio.Task[_AttemptResult]"]) -> None:
        """End what is still under way, and wait until each has put its job down."""
        # Cancelled before its first step, a task would never come to put its job down.
        await asyncio.sleep(0)
        for task in under_way:
            task.cancel()
        for turn in await asyncio.gather(*under_way, return_exceptions=True):
            if isinstance(turn, _AttemptResult):
                await self._release_or_defer(turn.following)
            elif isinstance(turn, Exception):
                log.warning("attempt failed while being ended", error=problem_of(turn).message)
