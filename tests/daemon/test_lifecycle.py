"""Be at work: what nobody works on is recovered, at the start and later, and nothing else is."""

import os
import socket
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from datetime import timedelta
from pathlib import Path

from structlog.testing import capture_logs

from core.holds import limit_target, paperless_target
from core.jobs import JobStatus
from daemon.context import DAEMON, open_context
from daemon.lifecycle import recover_orphans, recover_silent
from daemon.services import Services, open_services
from processor.processor import Processor
from sandbox import Sandbox
from scanner.scan import ScanOrder
from store.engine import FILE_NAME
from tests.builders import because
from tests.installation import (
    HOME,
    MODEL_BLOCKED,
    Installation,
    blocked,
    blocking,
    enqueue_document,
)
from tests.store.builders import FakeClock

LISTING = blocked("/api/documents/", method="GET")


def back_up(installation: Installation) -> Path:
    """Copy the database as SQLite does it, also while it is in use."""
    backup = installation.data / "backup"
    with (
        closing(sqlite3.connect(installation.data / FILE_NAME)) as source,
        closing(sqlite3.connect(backup)) as target,
    ):
        source.backup(target)
    return backup


@asynccontextmanager
async def working(services: Services, sandbox: Sandbox) -> AsyncIterator[Processor]:
    """Have a document under way, at whose model call the processor waits."""
    processor = services.processor()
    async with blocking(sandbox.model.state.faults, MODEL_BLOCKED, processor.run()) as run:
        yield processor
        processor.stop()
    await run


async def rest(services: Services, *targets: str) -> None:
    soon = services.context.clock() + timedelta(minutes=1)
    for target in targets:
        await services.store.holds.place(
            target, because("down"), next_probe_at=soon, now=services.context.clock()
        )


async def test_who_works_for_one_instance_looks_after_its_holds_alone(
    installation: Installation, sandbox: Sandbox
) -> None:
    elsewhere = installation.settings_file.read_text().replace(sandbox.url, "http://127.0.0.1:9")
    elsewhere = elsewhere.replace(sandbox.model.url, "http://127.0.0.1:9")
    (installation.config / "away.toml").write_text(elsewhere)
    async with installation.open() as services:
        home, away = services.instances[HOME], services.instances["away"]
        of_others = {away.paperless_target, away.model_target, limit_target("away")}
        await rest(services, *of_others, home.paperless_target, home.model_target)
        await rest(services, limit_target(HOME), paperless_target("sold"))
        asked = len(sandbox.model.state.log)

    async with (
        open_context(installation.options, clock=installation.clock) as context,
        open_services(context, [HOME]) as services,
    ):
        with capture_logs() as logs:
            await recover_orphans(services)
        left = {hold.target for hold in await services.store.holds.list_active()}

    assert left == of_others
    assert len(sandbox.model.state.log) == asked + 1
    targets = {entry["event"]: entry["target"] for entry in logs}
    assert targets["hold dropped"] == paperless_target("sold")
    assert [entry["event"] for entry in logs].count("endpoint works again") == 2


async def test_what_was_under_way_in_a_restored_backup_is_done_without_a_restart(
    installation: Installation, services: Services, sandbox: Sandbox, clock: FakeClock
) -> None:
    job = await enqueue_document(services, 1)
    async with working(services, sandbox):
        backup = back_up(installation)
    backup.replace(installation.data / FILE_NAME)
    processor = services.processor()

    restored = await services.store.jobs.get(job.id)
    clock.advance(minutes=3)
    await recover_silent(services, own_traces=processor.own_traces)
    done = [ended.job async for ended in processor.drain()]

    assert restored.status is JobStatus.PROCESSING
    assert [(job.id, job.status, job.attempts) for job in done] == [
        (job.id, JobStatus.COMPLETED, 2)
    ]


async def test_a_scan_that_was_under_way_in_a_restored_backup_stands_in_no_way(
    installation: Installation, services: Services, sandbox: Sandbox, clock: FakeClock
) -> None:
    scanning = services.scanners[HOME].scan(ScanOrder())
    async with blocking(sandbox.paperless.faults, LISTING, scanning) as scan:
        backup = back_up(installation)
    await scan
    backup.replace(installation.data / FILE_NAME)

    left = await services.store.scans.list_unfinished()
    clock.advance(minutes=3)
    await recover_silent(services)
    again = await services.scanners[HOME].scan(ScanOrder())

    assert [scan.instance for scan in left] == [HOME]
    assert again.enqueued == 3


async def test_what_we_are_processing_is_ours_however_far_the_clock_jumps(
    installation: Installation, services: Services, sandbox: Sandbox, clock: FakeClock
) -> None:
    await enqueue_document(services, 1)
    scanning = services.scanners[HOME].scan(ScanOrder())
    async with (
        working(services, sandbox) as processor,
        blocking(sandbox.paperless.faults, LISTING, scanning) as scan,
    ):
        clock.advance(hours=9)
        await recover_silent(services, own_traces=processor.own_traces)

        jobs = await services.store.jobs.list()
        scans = await services.store.scans.list_unfinished()
    await scan

    assert [job.status for job in jobs] == [JobStatus.PROCESSING]
    assert [scan.instance for scan in scans] == [HOME]
    assert (await scan).problem is None


async def test_at_the_start_only_the_processes_that_were_killed_are_forgotten(
    services: Services, clock: FakeClock
) -> None:
    for pid, host in ((1, "one"), (os.getpid(), "two"), (os.getpid(), socket.gethostname())):
        await services.store.workers.record_heartbeat(
            f"{host}:{pid}", pid=pid, host=host, role=DAEMON, now=clock()
        )

    await recover_orphans(services)

    [worker] = await services.store.workers.list_alive(since=clock())
    assert (worker.pid, worker.host) == (os.getpid(), socket.gethostname())
