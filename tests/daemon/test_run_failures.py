"""Bad days of the daemon, hour by hour, with a clock that a test moves: nothing is lost."""

from datetime import timedelta

import pytest
from structlog.testing import capture_logs

from core.documents import DocumentRef
from core.jobs import ANALYZE, JobStatus, NewJob
from core.scans import ScanPage
from daemon.services import Services
from processor.attempt import Attempt
from processor.holds import HoldMonitor
from processor.instance import Instance
from processor.pipeline import EmptyPayload, JobHandler, Report, handlers_by_kind
from processor.processor import Processor
from sandbox import Sandbox
from sandbox.faults import Answer, Fault
from sandbox.model.behaviour import Behaviour, Failure, FailureScope
from scanner.scheduler import ScanScheduler
from store import JobFilter
from tests.installation import HOME, Installation, drain, enqueue_document, fields_of, home
from tests.store.builders import FakeClock

DOWN = Behaviour(failure=Failure.UNAVAILABLE, reach=FailureScope.EVERYTHING)


class Day:
    """A day of the daemon: its parts, and a clock that is moved minute by minute."""

    def __init__(
        self, services: Services, clock: FakeClock, processor: Processor | None = None
    ) -> None:
        self._clock = clock
        self._processor = processor or services.processor()
        self._scheduler = ScanScheduler(
            services.scheduled, store=services.store, clock=clock, found=lambda: None
        )
        self._instances = tuple(services.instances)
        self._monitor = HoldMonitor(
            services.store, services.instances, clock=clock, on_lifted=self._scheduler.wake
        )

    async def pass_by(self, **span: float) -> None:
        """Let so much time pass, and all parts do what they do every minute."""
        for _ in range(round(timedelta(**span).total_seconds() / 60)):
            self._clock.advance(minutes=1)
            await self._monitor.check_due()
            for name in self._instances:
                await self._scheduler.scan_if_due(name)
            await self.work()

    async def work(self) -> None:
        async for _ in self._processor.drain():
            pass


async def ping(_: Attempt, instance: Instance, __: EmptyPayload) -> Report:
    """Ask the model something that costs next to nothing."""
    await instance.model.server.list_models()
    return Report()


async def test_with_the_model_away_for_an_hour_five_hundred_documents_lose_nothing(
    services: Services, sandbox: Sandbox, clock: FakeClock
) -> None:
    scan = await services.store.scans.start(HOME, asked_by="timer", now=clock())
    many = tuple((NewJob(home(1000 + number)), "a title") for number in range(500))
    await services.store.scans.record_page(scan.id, ScanPage(many, seen=500), now=clock())
    kinds = handlers_by_kind(JobHandler(ANALYZE, EmptyPayload, ping))
    processor = Processor(services.store, services.instances, clock=clock, worker="w", kinds=kinds)
    monitor = HoldMonitor(services.store, services.instances, clock=clock, on_lifted=lambda: None)
    sandbox.model.behave(DOWN)

    for _ in range(60):
        assert [outcome.job.attempts async for outcome in processor.drain()] in ([0], [])
        clock.advance(minutes=1)
        await monitor.check_due()
    jobs = await services.store.jobs.list(limit=1000)
    sandbox.model.behave(Behaviour())
    back = clock()
    while not (done := [outcome.job async for outcome in processor.drain()]):
        clock.advance(minutes=1)
        await monitor.check_due()

    assert {(job.status, job.attempts) for job in jobs} == {(JobStatus.PENDING, 0)}
    assert clock() - back <= timedelta(minutes=5)
    assert len(done) == 500
    assert {(job.status, job.attempts) for job in done} == {(JobStatus.COMPLETED, 1)}


@pytest.mark.parametrize("who", ["the model", "Paperless"])
async def test_a_document_that_always_breaks_something_fails_and_the_others_are_done_meanwhile(
    services: Services, sandbox: Sandbox, clock: FakeClock, who: str
) -> None:
    if who == "the model":
        text = str(fields_of(sandbox)["content"])[:40]
        sandbox.model.behave(Behaviour(failure=Failure.SERVER_ERROR, only_for=text))
    else:
        broken = Fault(path="/api/documents/1/", times=None, effect=Answer(status=500))
        sandbox.paperless.faults.add(broken)
    for id_ in (1, 2, 3):
        await enqueue_document(services, id_)

    at_once = {outcome.job.document.id: outcome.job.status for outcome in await drain(services)}
    await Day(services, clock).pass_by(minutes=20)

    pending, completed = JobStatus.PENDING, JobStatus.COMPLETED
    assert at_once == {1: pending, 2: completed, 3: completed}
    jobs = {job.document.id: job for job in await services.store.jobs.list()}
    assert (jobs[1].status, jobs[1].attempts) == (JobStatus.FAILED, 3)


async def test_one_instance_that_is_down_is_reported_once_and_the_other_works(
    installation: Installation, sandbox: Sandbox, clock: FakeClock
) -> None:
    installation.configure(all_fields="replace")
    elsewhere = installation.settings_file.read_text().replace(sandbox.url, "http://127.0.0.1:9")
    (installation.config / "away.toml").write_text(elsewhere)
    async with installation.open() as services:
        await services.store.jobs.enqueue(NewJob(DocumentRef("away", 5)), now=clock())
        day = Day(services, clock)

        with capture_logs() as logs:
            await day.work()
            await day.pass_by(hours=3)

        tally = await services.store.jobs.count_by_status(HOME)
        assert tally[JobStatus.COMPLETED] == 3
        logged = [entry["event"] for entry in logs if "away" in str(entry)]
        assert logged.count("endpoint held") + logged.count("scan failed") == 1
        assert len(logged) <= 8  # and a word at the first, second, fourth, … probe
        [job] = await services.store.jobs.list(JobFilter(instance="away"))
        assert (job.status, job.attempts) == (JobStatus.PENDING, 0)


async def test_the_other_way_round_the_scan_is_made_up_for_when_it_is_back(
    services: Services, sandbox: Sandbox, clock: FakeClock
) -> None:
    day = Day(services, clock)
    sandbox.paperless.faults.add(Fault(times=None, effect=Answer(status=502)))
    await day.pass_by(hours=2)
    before = await services.store.jobs.list()
    sandbox.paperless.faults.clear()

    await day.pass_by(minutes=6)

    assert before == ()
    tally = await services.store.jobs.count_by_status(HOME)
    assert tally[JobStatus.COMPLETED] == 3
