"""The progress of a model call, as the job's row has it."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import timedelta

import pytest

from core.jobs import CallProgress, EventName, Job, JobStatus, Stage
from daemon.services import Services
from sandbox import Sandbox
from sandbox.model.behaviour import Behaviour, Streaming, Wrapping
from tests.installation import (
    MODEL_BLOCKED,
    Installation,
    blocking,
    drain,
    enqueue_document,
    process,
)
from tests.store.builders import NOON, FakeClock
from tests.waiting import SOON

FIRST, SECOND, THIRD = 1, 2, 3


@pytest.fixture
async def streaming(installation: Installation) -> AsyncIterator[Services]:
    installation.configure(all_fields="replace", stream=True)
    async with installation.open() as services:
        yield services


async def wait_for_job(
    services: Services, clock: FakeClock, job: Job, is_there: Callable[[Job], bool]
) -> Job:
    """Let time pass for the attempt until the job's row is as expected."""
    async with asyncio.timeout(SOON):
        while not is_there(found := await services.store.jobs.get(job.id)):
            clock.advance(seconds=3)
            await asyncio.sleep(0.05)
    return found


@asynccontextmanager
async def stalled(
    services: Services, sandbox: Sandbox, id_: int, behaviour: Behaviour
) -> AsyncIterator[Job]:
    """Process a document whose answer stops in the middle; cancel the job at the end."""
    text = sandbox.world.documents[id_].content[:40]
    sandbox.model.behave(
        behaviour.model_copy(update={"streaming": Streaming.STALLED, "only_for": text})
    )
    job = await enqueue_document(services, id_)
    draining = asyncio.create_task(drain(services))
    try:
        yield job
    finally:
        await services.store.jobs.cancel(job.id, by="hand", now=services.context.clock())
        await asyncio.wait_for(draining, SOON)


def has_tokens(job: Job) -> bool:
    return job.model_call is not None and job.model_call.tokens > 0


async def test_a_streamed_answer_shows_its_tokens_so_far(
    streaming: Services, sandbox: Sandbox, clock: FakeClock
) -> None:
    await process(streaming, FIRST)

    async with stalled(streaming, sandbox, SECOND, Behaviour()) as job:
        found = await wait_for_job(streaming, clock, job, has_tokens)

    assert found.status is JobStatus.PROCESSING
    assert found.stage is Stage.ANALYZE
    assert found.model_call is not None
    assert not found.model_call.is_thinking
    assert found.model_call.started_at <= clock()


async def test_a_model_that_thinks_is_shown_to_think(
    streaming: Services, sandbox: Sandbox, clock: FakeClock
) -> None:
    await process(streaming, FIRST)
    thoughtful = Behaviour(answer="{}", wrapping=frozenset({Wrapping.REASONING_CONTENT}))

    async with stalled(streaming, sandbox, SECOND, thoughtful) as job:
        found = await wait_for_job(streaming, clock, job, has_tokens)

    assert found.model_call is not None
    assert found.model_call.is_thinking


async def test_the_progress_of_a_call_leaves_no_events(
    streaming: Services, sandbox: Sandbox, clock: FakeClock
) -> None:
    await process(streaming, FIRST)

    async with stalled(streaming, sandbox, SECOND, Behaviour()) as job:
        await wait_for_job(streaming, clock, job, has_tokens)
        events = await streaming.store.jobs.list_events(job.id)

    stages = [event.data["stage"] for event in events if event.name is EventName.PROGRESSED]
    assert stages == ["fetch", "analyze"]


async def test_a_plain_call_shows_since_when_it_runs(
    services: Services, sandbox: Sandbox, clock: FakeClock
) -> None:
    job = await enqueue_document(services, FIRST)

    async with blocking(sandbox.model.state.faults, MODEL_BLOCKED, drain(services)) as draining:
        found = await wait_for_job(services, clock, job, lambda job: job.model_call is not None)
    await draining

    assert found.model_call is not None
    assert (found.model_call.tokens, found.model_call.usual_ms) == (0, None)


async def test_the_bar_fills_by_the_usual_time_and_stops_at_the_end_of_the_stage(
    services: Services, sandbox: Sandbox, clock: FakeClock
) -> None:
    for id_ in (FIRST, SECOND, THIRD):
        await process(services, id_)
    job = await enqueue_document(services, FIRST)

    async with blocking(sandbox.model.state.faults, MODEL_BLOCKED, drain(services)) as draining:
        clock.advance(hours=1)
        found = await wait_for_job(services, clock, job, lambda job: job.progress > 20)
    [finished] = await draining

    assert found.model_call is not None
    assert found.model_call.usual_ms is not None
    assert found.progress == 65
    assert finished.job.model_call is None


@pytest.mark.parametrize(
    ("usual_ms", "seconds", "percent"),
    [
        (40_000, 0, 20),
        (40_000, 10, 30),
        (40_000, 40, 60),
        (40_000, 400, 60),
        (40_000, -5, 20),
        (None, 10, 20),
        (0, 10, 20),
    ],
)
def test_a_call_is_as_far_as_its_share_of_the_usual_time(
    usual_ms: int | None, seconds: int, percent: int
) -> None:
    call = CallProgress(NOON, usual_ms=usual_ms)

    assert call.estimate_percent(20, 60, now=NOON + timedelta(seconds=seconds)) == percent
