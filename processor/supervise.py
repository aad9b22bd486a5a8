"""How long each stage of an attempt may take: nothing that hangs may hang the processor."""

import asyncio
from collections.abc import Awaitable, Callable
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

_CALLS = 4
"""An answer may take as many calls: two ways of asking, each once more with more room."""
_REQUESTS = 10
"""Reading names, document and back again; Paperless may be slow at each."""

_PROBE = timedelta(seconds=15)
"""Much for so small a question; and the others wait for its answer."""
_QUESTION = timedelta(seconds=30)
"""A model may have to be loaded first."""


class TookTooLong(PaperclerkError):
    """A stage, or the whole attempt, did not come to its end in time."""

    code = "took_too_long"
    user_message = "Processing this document took too long."
    hint = (
        "Increase ai.timeout for a slow model, paperless.timeout for a slow "
        "Paperless, or retry.attempt_timeout for a very long document."
    )


@dataclass(frozen=True, slots=True)
class Timeouts:
    """The longest that a call to the model, a request to Paperless and a whole attempt may take."""

    call: timedelta = timedelta(minutes=5)
    request: timedelta = timedelta(seconds=30)
    attempt: timedelta = timedelta(hours=12)
    """All stages together: each may be begun anew for each part of a long document."""

    @property
    def probe(self) -> timedelta:
        """Return how long a probe may take: nobody shows meanwhile that the job is alive."""
        return min(self.request, _PROBE)

    @property
    def question(self) -> timedelta:
        """Return how long a probe may take that the model itself has to answer."""
        return min(self.call, _QUESTION)

    def for_stage(self, stage: Stage | None) -> timedelta:
        """Return how long an attempt may stay in a stage."""
        return self.call * _CALLS if stage is Stage.ANALYZE else self.request * _REQUESTS


T = TypeVar("T")
log = structlog.get_logger()

_HEARTBEAT_INTERVAL = timedelta(seconds=1)
"""How often an attempt shows that it lives and looks whether someone wants it cancelled."""


class StopReason(StrEnum):
    """Why an attempt was ended from outside; to its task both are the same exception."""

    CANCELLED = "cancelled"
    STOPPED = "stopped"


class Interrupted(Exception):
    """The attempt was ended from outside."""

    def __init__(self, ending: StopReason, why: Message) -> None:
        super().__init__(str(why))
        self.ending = ending
        self.why = why


@dataclass(frozen=True, slots=True)
class StopConditions:
    """When an attempt is to end, though it has not come to its end."""

    stop: asyncio.Event
    grace: timedelta
    """How long an attempt may go on after the stop."""
    timeouts: Timeouts


async def supervise(attempt: Attempt, work: Callable[[], Awaitable[T]], watch: StopConditions) -> T:
    """Run `work` with a heartbeat until it ends; raise Interrupted if it is to end before.

    From the first write on nothing interrupts it: each of its requests has an end of its own.
    """
    task = asyncio.ensure_future(work())
    stopped = asyncio.ensure_future(_stop_and_grace(watch))
    try:
        while not task.done():
            # A stop that is already known must not wake us again at once.
            waited_for = {task} if stopped.done() else {task, stopped}
            await asyncio.wait(
                waited_for,
                timeout=_HEARTBEAT_INTERVAL.total_seconds(),
                return_when=asyncio.FIRST_COMPLETED,
            )
            if not task.done():
                await _check_on(attempt, watch, over=stopped.done())
        return task.result()
    finally:
        await cancel_and_wait(stopped)
        error = await cancel_and_wait(task)
        if error is not None:
            failed = problem_of(error)
            log.warning(
                "attempt failed while being ended", code=failed.code, error=str(failed.message)
            )


async def _check_on(attempt: Attempt, watch: StopConditions, *, over: bool) -> None:
    beat = await _heartbeat(attempt)
    if attempt.writing:
        return
    if beat is not None and beat.cancel_requested is not None and beat.ends_as is None:
        raise Interrupted(StopReason.CANCELLED, beat.cancel_requested)
    if over:
        raise Interrupted(StopReason.STOPPED, message("stopped"))
    stage = attempt.job.stage
    if attempt.time_in_stage() > watch.timeouts.for_stage(stage):
        raise TookTooLong(message("the stage {stage} took too long", stage=str(stage)))
    if attempt.time_taken() > watch.timeouts.attempt:
        raise TookTooLong(
            message("the attempt took too long, although each of its parts finished in time")
        )


async def _heartbeat(attempt: Attempt) -> Job | None:
    """Send a heartbeat for the attempt; return None if it failed and the attempt continues.

    A model call must be paid for once it has started. Neither a database outage nor a lost claim
    ends it: its answer is stored, and the job's next owner need not call the model again.
    """
    try:
        return await attempt.store.jobs.heartbeat(attempt.job, now=attempt.now())
    except StoreUnavailable:
        return None
    except ClaimLost:
        if attempt.job.stage is Stage.ANALYZE:
            return None
        raise


async def _stop_and_grace(watch: StopConditions) -> None:
    await watch.stop.wait()
    await asyncio.sleep(watch.grace.total_seconds())
