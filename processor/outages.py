"""Probe Paperless and the model for outages, and diagnose whether an error was caused by one."""

import asyncio
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

import structlog

from core.analysis import ModelCall
from core.calendar import day_start, month_start
from core.errors import Problem
from core.holds import HoldCause, backlog_target, hours_target, limit_target
from core.messages import message
from core.pace import HoursFor, OutsideHours, RateReached
from core.spending import LimitReached, SpendingLimits
from paperless_client import (
    OutageSuspected,
    PaperlessError,
    PaperlessUnavailable,
    PermissionMissing,
)
from processor.analysis.errors import (
    KeyRefused,
    ModelError,
    ModelNotFound,
    ModelUnavailable,
    NotSupported,
    RateLimited,
)
from processor.instance import Instance
from processor.verdict import DocumentForbidden, EndpointDown, OverLimit, problem_of
from store import Store

log = structlog.get_logger()

_SILENT = message("no answer in time")


class ProbeLedger:
    """Records the model calls of probes, which belong to no job and ignore the limits."""

    def __init__(self, store: Store, instance: Instance) -> None:
        self._calls = store.calls
        self._instance = instance
        self.mode = ""
        """The response format of the last call."""

    async def reserve(self, call: ModelCall) -> int:
        self.mode = call.mode
        budget = self._instance.budget
        return await self._calls.reserve(
            budget.with_cost(call),
            instance=self._instance.name,
            job_id=None,
            limits=SpendingLimits(),
            day_start=day_start(call.at, budget.zone),
            month_start=month_start(call.at, budget.zone),
        )

    async def finish(self, number: int, call: ModelCall, _: str) -> None:
        """Replace the reserved usage of a call by the actual one; the answer is not kept."""
        await self._calls.finish(number, self._instance.budget.with_cost(call))

    def report_tokens(self, tokens: int, *, is_thinking: bool) -> None:
        """Do nothing: nobody watches a probe."""


@dataclass(frozen=True, slots=True)
class ProbeFailure:
    """What a failed probe found."""

    problem: Problem
    cause: HoldCause
    retry_after: timedelta | None = None
    """The server's Retry-After; None if it sent none."""

    def next_probe(self, probes: int, *, now: datetime) -> datetime:
        """Return the time of the next probe, by the number of probes or by Retry-After."""
        return now + self.cause.wait_before_probe(probes, retry_after=self.retry_after)


async def probe_paperless(instance: Instance) -> ProbeFailure | None:
    """Probe the instance's Paperless; return None if it responds."""
    try:
        async with asyncio.timeout(instance.timeouts.probe.total_seconds()):
            await instance.paperless.probe()
    except PaperlessError as error:
        return _build_failure(error)
    except TimeoutError:
        return _build_failure(PaperlessUnavailable(message("reach Paperless"), _SILENT))
    return None


async def probe_model(instance: Instance) -> ProbeFailure | None:
    """Probe the instance's model server; return None if it lists the model."""
    model = instance.model.server.endpoint.model
    try:
        async with asyncio.timeout(instance.timeouts.probe.total_seconds()):
            offered = await instance.model.server.list_models()
    except ModelError as error:
        return _build_failure(error)
    except TimeoutError:
        return _build_failure(ModelUnavailable(_SILENT))
    if offered and model not in offered:
        return _build_failure(
            ModelNotFound(message("the model server has no model {name}", name=model))
        )
    return None


async def probe_answers(instance: Instance, store: Store) -> ProbeFailure | None:
    """Probe the instance's model with a tiny question; return None if it answers.

    Many servers list their models even to clients without a valid key or quota, or above a rate
    limit. The question is asked only if the list is there.
    """
    failure = await probe_model(instance) or await _probe_by_question(instance, store)
    if failure is None:
        return None
    cause = message("all requests fail: {said}", said=failure.cause.message)
    return replace(
        failure,
        problem=replace(failure.problem, message=cause),
        cause=replace(failure.cause, message=cause, needs_answer=True),
    )


def retry_after_of(error: Exception) -> timedelta | None:
    """Return the server's Retry-After; None if it sent none."""
    return getattr(error, "retry_after", None)


async def diagnose(error: Exception, instance: Instance, store: Store, now: datetime) -> Exception:
    """Return the cause of an error: an outage, a limit, or the error itself.

    It is an outage if a probe without a document fails as well. After a refused key, quota or rate,
    the probe asks the model a question.
    """
    match error:
        case LimitReached() | RateReached() | OutsideHours():
            return _build_over_limit(error, instance, now)
        case KeyRefused() | RateLimited():
            failure, target = await probe_answers(instance, store), instance.model_target
        case ModelUnavailable():
            failure, target = await probe_model(instance), instance.model_target
        case OutageSuspected():
            failure, target = await probe_paperless(instance), instance.paperless_target
        case PermissionMissing(document=int()):
            # If nothing can be read at all, the cause is the token, and it may be fixed later.
            failure = await probe_paperless(instance)
            return DocumentForbidden(error.message) if failure is None else error
        case _:
            return error
    if failure is None:
        return error
    waits = [wait for wait in (retry_after_of(error), failure.retry_after) if wait is not None]
    failure = replace(failure, retry_after=max(waits, default=None))
    return EndpointDown(target, failure.problem, failure.cause, failure.next_probe(1, now=now))


async def _probe_by_question(instance: Instance, store: Store) -> ProbeFailure | None:
    try:
        async with asyncio.timeout(instance.timeouts.question.total_seconds()):
            await instance.model.probe(ledger=ProbeLedger(store, instance))
    except ModelUnavailable as error:
        return _build_failure(error)
    except TimeoutError:
        return _build_failure(ModelUnavailable(_SILENT))
    except (ModelError, NotSupported):
        # The server refuses this question only: without key or quota it refuses earlier.
        return None
    return None


def _build_failure(error: Exception) -> ProbeFailure:
    problem = problem_of(error)
    # Without what was attempted when it was noticed: the cause is shown for the whole outage.
    cause = error.reason if isinstance(error, PaperlessError) else problem.message
    is_daily = isinstance(error, ModelUnavailable) and error.is_daily_quota
    return ProbeFailure(problem, HoldCause(cause, is_daily_quota=is_daily), retry_after_of(error))


def _build_over_limit(
    error: LimitReached | RateReached | OutsideHours, instance: Instance, now: datetime
) -> OverLimit:
    """Return what is on hold because of a limit, a rate or the hours, and until when."""
    cause, pace, name = HoldCause(error.message), instance.budget.pace, instance.name
    match error:
        case LimitReached():
            target, until = limit_target(name), instance.budget.resumes_at(error.kind, now)
            cause = replace(cause, limit=error.kind)
        case RateReached():
            target, until = instance.rate_target, error.free_at
        case OutsideHours():
            is_all = pace.hours_for is HoursFor.ALL
            target = hours_target(name) if is_all else backlog_target(name)
            until = pace.opens_at(now)
    return OverLimit(target, problem_of(error), cause, until)
