"""A daemon behind proxies that misbehave: everything ends done or accounted for, and once."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from core.jobs import JobStatus
from daemon.services import Services
from processor.holds import HoldMonitor
from sandbox import Sandbox
from sandbox.paperless import World, load_world
from scanner.scheduler import ScanScheduler
from tests.chaos.audit import audit
from tests.chaos.proxy import ALL, ChaosProxy, Fault, Script
from tests.installation import COMPLETIONS, HOME, Installation, snapshot
from tests.store.builders import FakeClock

HOURS = 12
"""After so many hours of the daemon's time everything must have come to its end."""


@pytest.fixture
def world() -> World:
    """Forty letters."""
    return load_world()


@contextmanager
def chaos_before(
    installation: Installation, sandbox: Sandbox, seed: int
) -> Iterator[tuple[ChaosProxy, ChaosProxy]]:
    """Put a bad proxy before Paperless, and another before the model."""
    paperless_port, model_port = int(sandbox.url[-5:]), int(sandbox.model.url[-5:])
    reads, writes = Script.shuffled(seed, every=9), Script.shuffled(seed + 1, every=4)
    questions = Script.shuffled(seed + 2, every=3)
    with (
        ChaosProxy(paperless_port, reads=reads, writes=writes) as paperless,
        ChaosProxy(model_port, reads=Script(), writes=questions) as model,
    ):
        installation.configure("[limits]\ndocuments_per_day = 0\n", all_fields="replace")
        settings = installation.settings_file.read_text()
        settings = settings.replace(sandbox.url, paperless.url).replace(
            sandbox.model.url, model.url
        )
        settings = settings.replace("[paperless]", '[paperless]\ntimeout = "1s"')
        settings = settings.replace("[ai]", '[ai]\ntimeout = "1s"')
        installation.settings_file.write_text(settings)
        yield paperless, model


async def live_through(services: Services, clock: FakeClock, *, hours: int) -> None:
    """Be the daemon for so many hours, in steps of five minutes."""
    watch = ScanScheduler(services.scheduled, store=services.store, clock=clock, found=lambda: None)
    monitor = HoldMonitor(services.store, services.instances, clock=clock, on_lifted=lambda: None)
    processor = services.processor(parallel=3)
    for _ in range(hours * 12):
        clock.advance(minutes=5)
        await monitor.check_due()
        await watch.scan_if_due(HOME)
        async for _ in processor.drain():
            pass
        if await is_over(services):
            return


async def is_over(services: Services) -> bool:
    tally = await services.store.jobs.count_by_status(HOME)
    ended = tally[JobStatus.COMPLETED] + tally[JobStatus.FAILED] + tally[JobStatus.CANCELLED]
    live = tally[JobStatus.PENDING] + tally[JobStatus.PROCESSING]
    good = [scan for scan in await services.store.scans.list(HOME) if scan.problem is None]
    return bool(good) and ended > 0 and live == 0


@pytest.mark.parametrize("seed", [1, 20])
async def test_whatever_a_proxy_does_every_document_is_done_once_or_accounted_for(
    installation: Installation, sandbox: Sandbox, clock: FakeClock, seed: int
) -> None:
    before = snapshot(sandbox)
    with chaos_before(installation, sandbox, seed) as (paperless, model):
        async with installation.open() as services:
            await live_through(services, clock, hours=HOURS)

            jobs = await services.store.jobs.list(limit=1000)
            assert_every_fault_happened(paperless, model)
            assert {job.document.id for job in jobs} == before.keys()
            assert Counter(job.document.id for job in jobs).most_common(1)[0][1] == 1
            assert {job.status for job in jobs} <= {JobStatus.COMPLETED, JobStatus.FAILED}
            assert await audit(services, sandbox, before) == []

            for job in jobs:
                if job.status is JobStatus.FAILED:
                    await services.store.jobs.restart(job.id, by="hand", now=clock())
            await live_through(services, clock, hours=1)
            tally = await services.store.jobs.count_by_status(HOME)
            assert tally[JobStatus.COMPLETED] == len(before)
            assert await audit(services, sandbox, before) == []
    assert {count for _, count in writes_carried_out(sandbox).items()} == {1}
    assert {count for _, count in names_in_use(sandbox).items()} == {1}


def assert_every_fault_happened(paperless: ChaosProxy, model: ChaosProxy) -> None:
    """Check for each fault at reads and at writes of Paperless, and at questions to the model."""
    reads = [request for request in paperless.faulted if request.line.startswith("GET ")]
    writes = [request for request in paperless.faulted if not request.line.startswith("GET ")]
    for faulted in (reads, writes, model.faulted):
        assert {request.fault for request in faulted} == set(ALL)
    assert paperless.is_finished
    assert model.is_finished
    assert {request.line for request in model.faulted} == {f"POST {COMPLETIONS}"}
    lost = {Fault.ERROR_AFTER, Fault.NO_ANSWER, Fault.CUT_ANSWER}
    assert {request.fault for request in writes if request.took_effect} >= lost


def writes_carried_out(sandbox: Sandbox) -> Counter[tuple[str, str, str]]:
    """Count how often each value was written to each document, by what Paperless was sent."""
    return Counter(
        (request.path, field, str(value))
        for request in sandbox.paperless.requests
        if request.method == "PATCH" and request.status == 200 and isinstance(request.body, dict)
        for field, value in request.body.items()
    )


def names_in_use(sandbox: Sandbox) -> Counter[tuple[str, str]]:
    """Count names that a person would take for the same."""
    names = sandbox.world.names
    return Counter((kind, name.name.casefold()) for kind in names for name in names[kind].values())
