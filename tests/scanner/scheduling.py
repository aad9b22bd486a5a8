"""Schedulers for tests, and their planned and finished scans."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from core.calendar import Clock
from core.cron import Schedule
from core.scans import KnownInstance, Scan
from daemon.services import Services
from scanner.scan import Scanner
from scanner.scheduler import ScanScheduler, ScheduledInstance
from tests.installation import HOME
from tests.waiting import SOON

BERLIN = ZoneInfo("Europe/Berlin")
HOURLY = Schedule("0 * * * *", BERLIN)
NIGHTLY = Schedule("30 2 * * *", BERLIN)
LIST = "/api/documents/"
NOW = datetime(2026, 12, 1, 12, tzinfo=UTC)


def build_scheduler(
    services: Services,
    schedule: Schedule | None = HOURLY,
    *,
    clock: Clock | None = None,
    scanner: Scanner | None = None,
) -> ScanScheduler:
    watched = ScheduledInstance(scanner or services.scanners[HOME], schedule)
    return ScanScheduler(
        {HOME: watched},
        store=services.store,
        clock=clock or services.context.clock,
        found=lambda: None,
    )


async def planned(services: Services) -> datetime:
    known = await services.store.instances.get(HOME)
    assert known is not None
    assert known.next_scan_at is not None
    return known.next_scan_at


async def plan(services: Services, at: datetime, schedule: Schedule = HOURLY) -> None:
    await services.store.instances.plan_scan(HOME, cron=schedule.expression, next_scan_at=at)


async def scans(services: Services) -> list[Scan]:
    return list(reversed(await services.store.scans.list(HOME)))


@asynccontextmanager
async def running(scheduler: ScanScheduler) -> AsyncIterator["asyncio.Task[None]"]:
    """Run a scheduler; it must end soon after the stop."""
    stop = asyncio.Event()
    task = asyncio.create_task(scheduler.run(stop))
    try:
        yield task
    finally:
        stop.set()
        await asyncio.wait_for(task, SOON)


async def first_scan(services: Services, name: str = HOME) -> Scan:
    async with asyncio.timeout(SOON):
        while True:
            for scan in await services.store.scans.list(name):
                if scan.finished_at is not None:
                    return scan
            await asyncio.sleep(0.02)


def a_known_instance(
    next_scan_at: datetime | None, cron: str | None = HOURLY.expression
) -> KnownInstance:
    return KnownInstance(HOME, "endpoint", NOW, None, cron, next_scan_at)
