"""An attempt under way: it shows that it lives, and ends when it is to be cancelled or stopped."""

import asyncio
from datetime import datetime, timedelta

import pytest

from core.documents import DocumentState
from core.jobs import DRY_RUN, EventName, Job, JobStatus, Stage
from daemon.services import Services
from processor.attempt import Attempt, supervise
from processor.instance import Budget, Timeouts
from processor.processor import FinishedJob, Processor
from sandbox import Sandbox
from tests.installation import (
    MODEL_BLOCKED,
    blocked,
    blocking,
    drain,
    enqueue_document,
    fields_of,
    home,
    patches,
    writes,
)
from tests.store.builders import FakeClock
from tests.waiting import SOON

WRITING = blocked("/api/documents/1/", method="PATCH")


async def has_beaten(services: Services, clock: FakeClock, job: Job) -> datetime:
    """Wait for two heartbeats of an attempt; return the time of the last one.

    By the second one, it has processed everything that it read at the first.
    """
    for _ in range(2):
        later = clock.advance(seconds=30)
        async with asyncio.timeout(SOON):
            while (await services.store.jobs.get(job.id)).heartbeat_at != later:
                await asyncio.sleep(0.01)
    return later


async def drained(processor: Processor) -> list[FinishedJob]:
    return [outcome async for outcome in processor.drain()]


async def test_a_cancel_ends_the_model_call_while_the_model_still_thinks(
    services: Services, sandbox: Sandbox, clock: FakeClock
) -> None:
    job = await enqueue_document(services, 1)

    async with blocking(sandbox.model.state.faults, MODEL_BLOCKED, drain(services)) as draining:
        await services.store.jobs.cancel(job.id, by="hand: a mistake", now=clock())
        [finished] = await asyncio.wait_for(draining, SOON)

    assert finished.job.status is JobStatus.CANCELLED
    assert str(finished.job.cancel_requested) == "hand: a mistake"
    [call] = await services.store.calls.list_for_job(job.id)
    assert call.outcome == "cancelled"
    known = await services.store.documents.get(home(1))
    assert known is not None
    assert known.state is DocumentState.CANCELLED
    assert writes(sandbox) == []


async def test_a_cancel_that_comes_after_the_first_write_comes_too_late(
    services: Services, sandbox: Sandbox, clock: FakeClock
) -> None:
    job = await enqueue_document(services, 1)

    async with blocking(sandbox.paperless.faults, WRITING, drain(services)) as draining:
        await services.store.jobs.cancel(job.id, by="hand", now=clock())
        await has_beaten(services, clock, job)
        ended_early = draining.done()
    [finished] = await draining

    assert not ended_early
    assert finished.job.status is JobStatus.COMPLETED
    assert fields_of(sandbox)["tags"] == ["Inbox", "Strom", "Wohnen"]


async def test_a_stop_gives_the_job_back_and_claims_no_other(
    services: Services, sandbox: Sandbox
) -> None:
    await enqueue_document(services, 1)
    await enqueue_document(services, 2)
    processor = services.processor()

    async with blocking(sandbox.model.state.faults, MODEL_BLOCKED, drained(processor)) as draining:
        processor.stop()
        [finished] = await asyncio.wait_for(draining, SOON)

    assert processor.stopping
    assert (finished.job.status, finished.job.attempts) == (JobStatus.PENDING, 0)
    assert writes(sandbox) == []
    assert len(await drain(services)) == 2


async def test_a_stop_lets_a_write_under_way_come_to_its_end(
    services: Services, sandbox: Sandbox, clock: FakeClock
) -> None:
    job = await enqueue_document(services, 1)
    processor = services.processor()

    async with blocking(sandbox.paperless.faults, WRITING, drained(processor)) as draining:
        processor.stop()
        await has_beaten(services, clock, job)
        ended_early = draining.done()
    [finished] = await draining

    assert not ended_early
    assert finished.job.status is JobStatus.COMPLETED


async def test_a_task_that_is_ended_from_outside_reads_its_write_back_and_gives_the_job_back(
    services: Services, sandbox: Sandbox
) -> None:
    job = await enqueue_document(services, 1)

    async with blocking(sandbox.paperless.faults, WRITING, drain(services)) as draining:
        draining.cancel()
        await asyncio.wait({draining}, timeout=0.2)
    with pytest.raises(asyncio.CancelledError):
        await draining

    assert (await services.store.jobs.get(job.id)).status is JobStatus.PENDING
    [again] = await drain(services)
    assert again.job.status is JobStatus.COMPLETED
    assert len(patches(sandbox)) == 1


async def test_a_write_under_way_is_read_back_before_its_task_ends(
    services: Services, sandbox: Sandbox
) -> None:
    await enqueue_document(services, 1)

    async with blocking(sandbox.paperless.faults, WRITING, drain(services)) as draining:
        draining.cancel()
        # Long enough for an unprotected task to give up its request.
        for _ in range(100):
            await asyncio.sleep(0)
    with pytest.raises(asyncio.CancelledError):
        await draining

    sent = [request.method for request in sandbox.paperless.requests]
    assert "GET" in sent[sent.index("PATCH") :]
    assert fields_of(sandbox)["title"] == "Stromrechnung August 2026"


async def test_a_cancel_that_is_seen_while_the_writing_begins_comes_too_late(
    services: Services, clock: FakeClock
) -> None:
    await enqueue_document(services, 1)
    job = await services.store.jobs.claim(worker="w", now=clock())
    assert job is not None
    await services.store.jobs.cancel(job.id, by="hand", now=clock())
    beat = asyncio.Event()

    def clock_of_the_beat() -> datetime:
        # The heartbeat reads the clock first, right before it calls the store.
        beat.set()
        return clock()

    attempt = Attempt(job, store=services.store, clock=clock_of_the_beat, budget=Budget())

    async def write() -> str:
        await beat.wait()
        await attempt.begin_writing()
        return "written"

    supervised = supervise(
        attempt, write(), stop=asyncio.Event(), grace=timedelta(0), timeouts=Timeouts()
    )
    assert await supervised == "written"


async def test_an_attempt_shows_that_it_lives(
    services: Services, sandbox: Sandbox, clock: FakeClock
) -> None:
    job = await enqueue_document(services, 1)

    async with blocking(sandbox.model.state.faults, MODEL_BLOCKED, drain(services)) as draining:
        beat = await has_beaten(services, clock, job)
    [finished] = await draining

    assert beat == clock()
    assert finished.job.status is JobStatus.COMPLETED


async def test_progress_goes_up_step_by_step(services: Services) -> None:
    job = await enqueue_document(services, 1)

    await drain(services)

    names = [
        e for e in await services.store.jobs.list_events(job.id) if e.name is EventName.PROGRESSED
    ]
    percents = [int(str(event.data["percent"])) for event in names]
    assert list(dict.fromkeys(event.data["stage"] for event in names)) == list(Stage)
    assert percents == sorted(percents)


async def test_a_dry_run_can_be_cancelled_at_any_time(
    services: Services, sandbox: Sandbox, clock: FakeClock
) -> None:
    job = await enqueue_document(services, 1, DRY_RUN)

    async with blocking(sandbox.model.state.faults, MODEL_BLOCKED, drain(services)) as draining:
        await services.store.jobs.cancel(job.id, by="hand", now=clock())
        [finished] = await asyncio.wait_for(draining, SOON)

    assert finished.job.status is JobStatus.CANCELLED
    assert await services.store.documents.get(home(1)) is None
