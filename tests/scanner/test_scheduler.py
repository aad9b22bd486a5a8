"""Each instance is scanned at its times, and whenever someone asks."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from core.clock import utc_now
from core.errors import Problem
from core.holds import PAUSE_ALL, paperless_target, pause_target
from core.jobs import ANALYZE, DRY_RUN, TIMER, Priority
from core.messages import plain
from core.scans import KnownInstance
from core.schedule import Schedule
from daemon.services import Services
from sandbox import Sandbox
from sandbox.faults import Answer, Fault
from scanner.rules import ScanRules
from scanner.scan import Scanner, ScanOrder
from scanner.scheduler import ScanScheduler, ScheduledInstance, next_scan_time
from store import JobFilter
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
        (known(None, cron=None), NOW),
        (known(NOW - timedelta(days=3)), NOW - timedelta(days=3)),
        (known(NOW), NOW),
        (known(NOW + timedelta(hours=1)), NOW + timedelta(hours=1)),
        (known(NOW - timedelta(days=3), cron="*/5 * * * *"), NOW + timedelta(hours=1)),
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
    scheduler = watch_over(services)

    await scheduler.scan_if_due(HOME)
    await scheduler.scan_if_due(HOME)

    assert [scan.asked_by for scan in await scans(services)] == [TIMER]
    assert await planned(services) == NOW + timedelta(hours=1)


async def test_a_new_instance_that_is_paused_is_scanned_when_the_pause_ends(
    services: Services,
) -> None:
    target = pause_target(HOME)
    await services.store.holds.place(target, because("paused"), next_probe_at=None, now=NOW)
    scheduler = watch_over(services)

    await scheduler.scan_if_due(HOME)
    assert await scans(services) == []

    await services.store.holds.lift(target, now=NOW)
    await scheduler.scan_if_due(HOME)
    assert len(await scans(services)) == 1


async def test_a_changed_schedule_does_not_make_an_instance_new(services: Services) -> None:
    await plan(services, NOW + timedelta(hours=3), NIGHTLY)

    await watch_over(services).scan_if_due(HOME)

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
    scheduler = watch_over(services, NIGHTLY)
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


@pytest.mark.parametrize("target", [PAUSE_ALL, pause_target(HOME), paperless_target(HOME)])
async def test_what_is_on_hold_is_not_scanned_and_made_up_for_later(
    services: Services, target: str
) -> None:
    await plan(services, NOW)
    await services.store.holds.place(target, because("because"), next_probe_at=None, now=NOW)
    scheduler = watch_over(services)

    await scheduler.scan_if_due(HOME)
    while_resting = await scans(services)
    await services.store.holds.lift(target, now=NOW)
    await scheduler.scan_if_due(HOME)

    assert while_resting == []
    assert len(await scans(services)) == 1


async def test_what_is_on_hold_keeps_nobody_busy(services: Services) -> None:
    looks = 0

    def counting() -> datetime:
        nonlocal looks
        looks += 1
        return utc_now()

    await plan(services, NOW - timedelta(days=800))
    await services.store.holds.place(PAUSE_ALL, because("because"), next_probe_at=None, now=NOW)

    async with running(watch_over(services, clock=counting)) as task:
        await asyncio.wait({task}, timeout=0.5)

    assert looks == 1


async def test_after_an_outage_the_scan_is_made_up_for(
    services: Services, sandbox: Sandbox
) -> None:
    await plan(services, NOW)
    sandbox.paperless.faults.add(Fault(times=None, effect=Answer(status=503)))
    scheduler = watch_over(services)

    with capture_logs() as logs:
        await scheduler.scan_if_due(HOME)
        await scheduler.scan_if_due(HOME)
    [hold] = await services.store.holds.list_active()
    sandbox.paperless.faults.clear()
    await services.store.holds.lift(hold.target, now=NOW)
    await scheduler.scan_if_due(HOME)

    assert hold.target == paperless_target(HOME)
    assert hold.next_probe_at == NOW + timedelta(minutes=1)
    assert [entry["event"] for entry in logs] == ["scan failed"]
    failed, made_up = await scans(services)
    assert failed.problem is not None
    assert (made_up.problem, made_up.enqueued) == (None, 3)


async def test_a_scan_that_breaks_off_while_paperless_answers_is_tried_again_by_and_by(
    services: Services, sandbox: Sandbox, clock: FakeClock
) -> None:
    await plan(services, NOW)
    sandbox.paperless.faults.add(Fault(path=LIST, effect=Answer(status=500)))
    scheduler = watch_over(services)

    await scheduler.scan_if_due(HOME)
    await scheduler.scan_if_due(HOME)
    at_once = await scans(services)
    clock.advance(minutes=1)
    await scheduler.scan_if_due(HOME)

    assert await services.store.holds.list_active() == ()
    assert len(at_once) == 1
    assert [scan.problem is None for scan in await scans(services)] == [False, True]
    assert await planned(services) == NOW + timedelta(hours=1)


async def test_a_missing_tag_is_reported_once_and_looked_for_at_each_time(
    installation: Installation, clock: FakeClock
) -> None:
    installation.configure('[scan]\ninclude_tags = ["Nirgends"]\n')
    async with installation.open() as services:
        await plan(services, NOW + timedelta(hours=1))
        scheduler = watch_over(services)

        with capture_logs() as logs:
            for _ in range(3):
                clock.advance(hours=1)
                await scheduler.scan_if_due(HOME)

        assert [entry["event"] for entry in logs] == ["scan failed"]
        assert len(await scans(services)) == 3
        assert await planned(services) == clock() + timedelta(hours=1)


async def test_an_error_that_nobody_foresaw_stands_in_the_way_of_no_later_scan(
    services: Services, clock: FakeClock
) -> None:
    calls = 0

    def broken() -> datetime:
        nonlocal calls
        calls += 1
        return clock() if calls != 2 else clock() + timedelta.max

    instance = services.instances[HOME]
    lists = NameLists(instance.paperless, clock=clock)
    comparer = Comparer(instance.catalogue, instance.custom_fields)
    scanner = Scanner(
        HOME, lists, ScanRules(), comparer=comparer, store=services.store, clock=broken
    )
    scheduler = watch_over(services, scanner=scanner)
    await plan(services, NOW)

    await scheduler.scan_if_due(HOME)
    clock.advance(hours=1)
    await scheduler.scan_if_due(HOME)

    failed, good = await scans(services)
    assert failed.problem is not None
    assert (failed.problem.code, str(failed.problem.message)) == (
        "unexpected",
        "unexpected: OverflowError",
    )
    assert (good.problem, good.enqueued) == (None, 3)


async def test_an_instance_whose_row_vanishes_under_way_ends_no_watch(
    services: Services, installation: Installation, sandbox: Sandbox
) -> None:
    """As when the database's file is replaced."""
    await plan(services, NOW)
    scheduler, stop = watch_over(services), asyncio.Event()

    with capture_logs() as logs:
        async with blocking(sandbox.paperless.faults, blocked(LIST), scheduler.run(stop)) as run:
            with sqlite3.connect(installation.data / FILE_NAME) as database:
                database.execute("DELETE FROM instances")
            database.close()
        await until(lambda: any(entry["log_level"] == "error" for entry in logs))
        assert not run.done()
        stop.set()
        await asyncio.wait_for(run, SOON)

    [logged] = [entry for entry in logs if entry["log_level"] == "error"]
    assert (logged["event"], logged["instance"]) == ("instance check failed", HOME)


@pytest.mark.parametrize("path", [".*", "/api/ui_settings/"])
async def test_paperless_may_say_when_to_come_again(
    services: Services, sandbox: Sandbox, path: str
) -> None:
    later = Answer(status=503, headers={"Retry-After": "3600"})
    sandbox.paperless.faults.add(Fault(path=path, effect=later, times=None))
    scheduler = watch_over(services)
    await plan(services, NOW)

    await scheduler.scan_if_due(HOME)

    held = {hold.target: hold for hold in await services.store.holds.list_active()}
    if path == ".*":
        assert held[paperless_target(HOME)].next_probe_at == NOW + timedelta(hours=1)
    else:
        assert held == {}
        await scheduler.scan_if_due(HOME)
        assert len(await scans(services)) == 1


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
