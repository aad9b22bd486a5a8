"""Patience: nothing that hangs may hang the processor."""

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest

from core.calendar import utc_now
from core.jobs import JobStatus, Stage
from daemon.services import Services
from processor.attempt import Attempt
from processor.holds import probe_model, probe_paperless
from processor.instance import Timeouts
from processor.processor import Processor
from sandbox import Sandbox
from sandbox.faults import Fault, Faults, Hang
from tests.installation import HOME, Installation, drain_one, enqueue_document, process
from tests.processor.recording_processor import RecordingProcessor
from tests.waiting import SOON

SILENT = Fault(times=None, effect=Hang())


@pytest.mark.parametrize(
    ("stage", "longest"),
    [
        (None, timedelta(minutes=5)),
        (Stage.FETCH, timedelta(minutes=5)),
        (Stage.ANALYZE, timedelta(minutes=20)),
        (Stage.APPLY, timedelta(minutes=5)),
    ],
)
def test_each_stage_has_its_time(stage: Stage | None, longest: timedelta) -> None:
    assert Timeouts().for_stage(stage) == longest


@pytest.mark.parametrize(("request_s", "probe_s"), [(30, 15), (10, 10)])
def test_a_probe_is_waited_for_only_shortly(request_s: int, probe_s: int) -> None:
    patience = Timeouts(request=timedelta(seconds=request_s))

    assert patience.probe == timedelta(seconds=probe_s)


def hasty(installation: Installation) -> None:
    """Configure an installation whose patience is a second."""
    installation.configure(all_fields="replace")
    settings = installation.settings_file.read_text()
    settings = settings.replace("[paperless]", '[paperless]\ntimeout = "1s"')
    settings = settings.replace("[ai]", '[ai]\ntimeout = "1s"')
    installation.settings_file.write_text(settings)


async def test_a_paperless_that_says_nothing_is_held_and_the_attempt_given_back(
    installation: Installation, sandbox: Sandbox
) -> None:
    hasty(installation)
    async with installation.open() as services:
        await enqueue_document(services, 1)
        sandbox.paperless.faults.add(SILENT)

        finished = await drain_one(services)

        assert (finished.job.status, finished.job.attempts) == (JobStatus.PENDING, 0)
        [hold] = await services.store.holds.list_active()
        assert hold.target == services.instances[HOME].paperless_target


async def test_a_model_that_says_nothing_is_held_and_the_attempt_given_back(
    installation: Installation, sandbox: Sandbox
) -> None:
    hasty(installation)
    sandbox.model.state.faults.add(SILENT)
    async with installation.open() as services:
        finished = await process(services)

        assert (finished.job.status, finished.job.attempts) == (JobStatus.PENDING, 0)
        [hold] = await services.store.holds.list_active()
        assert hold.target == services.instances[HOME].model_target


async def test_a_stage_that_takes_too_long_ends_the_attempt(
    services: Services, sandbox: Sandbox
) -> None:
    """The model trickles: no single wait is too long, and yet it does not come to an end."""
    impatient = Timeouts(call=timedelta(milliseconds=1))
    instance = services.instances[HOME]
    slow = {HOME: replace(instance, timeouts=impatient)}
    sandbox.model.state.faults.add(SILENT)
    job = await enqueue_document(services, 1)
    processor = Processor(services.store, slow, clock=services.context.clock, worker="w")

    [finished] = [outcome async for outcome in processor.drain()]

    assert finished.job.problem is not None
    assert finished.job.problem.code == "took_too_long"
    assert (finished.job.status, finished.job.attempts) == (JobStatus.PENDING, 1)
    [call] = await services.store.calls.list_for_job(job.id)
    assert call.outcome == "cancelled"


async def test_an_attempt_that_never_ends_is_stopped_though_each_part_came_in_time(
    services: Services,
) -> None:
    """Such as a document that is read part by part, and the parts do not come to an end."""
    parts = 0

    async def read_on(attempt: Attempt) -> None:
        nonlocal parts
        while True:
            await attempt.set_progress(Stage.ANALYZE, 20)
            parts += 1
            await asyncio.sleep(0.05)

    patience = Timeouts(attempt=timedelta(milliseconds=100))
    context = RecordingProcessor(
        services, instances={HOME: replace(services.instances[HOME], timeouts=patience)}
    )
    context.errands[1] = read_on
    await context.ask_for(1)

    [job] = await asyncio.wait_for(context.drain(), SOON)

    assert parts > 1
    assert job.problem is not None
    assert job.problem.code == "took_too_long"
    assert (job.status, job.attempts) == (JobStatus.PENDING, 1)
    assert job.scheduled_for > utc_now()


async def test_no_attempt_is_stopped_once_it_writes(services: Services) -> None:
    beats = 0

    async def write(attempt: Attempt) -> None:
        nonlocal beats
        await attempt.begin_writing()
        before = (await services.store.jobs.get(attempt.job.id)).heartbeat_at
        # Until it was looked at, which is when it would have been stopped.
        while (await services.store.jobs.get(attempt.job.id)).heartbeat_at == before:
            await asyncio.sleep(0.05)
        beats += 1

    patience = Timeouts(attempt=timedelta(milliseconds=1))
    context = RecordingProcessor(
        services, instances={HOME: replace(services.instances[HOME], timeouts=patience)}
    )
    context.errands[1] = write
    await context.ask_for(1)

    [job] = await asyncio.wait_for(context.drain(), SOON)

    assert (job.status, beats) == (JobStatus.COMPLETED, 1)


async def test_the_longest_attempt_is_a_setting(installation: Installation) -> None:
    installation.configure('[retry]\nattempt_timeout = "90m"\n')

    async with installation.open() as services:
        assert services.instances[HOME].timeouts.attempt == timedelta(minutes=90)


@pytest.mark.parametrize("who", ["paperless", "model"])
async def test_a_probe_that_hangs_is_an_answer(
    installation: Installation, sandbox: Sandbox, who: str
) -> None:
    hasty(installation)
    faults: dict[str, Faults] = {
        "paperless": sandbox.paperless.faults,
        "model": sandbox.model.state.faults,
    }
    faults[who].add(SILENT)
    async with installation.open() as services:
        instance = services.instances[HOME]
        hasty_one = replace(instance, timeouts=Timeouts(request=timedelta(milliseconds=100)))

        probe = probe_paperless if who == "paperless" else probe_model
        trouble = await probe(hasty_one)

    assert trouble is not None
    assert "no answer in time" in str(trouble.problem.message)
