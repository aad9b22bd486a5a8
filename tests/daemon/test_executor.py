"""A command beside a daemon asks it through the store, and looks on."""

import asyncio
from dataclasses import replace

import pytest

from actions.decisions import Edits, accept
from core.holds import PAUSE_ALL, limit_target, paperless_target, pause_target
from core.jobs import ANALYZE, APPLY, DRY_RUN, UNDO, JobStatus, Scope
from core.workers import WORKER_TIMEOUT
from daemon.cli.status import holds_on
from daemon.context import DAEMON
from daemon.executor import DaemonExecutor, DaemonGone
from daemon.services import Services
from processor.processor import FinishedJob
from scanner.scan import ScanOrder
from tests.builders import because
from tests.installation import HOME, Installation, drain, enqueue_document, home, process

MODEL = "the model's endpoint"


async def a_daemon_lives(services: Services) -> None:
    now = services.context.clock()
    await services.store.workers.record_heartbeat("vm:1", pid=1, host="vm", role=DAEMON, now=now)


async def rest(services: Services, target: str) -> None:
    now = services.context.clock()
    await services.store.holds.place(target, because("because"), next_probe_at=None, now=now)


@pytest.mark.parametrize(
    ("target", "resting"),
    [
        (PAUSE_ALL, {ANALYZE, DRY_RUN, APPLY, UNDO}),
        (pause_target(HOME), {ANALYZE, DRY_RUN, APPLY, UNDO}),
        (paperless_target(HOME), {ANALYZE, DRY_RUN, APPLY, UNDO}),
        (limit_target(HOME), {ANALYZE, DRY_RUN}),
        (MODEL, {ANALYZE, DRY_RUN}),
        (pause_target("installation"), set()),
        (limit_target("installation"), set()),
    ],
)
async def test_a_job_is_held_for_what_it_needs_and_for_nothing_else(
    services: Services, target: str, resting: set[str]
) -> None:
    instance = services.instances[HOME]
    await rest(services, instance.model_target if target == MODEL else target)
    kinds = (ANALYZE, DRY_RUN, APPLY, UNDO)
    jobs = [
        await enqueue_document(services, number, kind) for number, kind in enumerate(kinds, start=1)
    ]

    holds = await services.store.holds.list_active()

    assert {job.kind for job in jobs if holds_on(job, instance.targets, holds)} == resting
    assert await services.store.jobs.count_held(HOME) == len(resting)


async def test_a_job_that_only_checks_its_write_waits_for_no_limit(services: Services) -> None:
    await rest(services, limit_target(HOME))
    job = replace(await enqueue_document(services, 1), ends_as=JobStatus.FAILED)

    assert (
        holds_on(job, services.instances[HOME].targets, await services.store.holds.list_active())
        == ()
    )


async def test_a_review_that_is_accepted_while_a_limit_holds_is_waited_for(
    installation: Installation,
) -> None:
    installation.configure(all_fields="review")
    async with installation.open() as services:
        await process(services)
        waiting = await services.store.changes.list_for_review(document=home(1))
        names = await services.instances[HOME].catalogue.names()
        job = await services.store.changes.decide(
            home(1),
            accept(waiting, Edits({}), names),
            by="hand",
            max_attempts=3,
            now=installation.clock(),
        )
        await a_daemon_lives(services)
        await enqueue_document(services, 2)
        await rest(services, limit_target(HOME))

        looking_on = asyncio.create_task(seen(services, Scope(jobs=frozenset({job.id}))))
        await drain(services)

        assert [finished.job.status for finished in await looking_on] == [JobStatus.COMPLETED]


async def test_a_scan_is_not_waited_for_when_the_daemon_is_gone(
    services: Services, installation: Installation
) -> None:
    await a_daemon_lives(services)
    installation.clock.advance(seconds=WORKER_TIMEOUT.total_seconds() + 1)

    with pytest.raises(DaemonGone):
        await DaemonExecutor(services).scan(HOME, ScanOrder())


async def test_a_job_is_not_waited_for_when_the_daemon_is_gone(services: Services) -> None:
    job = await enqueue_document(services, 1)

    with pytest.raises(DaemonGone):
        await seen(services, Scope(jobs=frozenset({job.id})))


async def seen(services: Services, scope: Scope) -> list[FinishedJob]:
    return [finished async for finished in DaemonExecutor(services).work(scope)]
