"""Each instance is scanned at its times, and whenever someone asks."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from core.calendar import utc_now
from core.cron import Schedule
from core.errors import Problem
from core.holds import pause_target
from core.jobs import ANALYZE, DRY_RUN, TIMER, Priority
from core.messages import plain
from core.scans import KnownInstance
from daemon.services import Services
from sandbox import Sandbox
from scanner.scan import ScanOrder
from scanner.scheduler import ScanScheduler, ScheduledInstance, next_scan_time
from store import JobFilter
from tests.builders import because
from tests.installation import HOME, Installation, blocked, blocking
from tests.scanner.scheduling import (
    HOURLY,
    LIST,
    NIGHTLY,
    NOW,
    a_known_instance,
    build_scheduler,
    first_scan,
    plan,
    planned,
    running,
    scans,
)
from tests.store.builders import FakeClock
from tests.waiting import SOON


@pytest.mark.parametrize(
    ("stored", "due"),
    [
        (a_known_instance(None, cron=None), NOW),
        (a_known_instance(NOW - timedelta(days=3)), NOW - timedelta(days=3)),
        (a_known_instance(NOW), NOW),
        (a_known_instance(NOW + timedelta(hours=1)), NOW + timedelta(hours=1)),
        (a_known_instance(NOW - timedelta(days=3), cron="*/5 * * * *"), NOW + timedelta(hours=1)),
        # The clock went back by a moment after a scan: its slot is not given out again.
        (a_known_instance(NOW + timedelta(hours=2)), NOW + timedelta(hours=2)),
        # The clock was years ahead when the plan was made.
        (a_known_instance(NOW + timedelta(days=4000)), NOW + timedelta(hours=1)),
    ],
)
def test_a_stored_time_stays_unless_the_plan_is_another(
    stored: KnownInstance, due: datetime
) -> None:
    assert next_scan_time(stored, HOURLY, now=NOW) == due


async def test_a_new_instance_is_scanned_at_once(services: Services) -> None:
    scheduler = build_scheduler(services)

    await scheduler.scan_if_due(HOME)
    await scheduler.scan_if_due(HOME)

    assert [scan.asked_by for scan in await scans(services)] == [TIMER]
    assert await planned(services) == NOW + timedelta(hours=1)


async def test_a_new_instance_that_is_paused_is_scanned_when_the_pause_ends(
    services: Services,
) -> None:
    target = pause_target(HOME)
    await services.store.holds.place(target, because("paused"), next_probe_at=None, now=NOW)
    scheduler = build_scheduler(services)

    await scheduler.scan_if_due(HOME)
    assert await scans(services) == []

    await services.store.holds.lift(target, now=NOW)
    await scheduler.scan_if_due(HOME)
    assert len(await scans(services)) == 1


async def test_a_changed_schedule_does_not_make_an_instance_new(services: Services) -> None:
    await plan(services, NOW + timedelta(hours=3), NIGHTLY)

    await build_scheduler(services).scan_if_due(HOME)

    assert await scans(services) == []
    assert await planned(services) == NOW + timedelta(hours=1)


async def test_a_scan_that_was_missed_is_made_at_once_and_once(services: Services) -> None:
    await plan(services, NOW - timedelta(days=2))
    scheduler = build_scheduler(services)

    await scheduler.scan_if_due(HOME)
    await scheduler.scan_if_due(HOME)

    [scan] = await scans(services)
    assert (scan.asked_by, scan.enqueued, scan.problem) == (TIMER, 3, None)
    assert await planned(services) == NOW + timedelta(hours=1)


async def test_a_timer_that_comes_early_does_not_get_its_slot_twice(
    services: Services, clock: FakeClock
) -> None:
    slot = NOW + timedelta(hours=1)
    await plan(services, slot)
    scheduler = build_scheduler(services)

    clock.advance(minutes=59, seconds=59, milliseconds=999)
    await scheduler.scan_if_due(HOME)
    early = await scans(services)
    clock.advance(milliseconds=1)
    await scheduler.scan_if_due(HOME)
    clock.advance(milliseconds=-1)
    await scheduler.scan_if_due(HOME)

    assert early == []
    assert len(await scans(services)) == 1
    assert await planned(services) == slot + timedelta(hours=1)


async def test_the_hour_that_comes_twice_in_autumn_is_scanned_once(
    services: Services, clock: FakeClock
) -> None:
    clock.advance(seconds=(datetime(2026, 10, 25, 0, 29, tzinfo=UTC) - NOW).total_seconds())
    await plan(services, datetime(2026, 10, 25, 0, 30, tzinfo=UTC), NIGHTLY)
    scheduler = build_scheduler(services, NIGHTLY)
    await scheduler.scan_if_due(HOME)

    for _ in range(4):  # 2:30 in summer time, 2:00, and 2:30 again in winter time, 3:00
        clock.advance(minutes=31)
        await scheduler.scan_if_due(HOME)

    assert len(await scans(services)) == 1
    assert await planned(services) == datetime(2026, 10, 26, 1, 30, tzinfo=UTC)


async def test_who_asks_gets_what_was_asked_for(services: Services) -> None:
    await plan(services, NOW + timedelta(hours=1))
    await services.store.scans.request(HOME, asked_by="hand", kind=DRY_RUN, limit=2, now=NOW)

    await build_scheduler(services).scan_if_due(HOME)

    [scan] = await scans(services)
    assert (scan.asked_by, scan.kind, scan.enqueued) == ("hand", DRY_RUN, 2)
    assert await planned(services) == NOW + timedelta(hours=1)


@pytest.mark.parametrize(("kind", "limit"), [(DRY_RUN, None), (ANALYZE, 1)])
async def test_a_dry_run_or_a_few_documents_do_not_stand_for_the_scan_that_is_due(
    services: Services, kind: str, limit: int | None
) -> None:
    await plan(services, NOW)
    await services.store.scans.request(HOME, asked_by="hand", kind=kind, limit=limit, now=NOW)

    async with running(build_scheduler(services)):
        async with asyncio.timeout(SOON):
            while len(made := await scans(services)) < 2 or made[-1].finished_at is None:
                await asyncio.sleep(0.01)

    assert [(scan.asked_by, scan.kind, scan.limit) for scan in made] == [
        ("hand", kind, limit),
        (TIMER, ANALYZE, None),
    ]


async def test_without_a_schedule_it_is_scanned_only_when_asked_for(services: Services) -> None:
    scheduler = build_scheduler(services, None)

    await scheduler.scan_if_due(HOME)
    before = await scans(services)
    await services.store.scans.request(HOME, asked_by="hand", now=NOW)
    await scheduler.scan_if_due(HOME)

    assert before == []
    assert len(await scans(services)) == 1


def test_an_instance_that_is_not_enabled_has_no_schedule(installation: Installation) -> None:
    installation.configure("[scan]\nenabled = false\n")

    async def schedule() -> Schedule | None:
        async with installation.open() as services:
            return services.scheduled[HOME].schedule

    assert asyncio.run(schedule()) is None


async def test_a_scan_that_is_asked_for_while_one_runs_joins_it(
    services: Services, sandbox: Sandbox
) -> None:
    await plan(services, NOW)
    scheduler = build_scheduler(services)

    async with blocking(
        sandbox.paperless.faults, blocked(LIST), scheduler.scan_if_due(HOME)
    ) as looking:
        joined = await services.store.scans.request(HOME, asked_by="hand", now=NOW)
    await looking
    await scheduler.scan_if_due(HOME)

    [scan] = await scans(services)
    assert joined.id == scan.id


async def test_looking_again_notices_what_another_process_asked_for(services: Services) -> None:
    scheduler = build_scheduler(services, clock=utc_now)

    async with running(scheduler):
        await services.store.scans.request(HOME, asked_by="hand", now=utc_now())
        scheduler.wake()
        scan = await first_scan(services)

    assert scan.asked_by == "hand"


async def test_an_instance_that_the_store_does_not_know_is_left_alone(services: Services) -> None:
    watched = {"nowhere": ScheduledInstance(services.scanners[HOME], HOURLY)}
    scheduler = ScanScheduler(
        watched, store=services.store, clock=services.context.clock, found=lambda: None
    )

    await scheduler.scan_if_due("nowhere")

    assert await scans(services) == []


@pytest.mark.parametrize(
    ("added", "priority"),
    [
        # The last scan began at noon and took an hour; documents wait two minutes.
        (NOW - timedelta(minutes=3), Priority.BACKLOG),
        (NOW - timedelta(minutes=1), Priority.NEW),
        (NOW + timedelta(minutes=30), Priority.NEW),
        (NOW + timedelta(hours=2), Priority.NEW),
    ],
)
async def test_what_came_while_the_last_scan_ran_or_was_too_young_for_it_is_new(
    services: Services, clock: FakeClock, sandbox: Sandbox, added: datetime, priority: Priority
) -> None:
    sandbox.world.documents.clear()
    last = await services.store.scans.start(HOME, asked_by="timer", now=NOW)
    await services.store.scans.finish(last.id, now=clock.advance(hours=1))
    failed = await services.store.scans.start(HOME, asked_by="timer", now=clock.advance(hours=3))
    await services.store.scans.give_up(
        failed.id, problem=Problem("down", plain("down")), now=clock()
    )
    sandbox.world.add_document("Rechnung", "scan.pdf", added=added)

    await services.scanners[HOME].scan(ScanOrder(TIMER))

    [job] = await services.store.jobs.list(JobFilter(kind=ANALYZE))
    assert job.priority == priority


async def test_a_look_is_a_sign_of_life_and_silence_is_none(services: Services) -> None:
    scheduler = build_scheduler(services)
    silent = [scheduler.last_heartbeat, scheduler.last_heartbeat]

    async with running(scheduler), asyncio.timeout(SOON):
        while (first := scheduler.last_heartbeat) == silent[0]:
            await asyncio.sleep(0.01)
        scheduler.wake()
        while scheduler.last_heartbeat == first:
            await asyncio.sleep(0.01)

    assert silent[0] == silent[1]


async def test_a_scan_that_takes_long_shows_life(services: Services, sandbox: Sandbox) -> None:
    scheduler = build_scheduler(services)
    await services.store.scans.request(HOME, asked_by="hand", now=NOW)
    before = scheduler.last_heartbeat

    async with blocking(
        sandbox.paperless.faults, blocked(LIST), scheduler.scan_if_due(HOME)
    ) as looking:
        during = scheduler.last_heartbeat
    await looking

    assert during > before
