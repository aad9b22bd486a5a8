"""The rate and the hours of a model, and when work ends at that pace."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from core.calendar import DailyHours
from core.jobs import Priority
from core.pace import HoursFor, OutsideHours, Pace, Rate, RecentCall

BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 11, 16, 12, tzinfo=UTC)


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def ago(*calls: tuple[int, int]) -> list[RecentCall]:
    """Return calls by the seconds since they began, and their tokens."""
    return [RecentCall(NOW - timedelta(seconds=seconds), tokens) for seconds, tokens in calls]


def wait(rate: Rate, recent: list[RecentCall], tokens: int = 1) -> int:
    """Return the seconds until a call may be made."""
    reached = rate.check(recent, tokens=tokens)
    return 0 if reached is None else round((reached.free_at - NOW).total_seconds())


@pytest.mark.parametrize(
    ("rate", "recent", "tokens", "seconds"),
    [
        (Rate(), [(10, 5_000), (5, 5_000)], 9_999, 0),
        (Rate(3), [], 1, 0),
        (Rate(3), [(50, 0), (10, 0)], 1, 0),
        (Rate(3), [(50, 0), (20, 0), (10, 0)], 1, 10),
        # The rate was lowered: only the last ones count.
        (Rate(2), [(50, 0), (20, 0), (10, 0)], 1, 40),
        (Rate(0, 1_000), [(30, 600)], 400, 0),
        (Rate(0, 1_000), [(30, 600)], 401, 30),
        (Rate(0, 1_000), [(50, 300), (40, 300), (5, 300)], 700, 20),
        # What is larger than the rate is sent alone.
        (Rate(0, 1_000), [], 5_000, 0),
        (Rate(0, 1_000), [(40, 300), (5, 300)], 5_000, 55),
        # Of both, the later one.
        (Rate(1, 1_000), [(30, 600)], 401, 30),
        (Rate(2, 1_000), [(50, 10), (20, 995)], 100, 40),
    ],
)
def test_a_call_waits_until_the_last_minute_has_room_for_it(
    rate: Rate, recent: list[tuple[int, int]], tokens: int, seconds: int
) -> None:
    assert wait(rate, ago(*recent), tokens) == seconds


@pytest.mark.parametrize(
    ("rate", "minutes"), [(Rate(), 0), (Rate(10), 5), (Rate(0, 1_000), 20), (Rate(10, 1_000), 20)]
)
def test_a_rate_tells_how_long_work_takes_at_least(rate: Rate, minutes: int) -> None:
    assert rate.least_time(requests=50, tokens=20_000) == timedelta(minutes=minutes)


def paced(hours: str, hours_for: HoursFor = HoursFor.ALL) -> Pace:
    return Pace(hours=DailyHours.parse(hours), hours_for=hours_for, zone=BERLIN)


@pytest.mark.parametrize(
    ("hours_for", "priority", "waits"),
    [
        (HoursFor.ALL, Priority.BACKLOG, True),
        (HoursFor.ALL, Priority.BY_HAND, True),
        (HoursFor.BACKLOG, Priority.BACKLOG, True),
        (HoursFor.BACKLOG, Priority.NEW, False),
        (HoursFor.BACKLOG, Priority.BY_HAND, False),
    ],
)
def test_outside_the_hours_all_documents_wait_or_only_the_backlog(
    hours_for: HoursFor, priority: Priority, *, waits: bool
) -> None:
    pace, noon, night = paced("22:00-06:00", hours_for), NOW, utc("2026-11-16T23:00")

    pace.require_hours(priority, night)
    if not waits:
        pace.require_hours(priority, noon)
        return
    with pytest.raises(OutsideHours, match="22:00-06:00"):
        pace.require_hours(priority, noon)


@pytest.mark.parametrize(
    ("hours", "now", "opens"),
    [
        ("22:00-06:00", "2026-11-16T12:00", "2026-11-16T21:00"),
        ("22:00-06:00", "2026-11-16T21:00", "2026-11-16T21:00"),
        ("22:00-06:00", "2026-11-17T04:59", "2026-11-17T04:59"),
        ("22:00-06:00", "2026-11-17T05:00", "2026-11-17T21:00"),
        ("01:00-05:00", "2026-11-16T12:00", "2026-11-17T00:00"),
        # Clocks go forward from 2 to 3: half past two does not exist, three is the first after it.
        ("02:30-06:00", "2026-03-29T00:00", "2026-03-29T01:00"),
        ("22:00-06:00", "2026-03-29T04:00", "2026-03-29T20:00"),
        # Clocks go back from 3 to 2: half past two comes twice.
        ("02:30-06:00", "2026-10-25T00:00", "2026-10-25T00:30"),
        ("02:30-06:00", "2026-10-25T01:00", "2026-10-25T01:30"),
        ("22:00-06:00", "2026-10-25T05:00", "2026-10-25T21:00"),
    ],
)
def test_the_hours_begin_when_the_clock_on_the_wall_says_so(
    hours: str, now: str, opens: str
) -> None:
    pace = paced(hours)

    assert pace.opens_at(utc(now)) == utc(opens)
    pace.require_hours(Priority.NEW, utc(opens))


@pytest.mark.parametrize(
    ("hours", "work", "ends"),
    [
        ("", timedelta(hours=30), "2026-11-17T18:00"),
        ("22:00-06:00", timedelta(hours=1), "2026-11-16T22:00"),
        ("22:00-06:00", timedelta(hours=8), "2026-11-17T05:00"),
        ("22:00-06:00", timedelta(hours=9), "2026-11-17T22:00"),
        ("12:00-14:00", timedelta(hours=4), "2026-11-18T12:00"),
    ],
)
def test_work_is_done_in_the_hours_only(hours: str, work: timedelta, ends: str) -> None:
    assert paced(hours).ends_at(NOW, work) == utc(ends)


@pytest.mark.parametrize(
    ("evening", "ends"),
    [
        # The night in which clocks go forward has seven hours, so the last one is in the next.
        ("2026-03-28T20:00", "2026-03-29T21:00"),
        ("2026-10-24T19:00", "2026-10-25T04:00"),
    ],
)
def test_nights_in_which_the_clock_is_changed_are_shorter_or_longer(
    evening: str, ends: str
) -> None:
    assert paced("22:00-06:00").ends_at(utc(evening), timedelta(hours=8)) == utc(ends)


def test_a_forecast_of_years_is_cut() -> None:
    ends = paced("22:00-22:01").ends_at(NOW, timedelta(days=100_000))

    assert ends - NOW < timedelta(days=3_000)
