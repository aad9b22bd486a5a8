"""Settle a job after its attempt: complete, retry, hold, cancel or fail it, and log the move."""

import asyncio
import logging
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

import structlog

from core.analysis import ModelCall
from core.calendar import Clock
from core.changes import ChangeState
from core.errors import Problem
from core.holds import HoldKind, kind_of, next_probe_after, target_message
from core.jobs import DRY_RUN, UNDO, Job, JobStatus, Scope
from core.messages import message
from paperless_client import OutageSuspected
from processor.analysis.errors import ModelUnavailable
from processor.attempt import Attempt, Interrupted, StopReason
from processor.holds import diagnose
from processor.instance import Instance
from processor.pipeline import Report
from processor.verdict import (
    Cancel,
    Fail,
    Forget,
    NotYet,
    PlaceHold,
    Retry,
    RetryPolicy,
    SkipReadOnly,
    judge,
    problem_of,
    with_jitter,
)
from store import JobNotFound, Store

log = structlog.get_logger()

LogFields = Mapping[str, object]
_VERIFY_DELAY = timedelta(minutes=5)
"""Maximum delay after the first attempt that only verifies a write."""
_HOLD_LEVELS = {
    HoldKind.RATE: logging.DEBUG,
    HoldKind.HOURS: logging.INFO,
    HoldKind.BACKLOG: logging.INFO,
}
"""A rate is reached all the time, the hours end every day; other holds are warnings."""


class Settler:
    """Settles jobs after their attempt, and logs each move."""

    def __init__(self, store: Store, *, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._one_at_a_time = asyncio.Lock()

    async def settle_success(
        self, job: Job, wanted: Scope, figures: LogFields, *, trace: str
    ) -> tuple[Job, Job | None]:
        """Settle the job and claim the next one in the same transaction.

        `trace` is the trace id of the next attempt.
        """
        settled, following = await self._store.jobs.succeed_and_claim(
            job, scope=wanted, now=self._clock(), trace=trace
        )
        _log_move("job completed", settled, logging.INFO, kind=job.kind, **figures)
        return settled, following

    async def settle_interruption(self, job: Job, interrupted: Interrupted) -> Job:
        """Cancel or release an interrupted job."""
        why, now = interrupted.why, self._clock()
        if interrupted.reason is StopReason.CANCELLED:
            return _log_move(
                "job cancelled", await self._store.jobs.end_cancelled(job, why, now=now)
            )
        return _log_move(
            "job released", await self._store.jobs.release(job, why, now=now), why=str(why)
        )

    async def put_off(self, job: Job, early: NotYet) -> Job:
        """Postpone the job until it can be tried again, and refund its attempt."""
        why, now = early.message, self._clock()
        postponed = await self._store.jobs.postpone(job, why, now=now, due=early.due)
        return _log_move("job put off", postponed, why=str(why))

    async def settle_verified(self, job: Job) -> Job:
        """End a job after its begun writes were checked; unknown ones become unconfirmed."""
        return _log_move("job ended", await self._store.jobs.conclude(job, now=self._clock()))

    async def log_earlier_settlement(self, job: Job) -> None:
        """Log the state of a job that was settled without a confirmation from the database.

        The connection broke after the commit, so the usual line was not logged.
        """
        try:
            found = await self._store.jobs.get(job.id)
        except JobNotFound:
            return
        facts = {"status": found.status, "scheduled_for": found.scheduled_for.isoformat()}
        if found.problem is not None:
            facts |= {"code": found.problem.code, "error": str(found.problem.message)}
        log.warning("job was settled before the database went away", **facts)

    async def settle_failure(self, job: Job, instance: Instance, error: Exception) -> Job:
        """Find the cause of an error, and retry, hold, cancel or fail the job."""
        error = await diagnose(error, instance, self._store, self._clock())
        policy = _policy(job, instance)
        now, problem, jobs = self._clock(), problem_of(error), self._store.jobs
        match judge(error, attempts=job.tries, now=now, policy=policy):
            case Retry(at):
                if isinstance(error, OutageSuspected | ModelUnavailable):
                    at = now + with_jitter(at - now, job.id)
                return await self._retry(job, problem, at)
            case PlaceHold() as hold:
                return await self._hold(job, hold, policy)
            case Forget():
                return _log_move("job cancelled", await jobs.end_gone(job, now=now))
            case Cancel(why):
                return _log_move("job cancelled", await jobs.end_cancelled(job, why, now=now))
            case SkipReadOnly(why):
                return _log_move("job cancelled", await jobs.end_read_only(job, why, now=now))
            case Fail():
                return _log_move("job failed", await jobs.fail(job, problem, now=now))

    async def settle_internal_error(self, job: Job, instance: Instance, bug: Exception) -> Job:
        """Settle a job with a normal retry after an internal error while settling it.

        Otherwise it would be considered dead, and its neighbours would lose attempts as well.
        """
        problem = problem_of(bug)
        log.error("job settling failed", code=problem.code, error=str(problem.message))
        policy = _policy(job, instance)
        return await self._charge(job, problem, policy, wait=policy.wait_after(job.tries))

    async def _hold(self, job: Job, hold: PlaceHold, policy: RetryPolicy) -> Job:
        """Put the target on hold, and refund the attempt.

        If the same document caused the last hold too, it may be the reason itself, and the attempt
        counts like any other failure.
        """
        now, target = self._clock(), target_message(hold.target)
        why = message("{target}: {cause}", target=target, cause=hold.cause.message)
        async with self._one_at_a_time:
            last_cause = await self._store.holds.get_last_document(hold.target)
            next_probe_at = await self._place(hold, job)
        if not hold.blames_document:
            return _log_move("job put off", await self._store.jobs.postpone(job, why, now=now))
        if last_cause != job.document:
            # Not due at once: a worker that claims despite the hold would claim it again.
            due = next_probe_at and max(next_probe_at, now + next_probe_after(1))
            released = await self._store.jobs.release(job, why, now=now, due=due)
            return _log_move("job released", released)
        wait = with_jitter(policy.wait_after(job.tries), job.id)
        return await self._charge(job, hold.problem, policy, wait=wait)

    async def _charge(
        self, job: Job, problem: Problem, policy: RetryPolicy, *, wait: timedelta
    ) -> Job:
        """Count the attempt; retry after the delay, or fail if it was the last one."""
        now = self._clock()
        if job.tries >= policy.max_attempts:
            return _log_move("job failed", await self._store.jobs.fail(job, problem, now=now))
        return await self._retry(job, problem, now + wait)

    async def _place(self, hold: PlaceHold, job: Job) -> datetime | None:
        """Place the hold unless another job has done so; return when its target is probed next.

        Return None if the hold was placed by this call.
        """
        now = self._clock()
        for active in await self._store.holds.list_active():
            if active.target == hold.target and not active.is_over(now):
                return active.next_probe_at
        await self._store.holds.place(
            hold.target,
            hold.cause,
            next_probe_at=hold.until,
            now=now,
            document=job.document,
        )
        facts = {"target": hold.target, "code": hold.problem.code}
        log.log(
            _HOLD_LEVELS.get(kind_of(hold.target), logging.WARNING),
            "endpoint held" if hold.blames_document else "limit reached",
            error=str(hold.cause.message),
            **facts,
        )
        return None

    async def _retry(self, job: Job, problem: Problem, at: datetime) -> Job:
        settled = await self._store.jobs.retry(job, problem, at=at, now=self._clock())
        facts = {
            "scheduled_for": at.isoformat(),
            "code": problem.code,
            "error": str(problem.message),
        }
        return _log_move("job retried", settled, logging.WARNING, **facts)


def build_log_fields(attempt: Attempt, report: Report) -> LogFields:
    """Return the log fields of a completed attempt; without titles and values."""
    took = round(attempt.time_taken().total_seconds() * 1000)
    return {**count_outcomes(attempt.job.kind, report), **sum_calls(attempt.calls), "took_ms": took}


def count_outcomes(kind: str, report: Report) -> LogFields:
    """Return the numbers of changes that were written, undone or left for review."""
    states = Counter(change.state for change in report.changes)
    planned = report.plan
    for_review = len(planned.review) if planned else 0
    if kind == UNDO:
        return {"taken_back": states[ChangeState.UNDONE], "kept": len(report.kept)}
    if kind == DRY_RUN:
        return {"would_write": len(planned.now) if planned else 0, "for_review": for_review}
    waiting = for_review + states[ChangeState.CONFLICT]
    return {"written": states[ChangeState.APPLIED], "for_review": waiting}


def sum_calls(calls: Sequence[ModelCall]) -> LogFields:
    """Return the sums of an attempt's model calls; nothing if the model was not called."""
    if not calls:
        return {}
    return {
        "model": calls[-1].model,
        "tokens_in": sum(call.tokens_in for call in calls),
        "tokens_out": sum(call.tokens_out for call in calls),
        "cost": float(sum(call.cost for call in calls)),
    }


def _policy(job: Job, instance: Instance) -> RetryPolicy:
    usual = replace(instance.retry, max_attempts=job.max_tries)
    # What a job has written must be known within minutes, not hours.
    return usual if job.ends_as is None else replace(usual, step=min(usual.step, _VERIFY_DELAY))


def _log_move(event: str, settled: Job, level: int = logging.INFO, **facts: object) -> Job:
    """Log a move by the state it led to: a released job may have ended instead."""
    problem = settled.problem
    if settled.status is JobStatus.PENDING and settled.ends_as is not None:
        # The job has not ended: the effect of its write is not known yet.
        log.warning("job end deferred", ends_as=settled.ends_as, **facts)
    elif settled.status is JobStatus.CANCELLED:
        log.info("job cancelled", why=str(settled.cancel_requested))
    elif settled.status is JobStatus.FAILED and problem is not None:
        failed = {"code": problem.code, "error": str(problem.message)}
        log.error("job failed", attempt=settled.attempts, **failed)
    else:
        log.log(level, event, attempt=settled.attempts, **facts)
    return settled
