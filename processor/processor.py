"""The single processor: claim what is due, work on it, settle it."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, replace

import structlog

from core.clock import Clock
from core.jobs import EVERYTHING, Job, Scope
from processor.attempt import Attempt
from processor.instance import Instance
from processor.outage import confirm_outage
from processor.process import HANDLERS, Handler, Report
from processor.supervise import Ending, Interrupted, supervise
from processor.verdict import Cancel, Fail, Forget, Hold, Retry, judge, problem_of
from store import NotOurs, Store

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Finished:
    """A job after an attempt, and what came of it; no report if the attempt failed."""

    job: Job
    report: Report | None = None


class Processor:
    """Drains the queue of the given instances, one job at a time."""

    def __init__(
        self,
        store: Store,
        instances: Mapping[str, Instance],
        *,
        clock: Clock,
        worker: str,
        handlers: Mapping[str, Handler] = HANDLERS,
    ) -> None:
        self._store = store
        self._instances = instances
        self._clock = clock
        self._worker = worker
        self._handlers = handlers
        self._stop = asyncio.Event()

    @property
    def stopping(self) -> bool:
        return self._stop.is_set()

    def stop(self) -> None:
        """Claim nothing more, and give the job under way back unless it is being written."""
        self._stop.set()

    async def drain(self, scope: Scope = EVERYTHING) -> AsyncIterator[Finished]:
        """Work until nothing in `scope` is due, and yield each job after its attempt."""
        wanted = self._instances if scope.instances is None else scope.instances
        reach = replace(scope, instances=tuple(name for name in wanted if name in self._instances))
        while not self.stopping:
            job = await self._store.jobs.claim(worker=self._worker, scope=reach, now=self._clock())
            if job is None:
                return
            with structlog.contextvars.bound_contextvars(document=str(job.document), job=job.id):
                yield await self._attempt(job)

    async def _attempt(self, job: Job) -> Finished:
        attempt = Attempt(job, store=self._store, clock=self._clock)
        try:
            return await self._run(attempt)
        except NotOurs:
            # Someone took us for dead and gave the job to another; it is theirs to settle.
            log.warning("job lost", attempt=job.attempts)
            return Finished(await self._store.jobs.get(job.id))

    async def _run(self, attempt: Attempt) -> Finished:
        handler = self._handlers[attempt.job.kind]
        instance = self._instances[attempt.document.instance]
        try:
            report = await supervise(attempt, lambda: handler(attempt, instance), stop=self._stop)
        except NotOurs:
            raise
        except Interrupted as interrupted:
            return Finished(await self._give_up(attempt.job, interrupted))
        except asyncio.CancelledError:
            await asyncio.shield(self._give_up(attempt.job, Interrupted(Ending.STOPPED, "ended")))
            raise
        except Exception as error:  # noqa: BLE001 - one job's fault, whatever it is, ends here
            return Finished(await self._settle(attempt.job, instance, error))
        job = await self._store.jobs.succeed(attempt.job, now=self._clock())
        log.info("job completed", kind=job.kind, attempt=job.attempts)
        return Finished(job, report)

    async def _give_up(self, job: Job, interrupted: Interrupted) -> Job:
        why, now = str(interrupted), self._clock()
        if interrupted.ending is Ending.CANCELLED:
            log.info("job cancelled", why=why)
            return await self._store.jobs.cancelled(job, why, now=now)
        log.info("job released", why=why)
        return await self._store.jobs.release(job, why, now=now)

    async def _settle(self, job: Job, instance: Instance, error: Exception) -> Job:
        """Carry out what follows from a failed attempt."""
        error = await confirm_outage(error, instance)
        policy = replace(instance.retry, max_attempts=job.max_attempts)
        now, problem, jobs = self._clock(), problem_of(error), self._store.jobs
        facts = {"attempt": job.attempts, "code": problem.code, "error": problem.message}
        match judge(error, attempts=job.attempts, now=now, policy=policy):
            case Retry(at):
                log.warning("job retried", scheduled_for=at.isoformat(), **facts)
                return await jobs.retry(job, problem, at=at, now=now)
            case Hold(target, cause, next_probe_at):
                log.warning("endpoint held", target=target, code=cause.code, error=cause.message)
                await self._store.holds.place(
                    target, cause.message, next_probe_at=next_probe_at, now=now
                )
                return await jobs.release(job, f"{target} rests: {cause.message}", now=now)
            case Forget():
                log.info("job cancelled", why="document gone", **facts)
                return await jobs.forget(job, now=now)
            case Cancel(why):
                log.info("job cancelled", why=why, attempt=job.attempts)
                return await jobs.cancelled(job, why, now=now)
            case Fail():
                log.error("job failed", **facts)
                return await jobs.fail(job, problem, now=now)
