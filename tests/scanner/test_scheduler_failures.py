"""Holds, outages and errors delay a scan, and none ends the scheduler."""

import asyncio
import sqlite3
from datetime import datetime, timedelta

import pytest
from structlog.testing import capture_logs

from core.calendar import utc_now
from core.holds import PAUSE_ALL, paperless_target, pause_target
from core.scans import INTERRUPTED
from daemon.services import Services
from paperless_client import NameLists
from processor.reconcile import Comparer
from sandbox import Sandbox
from sandbox.faults import Answer, Fault
from scanner.scan import Scanner
from scanner.scheduler import ScanScheduler, ScheduledInstance
from scanner.selection import ScanRules
from store.engine import FILE_NAME
from tests.builders import because
from tests.installation import HOME, Installation, blocked, blocking
from tests.scanner.scheduling import (
    HOURLY,
    LIST,
    NOW,
    build_scheduler,
    first_scan,
    plan,
    planned,
    running,
    scans,
)
from tests.store.builders import FakeClock
from tests.waiting import SOON, until


@pytest.mark.parametrize("target", [PAUSE_ALL, pause_target(HOME), paperless_target(HOME)])
async def test_what_is_on_hold_is_not_scanned_and_made_up_for_later(
    services: Services, target: str
) -> None:
    await plan(services, NOW)
    await services.store.holds.place(target, because("because"), next_probe_at=None, now=NOW)
    scheduler = build_scheduler(services)

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

    async with running(build_scheduler(services, clock=counting)) as task:
        await asyncio.wait({task}, timeout=0.5)

    assert looks == 1


async def test_after_an_outage_the_scan_is_made_up_for(
    services: Services, sandbox: Sandbox
) -> None:
    await plan(services, NOW)
    sandbox.paperless.faults.add(Fault(times=None, effect=Answer(status=503)))
    scheduler = build_scheduler(services)

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
    scheduler = build_scheduler(services)

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
        scheduler = build_scheduler(services)

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
    scheduler = build_scheduler(services, scanner=scanner)
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


async def test_an_instance_whose_row_vanishes_under_way_does_not_end_the_scheduler(
    services: Services, installation: Installation, sandbox: Sandbox
) -> None:
    """As when the database's file is replaced."""
    await plan(services, NOW)
    scheduler, stop = build_scheduler(services), asyncio.Event()

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
    scheduler = build_scheduler(services)
    await plan(services, NOW)

    await scheduler.scan_if_due(HOME)

    held = {hold.target: hold for hold in await services.store.holds.list_active()}
    if path == ".*":
        assert held[paperless_target(HOME)].next_probe_at == NOW + timedelta(hours=1)
    else:
        assert held == {}
        await scheduler.scan_if_due(HOME)
        assert len(await scans(services)) == 1


async def test_a_stop_ends_a_scan_which_is_made_up_for_at_the_next_start(
    services: Services, sandbox: Sandbox
) -> None:
    await plan(services, NOW - timedelta(days=800))
    scheduler, stop = build_scheduler(services, clock=utc_now), asyncio.Event()

    async with blocking(sandbox.paperless.faults, blocked(LIST), scheduler.run(stop)) as run:
        stop.set()
        await asyncio.wait_for(run, SOON)

    [scan] = await scans(services)
    assert scan.problem == INTERRUPTED
    assert await planned(services) == NOW - timedelta(days=800)


async def test_one_instance_that_is_down_touches_no_other(installation: Installation) -> None:
    installation.configure("[scan]\nmin_age = '0s'\n")
    elsewhere = installation.settings_file.read_text().replace(
        installation.sandbox.url, "http://127.0.0.1:9"
    )
    (installation.config / "away.toml").write_text(elsewhere)
    async with installation.open() as services:
        past = utc_now() - timedelta(days=1)
        for name in ("away", HOME):
            await services.store.instances.plan_scan(name, cron="0 * * * *", next_scan_at=past)
        watched = {
            name: ScheduledInstance(services.scanners[name], HOURLY) for name in ("away", HOME)
        }
        scheduler = ScanScheduler(watched, store=services.store, clock=utc_now, found=lambda: None)

        async with running(scheduler):
            good, bad = await first_scan(services), await first_scan(services, "away")

        assert (good.problem, good.enqueued) == (None, 3)
        assert bad.problem is not None
        [hold] = await services.store.holds.list_active()
        assert hold.target == paperless_target("away")
