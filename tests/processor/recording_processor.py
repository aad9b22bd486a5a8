"""A processor with a kind of job for tests, which runs a function of the test."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import datetime, timedelta

from core.calendar import utc_now
from core.documents import DocumentRef
from core.jobs import Job, JobStatus, NewJob
from daemon.services import Services
from processor.attempt import Attempt
from processor.instance import Instance
from processor.pipeline import EmptyPayload, JobHandler, Report, handlers_by_kind
from processor.processor import Processor
from processor.verdict import RetryPolicy
from tests.installation import HOME
from tests.waiting import SOON

ERRAND = "errand"
"""The kind of the jobs."""


class RecordingProcessor:
    """Runs errands, and records their order and how many ran at a time."""

    def __init__(
        self,
        services: Services,
        parallel: int = 1,
        *,
        grace: timedelta = timedelta(0),
        instances: dict[str, Instance] | None,
    ) -> None:
        self.store = services.store
        self.begun: list[DocumentRef] = []
        self.ended: list[DocumentRef] = []
        self.most_at_a_time = 0
        self.clock_reads = 0
        """Number of times the clock was read: a sleeping processor does not read it."""
        self.errands: dict[int, Callable[[Attempt], Awaitable[None]]] = {}
        """The function for each document; nothing by default."""
        self.processor = Processor(
            services.store,
            instances or services.instances,
            clock=self._clock,
            worker="recorder",
            parallel=parallel,
            grace=grace,
            kinds=handlers_by_kind(JobHandler(ERRAND, EmptyPayload, self._do)),
        )

    async def ask_for(self, *ids: int, instance: str = HOME, at: datetime | None = None) -> None:
        for id_ in ids:
            new = NewJob(DocumentRef(instance, id_), ERRAND)
            await self.store.jobs.enqueue(new, now=at or utc_now())

    async def drain(self) -> list[Job]:
        return [outcome.job async for outcome in self.processor.drain()]

    @asynccontextmanager
    async def running(self) -> AsyncIterator["asyncio.Task[None]"]:
        """Run the processor in the background; it must end soon after the stop."""
        task = asyncio.create_task(self.processor.run())
        try:
            yield task
        finally:
            self.processor.stop()
            await asyncio.wait_for(asyncio.gather(task, return_exceptions=True), SOON)

    async def statuses(self) -> dict[int, tuple[JobStatus, int]]:
        jobs = await self.store.jobs.list()
        return {job.document.id: (job.status, job.attempts) for job in jobs}

    def _clock(self) -> datetime:
        self.clock_reads += 1
        return utc_now()

    async def _do(self, attempt: Attempt, _: Instance, __: EmptyPayload) -> Report:
        self.begun.append(attempt.document)
        self.most_at_a_time = max(self.most_at_a_time, len(self.begun) - len(self.ended))
        try:
            if attempt.document.id in self.errands:
                await self.errands[attempt.document.id](attempt)
        finally:
            self.ended.append(attempt.document)
        return Report()


def slow(gate: asyncio.Event) -> Callable[[Attempt], Awaitable[None]]:
    """Return a function that waits for the gate."""

    async def wait(_: Attempt) -> None:
        await gate.wait()

    return wait


async def for_a_while(seconds: float = 0.3) -> None:
    """Give other tasks time to run."""
    await asyncio.sleep(seconds)


SHORT = timedelta(milliseconds=200)


def build_processor(
    services: Services,
    parallel: int = 1,
    *,
    grace: timedelta = timedelta(0),
    retry: RetryPolicy | None = None,
) -> RecordingProcessor:
    """Return a processor of one instance, with its retry policy if one is given."""
    if retry is None:
        return RecordingProcessor(services, parallel, grace=grace, instances=None)
    patient = {HOME: replace(services.instances[HOME], retry=retry)}
    return RecordingProcessor(services, parallel, grace=grace, instances=patient)
