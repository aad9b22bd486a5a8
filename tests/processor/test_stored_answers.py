"""A model answer is paid for: whatever happens meanwhile, it is stored and used."""

import asyncio

import pytest
from structlog.testing import capture_logs

from core.jobs import JobStatus
from daemon.services import Services
from processor.processor import FinishedJob, Processor
from sandbox import Sandbox
from store import StoreUnavailable
from tests.installation import MODEL_BLOCKED, Installation, blocking, enqueue_document
from tests.store.builders import FakeClock
from tests.waiting import SOON


async def drained(processor: Processor) -> list[FinishedJob]:
    return [outcome async for outcome in processor.drain()]


async def test_an_answer_that_comes_while_the_database_is_away_is_stored_when_it_is_back(
    installation: Installation, services: Services, sandbox: Sandbox
) -> None:
    job = await enqueue_document(services, 1)
    processor = services.processor()
    async with blocking(sandbox.model.state.faults, MODEL_BLOCKED, processor.run()) as run:
        installation.remove_database()
    with pytest.raises(StoreUnavailable):
        await asyncio.wait_for(run, SOON)
    installation.restore_database()

    [finished] = await drained(processor)

    assert (finished.job.status, finished.job.attempts) == (JobStatus.COMPLETED, 1)
    assert len(sandbox.model.state.chats()) == 1
    [call] = await services.store.calls.list_for_job(job.id)
    assert call.outcome == "ok"
    [answer] = await services.store.calls.list_raw_responses(job.id)
    assert "Stadtwerke" in answer.text


async def test_an_answer_to_a_claim_that_was_lost_meanwhile_is_used_by_the_next_attempt(
    services: Services, sandbox: Sandbox, clock: FakeClock
) -> None:
    job = await enqueue_document(services, 1)
    processor = services.processor()

    with capture_logs() as logs:
        async with blocking(
            sandbox.model.state.faults, MODEL_BLOCKED, drained(processor)
        ) as draining:
            await services.store.jobs.recover_orphans(now=clock())
            # Longer than a heartbeat: the lost claim does not end the model call.
            await asyncio.wait({draining}, timeout=1.5)
        finished = await asyncio.wait_for(draining, SOON)

    assert finished[-1].job.status is JobStatus.COMPLETED
    assert len(sandbox.model.state.chats()) == 1
    assert "job lost" in [entry["event"] for entry in logs]
    assert len(await services.store.results.list_for_job(job.id)) == 1
