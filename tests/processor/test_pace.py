"""Documents wait for the model's rate and hours, and nothing else does."""

import asyncio
from datetime import UTC, datetime, timedelta

from core.holds import backlog_target, hours_target
from core.jobs import EventName, Job, JobStatus, NewJob, Priority
from daemon.services import Services
from processor.holds import HoldMonitor
from sandbox import Sandbox
from tests.installation import (
    HOME,
    Installation,
    drain,
    drain_one,
    enqueue_document,
    home,
    process,
)
from tests.long_documents import a_long_text
from tests.store.builders import FakeClock
from tests.waiting import until

BERLIN = 'time_zone = "Europe/Berlin"\n'
TONIGHT = datetime(2026, 12, 1, 21, tzinfo=UTC)


def configure(installation: Installation, ai: str) -> None:
    # The sandbox's settings end in the table of the model.
    installation.configure(ai, all_fields="replace")
    (installation.config / "daemon.toml").write_text(BERLIN)


async def statuses(services: Services, *jobs: Job) -> list[tuple[JobStatus, int]]:
    found = [await services.store.jobs.get(job.id) for job in jobs]
    return [(job.status, job.attempts) for job in found]


async def test_over_the_rate_documents_wait_without_being_touched(
    installation: Installation, sandbox: Sandbox, clock: FakeClock
) -> None:
    configure(installation, "requests_per_minute = 1\n")
    async with installation.open() as services:
        jobs = [await enqueue_document(services, id_) for id_ in (1, 2)]

        first = await drain(services)
        events = [event.name for event in await services.store.jobs.list_events(jobs[1].id)]
        undo = await enqueue_document(services, 1, "undo", changes=await ids(services))
        await drain(services)
        meanwhile = await statuses(services, jobs[1], undo)
        clock.advance(seconds=60)
        second = await drain(services)

        assert [outcome.job.status for outcome in (*first, *second)] == [JobStatus.COMPLETED] * 2
        assert events == [EventName.ENQUEUED]
        assert meanwhile == [(JobStatus.PENDING, 0), (JobStatus.COMPLETED, 1)]
        assert len(sandbox.model.state.chats()) == 2


async def ids(services: Services) -> list[int]:
    return [change.id for change in await services.store.changes.list_for_document(home(1))]


async def test_a_document_that_does_not_fit_into_the_rate_is_put_off_until_it_does(
    installation: Installation, clock: FakeClock
) -> None:
    configure(installation, "tokens_per_minute = 2000\n")
    async with installation.open() as services:
        jobs = [await enqueue_document(services, id_) for id_ in (1, 2)]

        await drain(services)
        [hold] = await services.store.holds.list_active()
        waiting = await statuses(services, jobs[1])
        clock.advance(seconds=60)
        await drain(services)

        assert str(hold.cause) == "rate limit reached (tokens per minute: 2000)"
        assert waiting == [(JobStatus.PENDING, 0)]
        assert await statuses(services, *jobs) == [(JobStatus.COMPLETED, 1)] * 2


async def test_a_long_document_that_has_begun_waits_for_each_further_call(
    installation: Installation, sandbox: Sandbox, clock: FakeClock
) -> None:
    installation.sandbox.world.edit(1, content=a_long_text(20_000))
    configure(installation, "context = 4096\nrequests_per_minute = 2\n")
    async with installation.open() as services:
        working = asyncio.create_task(process(services))

        made: list[int] = []
        while not working.done():
            await until(lambda: working.done() or len(chats(sandbox)) > len(made))
            made.append(len(chats(sandbox)))
            clock.advance(seconds=30)
        finished = await working

        calls = await services.store.calls.list_for_job(finished.job.id)
        assert (finished.job.status, finished.job.attempts) == (JobStatus.COMPLETED, 1)
        assert len(calls) > 3
        begun = [call.at for call in calls]
        assert all(
            third - first >= timedelta(minutes=1)
            for first, third in zip(begun, begun[2:], strict=False)
        )


def chats(sandbox: Sandbox) -> list[object]:
    return list(sandbox.model.state.chats())


async def test_outside_the_hours_documents_wait_until_they_begin(
    installation: Installation, sandbox: Sandbox, clock: FakeClock
) -> None:
    configure(installation, 'hours = "22:00-06:00"\n')
    async with installation.open() as services:
        monitor = HoldMonitor(
            services.store, services.instances, clock=clock, on_lifted=lambda: None
        )
        job = await enqueue_document(services, 1)
        sandbox.paperless.requests.clear()

        for _ in range(12):
            await drain_one(services)
            [hold] = await services.store.holds.list_active()
            await services.store.holds.lift(hold.target, now=clock())
        refunded = await statuses(services, job)
        await drain_one(services)
        await monitor.check_due()
        held = await drain(services)
        clock.advance(hours=9)
        await monitor.check_due()
        night = await drain_one(services)

        assert (hold.target, hold.next_probe_at) == (hours_target(HOME), TONIGHT)
        assert str(hold.cause) == "outside the model's hours (22:00-06:00)"
        assert refunded == [(JobStatus.PENDING, 0)]
        assert held == []
        assert night.job.status is JobStatus.COMPLETED


async def test_new_documents_do_not_wait_for_the_hours_of_the_backlog(
    installation: Installation, clock: FakeClock
) -> None:
    configure(installation, 'hours = "22:00-06:00"\nhours_for = "backlog"\n')
    async with installation.open() as services:
        jobs = []
        for id_, priority in ((1, Priority.BACKLOG), (2, Priority.NEW)):
            wanted = NewJob(home(id_), priority=priority)
            jobs.append(await services.store.jobs.enqueue(wanted, now=clock()))

        await drain(services)
        [hold] = await services.store.holds.list_active()

        found = await statuses(services, *(job for job in jobs if job is not None))
        assert found == [(JobStatus.PENDING, 0), (JobStatus.COMPLETED, 1)]
        assert (hold.target, hold.next_probe_at) == (backlog_target(HOME), TONIGHT)
