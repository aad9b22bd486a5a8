"""Carry out what follows from an attempt: each ending has its one move of the job."""

from dataclasses import replace
from datetime import timedelta

import structlog

from core.clock import Clock
from core.jobs import Job
from processor.instance import Instance
from processor.outage import explained
from processor.supervise import Ending, Interrupted
from processor.verdict import Cancel, Fail, Forget, Hold, Retry, judge, problem_of
from store import Store

log = structlog.get_logger()


class Settler:
    """Settles jobs after their attempt, and tells of it in the log."""

    def __init__(self, store: Store, *, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    async def succeeded(self, job: Job) -> Job:
        settled = await self._store.jobs.succeed(job, now=self._clock())
        log.info("job completed", kind=job.kind, attempt=job.attempts)
        return settled

    async def interrupted(self, job: Job, interrupted: Interrupted) -> Job:
        """Cancel the job or give it back, whichever was asked for."""
        why, now = str(interrupted), self._clock()
        if interrupted.ending is Ending.CANCELLED:
            log.info("job cancelled", why=why)
            return await self._store.jobs.cancelled(job, why, now=now)
        log.info("job released", why=why)
        return await self._store.jobs.release(job, why, now=now)

    async def failed(self, job: Job, instance: Instance, error: Exception) -> Job:
        """Find out whose fault it was, and do what follows."""
        error = await explained(error, instance, now=self._clock())
        policy = replace(instance.retry, max_attempts=job.max_attempts)
        now, problem, jobs = self._clock(), problem_of(error), self._store.jobs
        facts = {"attempt": job.attempts, "code": problem.code, "error": problem.message}
        match judge(error, attempts=job.attempts, now=now, policy=policy):
            case Retry(at):
                log.warning("job retried", scheduled_for=at.isoformat(), **facts)
                return await jobs.retry(job, problem, at=at, now=now)
            case Hold() as hold:
                return await self._hold(job, hold, policy.wait_after(job.attempts))
            case Forget():
                log.info("job cancelled", why="document gone", **facts)
                return await jobs.forget(job, now=now)
            case Cancel(why):
                log.info("job cancelled", why=why, attempt=job.attempts)
                return await jobs.cancelled(job, why, now=now)
            case Fail():
                log.error("job failed", **facts)
                return await jobs.fail(job, problem, now=now)

    async def _hold(self, job: Job, hold: Hold, wait: timedelta) -> Job:
        """Let the target rest, and give the attempt back.

        Unless the same document is behind two holds in a row: then it may well be the cause, and
        pays for it like for any other failure.
        """
        now = self._clock()
        caused_last = await self._store.holds.last_cause(hold.target)
        event = "endpoint held" if hold.blames_document else "limit reached"
        log.warning(event, target=hold.target, code=hold.cause.code, error=hold.cause.message)
        await self._store.holds.place(
            hold.target,
            hold.cause.message,
            next_probe_at=hold.until,
            now=now,
            document=job.document,
        )
        if hold.blames_document and caused_last == job.document:
            if job.attempts >= job.max_attempts:
                return await self._store.jobs.fail(job, hold.cause, now=now)
            return await self._store.jobs.retry(job, hold.cause, at=now + wait, now=now)
        why = f"{hold.target} rests: {hold.cause.message}"
        return await self._store.jobs.release(job, why, now=now)
