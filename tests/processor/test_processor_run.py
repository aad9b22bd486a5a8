"""The processor by itself: it wakes, works, sleeps until something is due, and stops."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta

import pytest
from structlog.testing import capture_logs

from core.calendar import utc_now
from core.documents import DocumentRef
from core.jobs import JobStatus, NewJob
from daemon.services import Services
from paperless_client import PaperlessUnavailable
from processor.attempt import Attempt
from processor.processor import FinishedJob
from processor.verdict import RetryPolicy
from sandbox import Sandbox
from sandbox.faults import Answer, Delay, Fault, Hang
from tests.installation import (
    COMPLETIONS,
    HOME,
    MODEL_BLOCKED,
    Installation,
    blocking,
    enqueue_document,
)
from tests.processor.interfering_queue import install_interfering_queue
from tests.processor.recording_processor import (
    ERRAND,
    SHORT,
    RecordingProcessor,
    build_processor,
    for_a_while,
    slow,
)
from tests.waiting import HELD, SOON, until

TWO, THREE = 2, 3


def build_processor_of_two(services: Services, parallel: int = 1) -> RecordingProcessor:
    """Services with a second instance."""
    installation = replace(services.instances[HOME], name="office")
    return RecordingProcessor(
        services, parallel, instances={HOME: services.instances[HOME], "office": installation}
    )


async def test_a_wake_is_enough_to_have_a_job_done(services: Services) -> None:
    recorder = build_processor(services)

    async with recorder.running():
        await for_a_while()
        await recorder.ask_for(1)
        recorder.processor.wake()
        await until(lambda: len(recorder.ended) == 1)

    assert await recorder.statuses() == {1: (JobStatus.COMPLETED, 1)}


@pytest.mark.parametrize("moment", ["after_no_claim", "after_next_due"])
async def test_a_wake_between_the_look_and_the_sleep_is_not_lost(
    services: Services, moment: str
) -> None:
    jobs, recorder = install_interfering_queue(services), build_processor(services)

    async def action() -> None:
        await recorder.ask_for(1)
        recorder.processor.wake()

    setattr(jobs, moment, action)
    async with recorder.running():
        await until(lambda: len(recorder.ended) == 1)

    assert [job.id for job in recorder.ended] == [1]


async def test_a_wake_with_work_under_way_is_harmless(services: Services) -> None:
    recorder, gate = build_processor(services, TWO), asyncio.Event()
    recorder.errands[1] = slow(gate)
    await recorder.ask_for(1, 2, 3)

    async with recorder.running():
        for _ in range(20):
            recorder.processor.wake()
            await asyncio.sleep(0.01)
        gate.set()
        await until(lambda: len(recorder.ended) == 3)

    assert sorted(job.id for job in recorder.begun) == [1, 2, 3]
    assert set((await recorder.statuses()).values()) == {(JobStatus.COMPLETED, 1)}


async def test_a_retry_runs_by_itself_at_its_time_until_the_attempts_are_used_up(
    services: Services,
) -> None:
    recorder = build_processor(services, retry=RetryPolicy(3, SHORT))

    async def fail(_: Attempt) -> None:
        raise ValueError

    recorder.errands[1] = fail
    await recorder.ask_for(1)

    started = utc_now()
    async with recorder.running():
        await until(lambda: len(recorder.ended) == 3)
        await for_a_while(0.1)

    assert await recorder.statuses() == {1: (JobStatus.FAILED, 3)}
    assert utc_now() - started >= SHORT * 3


async def test_a_bug_in_settling_is_settled_as_a_plain_retry(
    services: Services, sandbox: Sandbox
) -> None:
    recorder = build_processor(services)
    sandbox.paperless.faults.add(Fault(times=None, effect=Answer(status=503)))

    async def fail(_: Attempt) -> None:
        # Not a timedelta, so settling the job fails when it plans the next probe.
        raise PaperlessUnavailable("read it", "503", retry_after="soon")  # type: ignore[arg-type]  # the bug

    recorder.errands[1] = fail
    await recorder.ask_for(1)

    with capture_logs() as logs:
        [job] = await recorder.drain()

    assert job.problem is not None
    assert (job.status, job.attempts, job.problem.code) == (JobStatus.PENDING, 1, "unexpected")
    assert [entry["event"] for entry in logs] == ["job settling failed", "job retried"]


async def test_an_attempt_that_fails_while_it_is_being_ended_leaves_one_line(
    services: Services,
) -> None:
    recorder = build_processor(services)

    async def fail_at_the_end(_: Attempt) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            raise ZeroDivisionError

    recorder.errands[1] = fail_at_the_end
    await recorder.ask_for(1)

    with capture_logs() as logs:
        async with recorder.running():
            await until(lambda: len(recorder.begun) == 1)
            [job] = await services.store.jobs.list()
            await services.store.jobs.cancel(job.id, by="hand", now=utc_now())
            await until(lambda: len(recorder.ended) == 1)

    logged = [entry["event"] for entry in logs]
    assert logged == ["attempt failed while being ended", "job cancelled"]


async def test_a_free_slot_takes_what_comes_due_while_another_is_busy(services: Services) -> None:
    recorder, gate = build_processor(services, TWO), asyncio.Event()
    recorder.errands[1] = slow(gate)
    await recorder.ask_for(1)
    await recorder.ask_for(2, at=utc_now() + SHORT)

    async with recorder.running():
        await until(lambda: [job.id for job in recorder.ended] == [2])
        await recorder.ask_for(3)
        recorder.processor.wake()
        await until(lambda: [job.id for job in recorder.ended] == [2, 3])
        gate.set()
        await until(lambda: len(recorder.ended) == 3)

    assert [job.id for job in recorder.ended] == [2, 3, 1]


async def test_no_more_than_so_many_are_under_way_at_a_time(services: Services) -> None:
    recorder, gate = build_processor(services, THREE), asyncio.Event()
    for id_ in range(1, 9):
        recorder.errands[id_] = slow(gate)
    await recorder.ask_for(*range(1, 9))

    async with recorder.running():
        await until(lambda: len(recorder.begun) == 3)
        await for_a_while()
        begun = len(recorder.begun)
        gate.set()
        await until(lambda: len(recorder.ended) == 8)

    assert begun == 3
    assert recorder.most_at_a_time == 3


async def test_the_model_is_never_asked_more_often_at_a_time_than_allowed(
    services: Services, sandbox: Sandbox
) -> None:
    sandbox.model.state.faults.add(Fault(path=COMPLETIONS, times=None, effect=Delay(seconds=HELD)))
    for id_ in (1, 2, 3):
        await enqueue_document(services, id_)
    processor = services.processor(parallel=TWO)
    draining = asyncio.create_task(_all_of(processor.drain()))

    await asyncio.to_thread(sandbox.model.state.faults.wait_for_strikes, 2, SOON)
    await for_a_while()
    asked = len(sandbox.model.state.chats())
    sandbox.model.state.faults.clear()

    assert asked == 2
    assert len(await asyncio.wait_for(draining, SOON)) == 3


async def test_two_instances_take_turns_however_long_the_queue_of_one_is(
    services: Services,
) -> None:
    recorder = build_processor_of_two(services)
    await recorder.ask_for(1, 2, 3, 4)
    await recorder.ask_for(1, 2, instance="office")

    await recorder.drain()

    turns = [job.instance for job in recorder.begun]
    assert turns == [HOME, "office", HOME, "office", HOME, HOME]


@pytest.mark.parametrize("order", [(1, 2, 3), (2, 1, 3)])
async def test_a_job_that_was_recovered_runs_alone(
    services: Services, order: tuple[int, ...]
) -> None:
    recorder = build_processor(services, THREE)
    for id_ in order:
        await recorder.ask_for(id_)
    await services.store.jobs.claim(worker="dead", now=utc_now())
    await services.store.jobs.recover_orphans(now=utc_now())
    [crashed] = [job.document for job in await services.store.jobs.list() if job.attempts == 1]
    beside: list[set[DocumentRef]] = []

    async def look(_: Attempt) -> None:
        await for_a_while(0.05)
        beside.append(set(recorder.begun) - set(recorder.ended))

    recorder.errands[crashed.id] = look
    await recorder.drain()

    assert beside == [{crashed}]
    assert len(recorder.ended) == 3


async def test_who_waits_for_a_recovered_job_to_run_alone_sleeps_meanwhile(
    services: Services,
) -> None:
    recorder, gate = build_processor(services, TWO), asyncio.Event()
    await recorder.ask_for(2)
    await services.store.jobs.claim(worker="dead", now=utc_now())
    await services.store.jobs.recover_orphans(now=utc_now())
    recorder.errands[1] = slow(gate)
    urgent = NewJob(DocumentRef(HOME, 1), ERRAND, priority=20)
    await services.store.jobs.enqueue(urgent, now=utc_now())

    async with recorder.running():
        await until(lambda: len(recorder.begun) == 1)
        await for_a_while(0.1)
        before = recorder.clock_reads
        await for_a_while(0.5)
        clock_reads = recorder.clock_reads - before
        gate.set()
        await until(lambda: len(recorder.ended) == 2)

    assert clock_reads <= 2


async def test_jobs_of_an_instance_that_is_no_more_keep_nobody_busy(services: Services) -> None:
    recorder = build_processor(services)
    await recorder.ask_for(1, instance="gone")

    async with recorder.running():
        await for_a_while(0.2)
        before = recorder.clock_reads
        await for_a_while(0.5)

    assert recorder.clock_reads - before <= 2
    assert recorder.begun == []


async def test_a_stop_gives_back_what_does_not_end_in_time_and_begins_nothing(
    services: Services,
) -> None:
    recorder = build_processor(services, TWO, grace=SHORT)
    recorder.errands[1] = slow(asyncio.Event())
    await recorder.ask_for(1)

    async with recorder.running() as run:
        await until(lambda: len(recorder.begun) == 1)
        recorder.processor.stop()
        await recorder.ask_for(2)
        before = recorder.clock_reads
        await asyncio.wait_for(run, SOON)

    assert await recorder.statuses() == {1: (JobStatus.PENDING, 0), 2: (JobStatus.PENDING, 0)}
    # A beat and a settle: with a free slot and a stop known, the queue is not read again and again.
    assert recorder.clock_reads - before < 10


async def test_a_stop_lets_end_what_ends_in_time(services: Services) -> None:
    recorder = build_processor(services, grace=timedelta(seconds=SOON))
    gate = asyncio.Event()
    recorder.errands[1] = slow(gate)
    await recorder.ask_for(1)

    async with recorder.running() as run:
        await until(lambda: len(recorder.begun) == 1)
        recorder.processor.stop()
        await for_a_while(0.1)
        gate.set()
        await asyncio.wait_for(run, SOON)

    assert await recorder.statuses() == {1: (JobStatus.COMPLETED, 1)}


async def test_a_stop_wakes_a_sleeping_processor(services: Services) -> None:
    recorder = build_processor(services)

    async with recorder.running() as run:
        await for_a_while(0.1)
        recorder.processor.stop()
        await asyncio.wait_for(run, SOON)

    assert run.done()


async def test_who_is_ended_while_a_probe_hangs_gives_the_job_back(
    services: Services, sandbox: Sandbox
) -> None:
    job = await enqueue_document(services, 1)
    faults = sandbox.model.state.faults
    faults.add(Fault(path=COMPLETIONS, effect=Hang(seconds=0.01)))
    silent = Fault(path="/v1/models", effect=Hang())

    async with blocking(faults, silent, _all_of(services.processor().drain())) as draining:
        draining.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asyncio.wait_for(draining, SOON)

    now = await services.store.jobs.get(job.id)
    assert (now.status, now.attempts) == (JobStatus.PENDING, 0)


async def test_nothing_is_left_behind(services: Services, sandbox: Sandbox) -> None:
    before = asyncio.all_tasks()
    await enqueue_document(services, 1)
    await enqueue_document(services, 2)
    processor = services.processor(parallel=TWO)

    async with blocking(sandbox.model.state.faults, MODEL_BLOCKED, processor.run()) as run:
        processor.stop()
        await asyncio.wait_for(run, SOON)
    await asyncio.sleep(0)

    assert {task for task in asyncio.all_tasks() - before if not task.done()} == set()


async def test_the_processor_shows_that_it_goes_round(services: Services) -> None:
    recorder = build_processor(services)
    before = recorder.processor.last_sign

    async with recorder.running():
        await until(lambda: recorder.processor.last_sign > before)

    assert recorder.processor.last_sign > before


async def test_a_processor_that_breaks_at_every_look_shows_no_sign_of_life(
    services: Services,
) -> None:
    jobs, recorder = install_interfering_queue(services), build_processor(services)
    before = recorder.processor.last_sign

    async def break_down() -> None:
        raise LookupError

    jobs.after_no_claim = break_down
    with pytest.raises(LookupError):
        await recorder.processor.run()

    assert recorder.processor.last_sign == before


async def test_the_processor_knows_what_it_is_processing(
    installation: Installation, services: Services
) -> None:
    recorder, ends, goes_on = build_processor(services, TWO), asyncio.Event(), asyncio.Event()
    recorder.errands |= {1: slow(ends), 2: slow(goes_on)}
    await recorder.ask_for(1, 2)

    async with recorder.running():
        await until(lambda: len(recorder.begun) == 2)
        both = recorder.processor.own_traces
        ends.set()
        await until(lambda: len(recorder.processor.own_traces) == 1)
        goes_on.set()
        await until(lambda: not recorder.processor.own_traces)

    assert both == {job.trace for job in await services.store.jobs.list()}


async def _all_of(finished: AsyncIterator[FinishedJob]) -> list[FinishedJob]:
    return [outcome async for outcome in finished]
