"""The whole list is read once a day, at night, unless this is not needed."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from structlog.testing import capture_logs

from core.cron import Schedule
from core.scans import Scan, ScanMark
from daemon.services import Services
from sandbox import Sandbox
from sandbox.faults import Answer, Fault
from sandbox.paperless import V2, V3, Kind, Release
from scanner.scheduler import ScanScheduler, ScheduledInstance
from scanner.watermark import is_due, is_night, last_night, may_be_skipped, next_night
from store import JobFilter
from tests.installation import HOME, Installation, drain, scan
from tests.store.builders import FakeClock

BERLIN = ZoneInfo("Europe/Berlin")
LONDON = ZoneInfo("Europe/London")
DAILY = Schedule("0 8 * * *", UTC)
TO_NIGHT = timedelta(hours=14)
"""From noon, when these tests begin, to two o'clock."""


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.fixture(params=[V2, V3], ids=["2.20", "3.0"])
def release(request: pytest.FixtureRequest) -> Release:
    release: Release = request.param
    return release


@pytest.fixture(autouse=True)
def in_utc(installation: Installation) -> None:
    (installation.config / "daemon.toml").write_text('time_zone = "UTC"\n')


@pytest.mark.parametrize(
    ("now", "last", "following"),
    [
        ("2026-12-01T12:00", "2026-12-01T00:00", "2026-12-02T00:00"),
        ("2026-12-01T00:00", "2026-12-01T00:00", "2026-12-02T00:00"),
        ("2026-11-30T23:59", "2026-11-30T00:00", "2026-12-01T00:00"),
        # The night in which the clocks go forward.
        ("2026-03-29T12:00", "2026-03-29T00:00", "2026-03-29T23:00"),
    ],
)
def test_a_night_begins_at_one_where_the_owner_lives(now: str, last: str, following: str) -> None:
    assert last_night(utc(now), BERLIN) == utc(last)
    assert next_night(utc(now), BERLIN) == utc(following)


def test_a_night_has_a_beginning_even_where_one_o_clock_is_left_out() -> None:
    noon = utc("2026-03-29T12:00")

    assert last_night(noon, LONDON) == utc("2026-03-29T01:00")
    assert is_night(utc("2026-03-29T01:00"), LONDON)


@pytest.mark.parametrize(
    ("hour", "night"), [("00:59", False), ("01:00", True), ("04:59", True), ("05:00", False)]
)
def test_a_night_ends_at_five(hour: str, *, night: bool) -> None:
    assert is_night(utc(f"2026-12-02T{hour}"), UTC) is night


def a_mark(passed: str, whole: str = "2026-12-01T12:00") -> ScanMark:
    return ScanMark(utc(whole), "rules", "around", whole_at=utc(whole), passed_at=utc(passed))


@pytest.mark.parametrize(
    ("passed", "now", "idle", "due"),
    [
        ("2026-12-01T12:00", "2026-12-02T00:59", True, False),
        ("2026-12-01T12:00", "2026-12-02T01:00", False, True),
        ("2026-12-02T01:00", "2026-12-02T04:00", True, False),
        # Missed: made up for during the day, once the queue is idle.
        ("2026-12-01T12:00", "2026-12-02T09:00", False, False),
        ("2026-12-01T12:00", "2026-12-02T09:00", True, True),
        # Missed twice: immediately.
        ("2026-12-01T00:30", "2026-12-02T09:00", False, True),
        # By a clock that was ahead.
        ("2027-12-01T12:00", "2026-12-02T02:00", False, True),
    ],
)
async def test_the_pass_is_made_at_night_or_in_the_first_idle_hour_after_a_missed_one(
    passed: str,
    now: str,
    *,
    idle: bool,
    due: bool,
) -> None:
    async def is_idle() -> bool:
        return idle

    assert await is_due(a_mark(passed), now=utc(now), zone=UTC, idle=is_idle) is due


@pytest.mark.parametrize(
    ("now", "may"),
    [("2026-12-08T01:00", True), ("2026-12-08T04:59", True), ("2026-12-09T01:00", False)],
)
def test_no_more_than_six_nights_in_a_row_are_skipped(now: str, *, may: bool) -> None:
    mark = a_mark("2026-12-07T01:00", whole="2026-12-02T01:00")

    assert may_be_skipped(mark, now=utc(now)) is may


async def the_next_night(services: Services, clock: FakeClock) -> Scan:
    clock.advance(hours=(TO_NIGHT.total_seconds() / 3600))
    return await scan(services)


def was_whole(report: Scan) -> bool:
    return report.changed_since is None


async def test_a_night_with_nothing_changed_costs_no_pass(
    installation: Installation, sandbox: Sandbox, clock: FakeClock
) -> None:
    async with installation.open() as services:
        await scan(services)
        sandbox.paperless.requests.clear()
        with capture_logs() as logs:
            night = await the_next_night(services, clock)
        asked = len(sandbox.paperless.requests)
        later = await scan(services)

    assert not was_whole(night)
    assert "daily pass skipped" in [line["event"] for line in logs]
    assert asked <= 12
    assert len(sandbox.paperless.requests) == asked + 1
    assert later.problem is None


async def test_what_arrives_in_between_is_counted(
    installation: Installation, sandbox: Sandbox, clock: FakeClock
) -> None:
    async with installation.open() as services:
        await scan(services)
        for _ in range(3):
            clock.advance(minutes=20)
            sandbox.world.add_document("Brief", "neu.pdf", added=clock())
            await scan(services)
        clock.advance(minutes=20)
        await scan(services)
        night = await the_next_night(services, clock)
        jobs = await services.store.jobs.list(JobFilter())

    assert not was_whole(night)
    assert len(jobs) == 6


@pytest.mark.parametrize("action", ["deleted", "shown", "restored"])
async def test_a_number_that_does_not_fit_makes_the_pass_necessary(
    installation: Installation, sandbox: Sandbox, clock: FakeClock, action: str
) -> None:
    world = sandbox.world
    world.edit(2, owner="admin")
    async with installation.open() as services:
        await scan(services)
        if action == "deleted":
            world.delete(1)
        elif action == "shown":
            # As after a new group permission, which does not change `modified`.
            world.documents[2].owner = None
        else:
            # As after restoring an older backup: the newest change is gone.
            world.documents[3].modified -= timedelta(days=1)
            world.documents[1].modified -= timedelta(days=1)
            world.documents[2].modified -= timedelta(days=1)
        night = await the_next_night(services, clock)

    assert was_whole(night)


async def test_with_reanalyze_no_pass_is_skipped(
    installation: Installation, clock: FakeClock
) -> None:
    installation.configure('[scan]\nreanalyze = "when_content_changes"\n')
    async with installation.open() as services:
        await scan(services)
        night = await the_next_night(services, clock)

    assert was_whole(night)


async def test_a_tag_that_is_now_another_makes_the_pass_necessary(
    installation: Installation, sandbox: Sandbox, clock: FakeClock
) -> None:
    installation.configure('[scan]\nexclude_tags = ["Privat"]\n')
    async with installation.open() as services:
        await scan(services)
        sandbox.world.find(Kind.TAG, "Privat").name = "Alt"
        sandbox.world.add_name(Kind.TAG, "Privat")
        night = await the_next_night(services, clock)

    assert was_whole(night)


async def test_on_the_seventh_night_the_whole_list_is_read(
    installation: Installation, clock: FakeClock
) -> None:
    async with installation.open() as services:
        await scan(services)
        first = await the_next_night(services, clock)
        nights = []
        for _ in range(6):
            clock.advance(days=1)
            nights.append(was_whole(await scan(services)))

    assert not was_whole(first)
    assert nights == [False, False, False, False, False, True]


async def test_by_day_a_busy_queue_comes_first(
    installation: Installation, sandbox: Sandbox, clock: FakeClock
) -> None:
    async with installation.open() as services:
        await scan(services)
        sandbox.world.delete(1)
        clock.advance(hours=21)
        busy = await scan(services)
        await drain(services)
        idle = await scan(services)

    assert not was_whole(busy)
    assert was_whole(idle)


async def test_the_daemon_makes_the_pass_at_night_whatever_its_schedule(
    installation: Installation, sandbox: Sandbox, clock: FakeClock
) -> None:
    async with installation.open() as services:
        await services.store.instances.plan_scan(
            HOME, cron=DAILY.expression, next_scan_at=DAILY.next_after(clock())
        )
        scheduler = ScanScheduler(
            {HOME: ScheduledInstance(services.scanners[HOME], DAILY)},
            store=services.store,
            clock=clock,
            found=lambda: None,
        )
        await scheduler.scan_if_due(HOME)
        clock.advance(hours=20)
        await scheduler.scan_if_due(HOME)
        sandbox.world.delete(1)
        clock.advance(hours=16, minutes=59)
        await scheduler.scan_if_due(HOME)
        before = len(await services.store.scans.list(HOME))
        clock.advance(minutes=1)
        await scheduler.scan_if_due(HOME)
        await scheduler.scan_if_due(HOME)
        scans = await services.store.scans.list(HOME)
        planned = await services.store.instances.get(HOME)

    assert before == 1
    assert [was_whole(scan) for scan in scans] == [True, True]
    assert planned is not None
    assert planned.next_scan_at == utc("2026-12-03T08:00")


async def test_a_pass_that_fails_is_not_tried_again_in_the_same_night(
    installation: Installation, sandbox: Sandbox, clock: FakeClock
) -> None:
    async with installation.open() as services:
        watched = ScheduledInstance(services.scanners[HOME], DAILY)
        scheduler = ScanScheduler(
            {HOME: watched}, store=services.store, clock=clock, found=lambda: None
        )
        await scan(services)
        sandbox.world.users["paperclerk"].permissions.discard("view_document")
        clock.advance(hours=14)
        for _ in range(3):
            await scheduler.scan_if_due(HOME)
        scans = await services.store.scans.list(HOME)

    assert len(scans) == 2


async def test_a_pass_that_meets_an_outage_is_made_in_the_same_night(
    installation: Installation, sandbox: Sandbox, clock: FakeClock
) -> None:
    async with installation.open() as services:
        watched = ScheduledInstance(services.scanners[HOME], DAILY)
        scheduler = ScanScheduler(
            {HOME: watched}, store=services.store, clock=clock, found=lambda: None
        )
        await scan(services)
        sandbox.world.delete(1)
        sandbox.paperless.faults.add(Fault(path="/api/documents/", effect=Answer(status=503)))
        clock.advance(hours=14)
        await scheduler.scan_if_due(HOME)
        await scheduler.scan_if_due(HOME)
        waiting = len(await services.store.scans.list(HOME))
        clock.advance(minutes=10)
        await scheduler.scan_if_due(HOME)
        scans = await services.store.scans.list(HOME)

    assert waiting == 2
    assert (len(scans), was_whole(scans[0]), scans[0].problem) == (3, True, None)
