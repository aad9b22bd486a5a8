"""A completed job is settled as the next is claimed, and none stays with a caller that is gone."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

from core.jobs import EventName, JobStatus
from daemon.services import Services
from tests.processor.interfering_queue import install_interfering_queue
from tests.processor.recording_processor import RecordingProcessor
from tests.waiting import SOON, until


def build_processor(services: Services) -> RecordingProcessor:
    return RecordingProcessor(services, instances=None)


async def test_the_next_job_is_taken_as_one_is_settled(services: Services) -> None:
    recorder = build_processor(services)
    await recorder.ask_for(1, 2, 3)

    async with recorder.running():
        await until(lambda: len(recorder.ended) == 3)

    events = await services.store.jobs.list_events_after(0)
    moves = [
        event.name for event in events if event.name in {EventName.CLAIMED, EventName.COMPLETED}
    ]
    assert moves == [EventName.CLAIMED, EventName.COMPLETED] * 3
    claims = [event for event in events if event.name is EventName.CLAIMED]
    ends = [event for event in events if event.name is EventName.COMPLETED]
    assert [event.id for event in claims[1:]] == [event.id + 1 for event in ends[:2]]


async def test_who_is_ended_while_a_job_is_settled_gives_the_next_one_back(
    services: Services,
) -> None:
    jobs, recorder = install_interfering_queue(services), build_processor(services)
    await recorder.ask_for(1, 2)

    async with recorder.running() as run:
        jobs.after_settle = run.cancel
        await asyncio.wait({run}, timeout=SOON)

    assert run.cancelled()
    assert await recorder.statuses() == {1: (JobStatus.COMPLETED, 1), 2: (JobStatus.PENDING, 0)}


async def test_a_caller_who_stops_after_a_job_leaves_no_other_claimed(services: Services) -> None:
    recorder = build_processor(services)
    await recorder.ask_for(1, 2)

    drained = recorder.processor.drain()
    assert isinstance(drained, AsyncGenerator)
    async with aclosing(drained):
        finished = await anext(drained)

    assert finished.job.status is JobStatus.COMPLETED
    assert await recorder.statuses() == {1: (JobStatus.COMPLETED, 1), 2: (JobStatus.PENDING, 0)}
