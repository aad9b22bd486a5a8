"""A processor whose database is away loses no job, and spends no attempt on it."""

import asyncio

import pytest

from core.jobs import JobStatus
from daemon.services import Services
from store import StoreUnavailable
from tests.installation import Installation
from tests.processor.interfering_queue import install_interfering_queue
from tests.processor.recording_processor import (
    RecordingProcessor,
    build_processor,
    for_a_while,
    slow,
)
from tests.waiting import SOON, until

TWO = 2


async def test_what_the_database_could_not_take_is_put_down_later_and_costs_nothing(
    services: Services,
) -> None:
    jobs, recorder = install_interfering_queue(services), build_processor(services)
    jobs.broken = 1
    await recorder.ask_for(1, 2)

    with pytest.raises(StoreUnavailable):
        await recorder.processor.run()
    in_between = await recorder.statuses()
    async with recorder.running():
        await until(lambda: len(recorder.ended) == 3)

    assert in_between[1] == (JobStatus.PROCESSING, 1)
    assert set((await recorder.statuses()).values()) == {(JobStatus.COMPLETED, 1)}


async def test_one_jobs_trouble_with_the_database_ends_no_other(services: Services) -> None:
    jobs, recorder = install_interfering_queue(services), build_processor(services, TWO)
    jobs.broken = 1
    gate = asyncio.Event()
    recorder.errands[2] = slow(gate)
    await recorder.ask_for(1, 2)

    async with recorder.running():
        await until(lambda: [job.id for job in recorder.ended] == [1, 1])
        gate.set()
        await until(lambda: len(recorder.ended) == 3)

    assert [job.id for job in recorder.begun] == [1, 2, 1]
    assert set((await recorder.statuses()).values()) == {(JobStatus.COMPLETED, 1)}


async def test_what_is_under_way_goes_on_while_the_database_is_away(
    installation: Installation, services: Services
) -> None:
    recorder, ends, goes_on = build_processor(services, TWO), asyncio.Event(), asyncio.Event()
    recorder.errands |= {1: slow(ends), 2: slow(goes_on)}
    await recorder.ask_for(1, 2, 3)

    async with recorder.running():
        await until(lambda: len(recorder.begun) == 2)
        installation.remove_database()
        ends.set()
        # Longer than a heartbeat: a failed heartbeat does not end the attempt.
        await for_a_while(1.5)
        installation.restore_database()
        goes_on.set()
        await until(lambda: len(recorder.ended) == 4)

    assert [job.id for job in recorder.begun].count(2) == 1
    assert set((await recorder.statuses()).values()) == {(JobStatus.COMPLETED, 1)}


async def test_a_database_that_is_away_is_not_the_processors_silence(
    installation: Installation, services: Services
) -> None:
    recorder, gate = build_processor(services), asyncio.Event()
    recorder.errands[1] = slow(gate)
    await recorder.ask_for(1)

    await _lose_database(installation, recorder, gate)
    before = recorder.processor.last_sign
    with pytest.raises(StoreUnavailable):
        await recorder.processor.run()

    assert recorder.processor.last_sign > before


async def test_what_cannot_be_released_stays_claimed(
    installation: Installation, services: Services
) -> None:
    recorder, gate = build_processor(services), asyncio.Event()
    recorder.errands[1] = slow(gate)
    await recorder.ask_for(1)

    await _lose_database(installation, recorder, gate)
    installation.restore_database()

    assert recorder.processor.own_traces >= {job.trace for job in await services.store.jobs.list()}


async def _lose_database(
    installation: Installation, recorder: RecordingProcessor, gate: asyncio.Event
) -> None:
    """Let a run begin with all that is asked for; take the database away, and open the gate."""
    run = asyncio.create_task(recorder.processor.run())
    await until(lambda: len(recorder.begun) == len(recorder.errands))
    installation.remove_database()
    gate.set()
    with pytest.raises(StoreUnavailable):
        await asyncio.wait_for(run, SOON)
