"""One attempt at a job: its progress, model calls and deferred writes, and its supervision."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import datetime, timedelta
from enum import StrEnum
from functools import partial
from typing import TypeVar

import structlog

from core.analysis import Analysis, ModelCall
from core.calendar import Clock, day_start, month_start
from core.documents import DocumentRef
from core.errors import PaperclerkError
from core.jobs import CallProgress, Job, Stage
from core.messages import Message, message
from core.pace import RateReached
from core.tasks import cancel_and_wait
from processor.instance import Budget, Instance, Timeouts
from processor.verdict import problem_of
from store import ClaimLost, Store, StoreUnavailable

T = TypeVar("T")

log = structlog.get_logger()

DeferredWrite = Callable[[], Awaitable[object]]
"""Stores something; does nothing if it is already stored."""
_HEARTBEAT_INTERVAL = timedelta(seconds=1)
"""How often an attempt sends a heartbeat and checks whether it was cancelled."""
_SLEEP_STEP = timedelta(seconds=1)
_TICK_INTERVAL = timedelta(seconds=2)
"""Minimum time between two updates of a model call's progress."""


class TookTooLong(PaperclerkError):
    """A stage, or the whole attempt, did not end in time."""

    code = "took_too_long"
    user_message = "Processing this document took too long."
    hint = (
        "Increase ai.timeout for a slow model, paperless.timeout for a slow "
        "Paperless, or retry.attempt_timeout for a very long document."
    )


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


class Attempt:
    """The job that a handler processes, with its progress and its model calls."""

    def __init__(
        self,
        job: Job,
        *,
        store: Store,
        clock: Clock,
        budget: Budget,
        current: Callable[[], Instance | None] | None = None,
    ) -> None:
        self.job = job
        self._current = current
        self.store = store
        self._budget = budget
        self._began = self._stage_began = time.monotonic()
        self.writing = False
        """True from the first write on: then the attempt can no longer be cancelled."""
        self.calls: list[ModelCall] = []
        """The model calls of this attempt, with their actual usage."""
        self.asked = asyncio.Event()
        """Set once a model call is recorded and is about to be sent."""
        self.unstored: list[DeferredWrite] = []
        """Writes that failed because the database was unreachable; they are repeated later."""
        self._clock = clock
        self._model_call: CallProgress | None = None
        self._ticked_at: datetime | None = None
        """When the progress of a model call was last stored."""
        self._stage_end = 0
        """The percentage that a model call of the current stage does not exceed."""

    @property
    def document(self) -> DocumentRef:
        return self.job.document

    def now(self) -> datetime:
        return self._clock()

    def get_current(self, begun_with: Instance) -> Instance | None:
        """Return the instance by the current settings; None if its settings were removed."""
        return begun_with if self._current is None else self._current()

    async def set_progress(self, stage: Stage, percent: int, *, until: int = 0) -> None:
        """Store the stage and the progress; a model call in it fills the bar `until` there."""
        self.job = await self.store.jobs.record_progress(self.job, stage, percent, now=self.now())
        self._stage_began, self._stage_end = time.monotonic(), max(percent, until)

    async def heartbeat(self) -> Job:
        """Store that the attempt is alive, and from time to time how far its model call is."""
        now, call = self.now(), self._model_call
        is_early = self._ticked_at is not None and abs(now - self._ticked_at) < _TICK_INTERVAL
        if call is None or is_early:
            return await self.store.jobs.heartbeat(self.job, now=now)
        self._ticked_at = now
        percent = call.estimate_percent(self.job.progress, self._stage_end, now=now)
        return await self.store.jobs.record_model_call(self.job, call, percent, now=now)

    def time_in_stage(self) -> timedelta:
        return timedelta(seconds=time.monotonic() - self._stage_began)

    def time_taken(self) -> timedelta:
        return timedelta(seconds=time.monotonic() - self._began)

    async def begin_writing(self) -> None:
        """Set the progress to the write; from here on the attempt cannot be cancelled."""
        self.writing = True
        await self.set_progress(Stage.APPLY, 70)

    async def require_budget(self) -> None:
        """Raise LimitReached, RateReached or OutsideHours if the model may not be called now.

        Nothing is raised if a stored answer replaces the call.

        Checked before anything is fetched: a long queue must not cost Paperless any requests.
        """
        if await self.store.results.has_reusable(self.job):
            return
        now, zone, pace = self.now(), self._budget.zone, self._budget.pace
        pace.require_hours(self.job.priority, now)
        await self.store.calls.require_budget(
            instance=self.document.instance,
            job_id=self.job.id,
            at=now,
            limits=self._budget.limits,
            rate=pace.rate,
            day_start=day_start(now, zone),
            month_start=month_start(now, zone),
        )

    async def reserve(self, call: ModelCall) -> int:
        """Record a model call before it is made; raise LimitReached, RateReached or ClaimLost.

        A further call of the same document waits for its turn: what was paid for is not thrown
        away.
        """
        usual = await self.store.calls.get_usual_time(endpoint=call.endpoint, model=call.model)
        while True:
            try:
                number = await self.store.calls.reserve(
                    self._budget.with_cost(call),
                    instance=self.document.instance,
                    job_id=self.job.id,
                    limits=self._budget.limits,
                    rate=self._budget.pace.rate,
                    day_start=day_start(call.at, self._budget.zone),
                    month_start=month_start(call.at, self._budget.zone),
                    claimed=self.job,
                )
            except RateReached as reached:
                if not self.calls:
                    raise
                await self._sleep_until(reached.free_at)
                call = replace(call, at=self.now())
            else:
                self._model_call = CallProgress(self.now(), usual_ms=usual)
                self.asked.set()
                return number

    async def _sleep_until(self, moment: datetime) -> None:
        """Sleep in short steps, so that a clock that is set meanwhile is noticed."""
        while (left := moment - self.now()) > timedelta():
            await asyncio.sleep(min(left, _SLEEP_STEP).total_seconds())

    def report_tokens(self, tokens: int, *, is_thinking: bool) -> None:
        """Remember how far the running call is; it is stored with a heartbeat."""
        if self._model_call is not None:
            self._model_call = replace(self._model_call, tokens=tokens, is_thinking=is_thinking)

    async def finish(self, number: int, call: ModelCall, answer: str) -> None:
        """Replace the reserved usage of a call by the actual one, and keep its answer.

        If the database is unreachable, it is stored later: the answer must not be lost.
        """
        self._model_call = None
        priced = self._budget.with_cost(call)
        self.calls.append(priced)
        finish = partial(self.store.calls.finish, number, priced, answer)
        try:
            await finish()
        except StoreUnavailable:
            self.unstored.append(finish)

    async def save(self, analysis: Analysis) -> Analysis:
        """Store the analysis of a chunk or of the whole document, and return it as stored.

        Raise StoreUnavailable if the database is unreachable; the answer is then stored later.
        """
        results = self.store.results
        save = results.save if analysis.part is None else results.save_chunk
        try:
            return (await save(self.job, analysis, now=self.now())).analysis
        except StoreUnavailable:
            self.unstored.append(partial(save, self.job, analysis, now=self.now()))
            raise


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
