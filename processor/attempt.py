"""One attempt at a job: its progress, its model calls, and the start of its write."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING

from core.analysis import Analysis, ModelCall
from core.calendar import Clock, day_start, month_start
from core.documents import DocumentRef
from core.jobs import CallProgress, Job, Stage
from core.pace import RateReached
from processor.limits import Budget
from store import Store, StoreUnavailable

if TYPE_CHECKING:
    from processor.instance import Instance

_SLEEP_STEP = timedelta(seconds=1)
_TICK_INTERVAL = timedelta(seconds=2)
"""Minimum time between two updates of a model call's progress."""

DeferredWrite = Callable[[], Awaitable[object]]
"""Stores something; does nothing if it is already stored."""


class Attempt:
    """The job that a handler processes, with its progress and its model calls."""

    def __init__(
        self,
        job: Job,
        *,
        store: Store,
        clock: Clock,
        budget: Budget,
        current: "Callable[[], Instance | None] | None" = None,
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

    def get_current(self, begun_with: "Instance") -> "Instance | None":
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
                number = await self._reserve(call)
            except RateReached as reached:
                if not self.calls:
                    raise
                await self._sleep_until(reached.free_at)
                call = replace(call, at=self.now())
            else:
                self._model_call = CallProgress(self.now(), usual_ms=usual)
                return number

    async def _reserve(self, call: ModelCall) -> int:
        return await self.store.calls.reserve(
            self._budget.with_cost(call),
            instance=self.document.instance,
            job_id=self.job.id,
            limits=self._budget.limits,
            rate=self._budget.pace.rate,
            day_start=day_start(call.at, self._budget.zone),
            month_start=month_start(call.at, self._budget.zone),
            claimed=self.job,
        )

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
