"""Supervise an attempt: heartbeat, cancel, stop, and a timeout for each stage."""

import asyncio
from collections.abc import Awaitable
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import TypeVar

import structlog

from core.errors import PaperclerkError
from core.jobs import Job, Stage
from core.messages import Message, message
from core.tasks import cancel_and_wait
from processor.attempt import Attempt
from processor.verdict import problem_of
from store import ClaimLost, StoreUnavailable

T = TypeVar("T")
log = structlog.get_logger()

_CALLS = 4
"""Maximum calls for one answer: two response formats, each once more with a longer answer."""
_REQUESTS = 10
"""Requests per stage: names, document and read-back; Paperless may be slow at each."""
_PROBE = timedelta(seconds=15)
"""Timeout of a probe: generous for a small request, and other jobs wait for its result."""
_QUESTION = timedelta(seconds=30)
"""Timeout of a probe that calls the model, which may have to be loaded first."""
_HEARTBEAT_INTERVAL = timedelta(seconds=1)
"""How often an attempt sends a heartbeat and checks whether it was cancelled."""


class TookTooLong(PaperclerkError):
    """A stage, or the whole attempt, did not end in time."""

    code = "took_too_long"
    user_message = "Processing this document took too long."
    hint = (
        "Increase ai.timeout for a slow model, paperless.timeout for a slow "
        "Paperless, or retry.attempt_timeout for a very long document."
    )


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Timeouts of a model call, of a request to Paperless and of a whole attempt."""

    call: timedelta = timedelta(minutes=5)
    request: timedelta = timedelta(seconds=30)
    attempt: timedelta = timedelta(hours=12)
    """All stages together: the time of a stage starts again with each chunk of a long document."""

    @property
    def probe(self) -> timedelta:
        """Return the timeout of a probe; no heartbeat is sent during a probe."""
        return min(self.request, _PROBE)

    @property
    def question(self) -> timedelta:
        """Return the timeout of a probe that the model itself has to answer."""
        return min(self.call, _QUESTION)

    def for_stage(self, stage: Stage | None) -> timedelta:
        """Return how long an attempt may stay in a stage."""
        return self.call * _CALLS if stage is Stage.ANALYZE else self.request * _REQUESTS


class StopReason(StrEnum):
    """Why an attempt was interrupted; its task sees a CancelledError for both."""

    CANCELLED = "cancelled"
    STOPPED = "stopped"


class Interrupted(Exception):
    """The attempt was cancelled or stopped."""

    def __init__(self, reason: StopReason, why: Message) -> None:
        super().__init__(str(why))
        self.reason = reason
        self.why = why


async def supervise(
    attempt: Attempt,
    work: Awaitable[T],
    *,
    stop: asyncio.Event,
    grace: timedelta,
    timeouts: Timeouts,
) -> T:
    """Run `work` with a heartbeat until it ends.

    Raise Interrupted if the job is cancelled, or `grace` after the stop; raise TookTooLong after a
    timeout. Nothing interrupts `work` from its first write on: each of its requests has a timeout.
    """
    task = asyncio.ensure_future(work)
    stopped = asyncio.ensure_future(_wait_for_stop(stop, grace))
    try:
        while not task.done():
            # A stop that is already known must not end the wait again at once.
            await asyncio.wait(
                {task} if stopped.done() else {task, stopped},
                timeout=_HEARTBEAT_INTERVAL.total_seconds(),
                return_when=asyncio.FIRST_COMPLETED,
            )
            if not task.done():
                await _raise_if_over(attempt, timeouts, is_stopped=stopped.done())
        return task.result()
    finally:
        await cancel_and_wait(stopped)
        error = await cancel_and_wait(task)
        if error is not None:
            failed = problem_of(error)
            log.warning(
                "attempt failed while being ended", code=failed.code, error=str(failed.message)
            )


async def _raise_if_over(attempt: Attempt, timeouts: Timeouts, *, is_stopped: bool) -> None:
    """Send a heartbeat; raise Interrupted or TookTooLong if the attempt must end now."""
    beat = await _heartbeat(attempt)
    if attempt.writing:
        return
    if beat is not None and beat.cancellation is not None and beat.ends_as is None:
        raise Interrupted(StopReason.CANCELLED, beat.cancellation.describe())
    if is_stopped:
        raise Interrupted(StopReason.STOPPED, message("stopped"))
    stage = attempt.job.stage
    if attempt.time_in_stage() > timeouts.for_stage(stage):
        raise TookTooLong(message("the stage {stage} took too long", stage=str(stage)))
    if attempt.time_taken() > timeouts.attempt:
        raise TookTooLong(
            message("the attempt took too long, although each of its parts finished in time")
        )


async def _heartbeat(attempt: Attempt) -> Job | None:
    """Send a heartbeat for the attempt; return None if it failed and the attempt continues.

    A model call must be paid for once it has started. Neither a database outage nor a lost claim
    ends it: its answer is stored, and the job's next owner need not call the model again.
    """
    try:
        return await attempt.heartbeat()
    except StoreUnavailable:
        return None
    except ClaimLost:
        if attempt.job.stage is Stage.ANALYZE:
            return None
        raise


async def _wait_for_stop(stop: asyncio.Event, grace: timedelta) -> None:
    await stop.wait()
    await asyncio.sleep(grace.total_seconds())
