"""When days and months begin and end."""

from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pytest

from core.calendar import (
    day_at,
    day_boundaries,
    day_range,
    day_start,
    days_of_month,
    days_until,
    month_start,
    next_day_start,
    next_month,
    next_month_start,
    start_of,
)

BERLIN = ZoneInfo("Europe/Berlin")


def utc(moment: str) -> datetime:
    return datetime.fromisoformat(moment).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("day", "zone", "begins"),
    [
        ("2026-11-16", "Europe/Berlin", "2026-11-15T23:00"),
        ("2026-07-16", "Europe/Berlin", "2026-07-15T22:00"),
        ("2026-03-29", "Europe/Berlin", "2026-03-28T23:00"),  # an hour is left out later that day
        ("2026-10-25", "Europe/Berlin", "2026-10-24T22:00"),  # an hour comes twice
        ("2026-11-16", "UTC", "2026-11-16T00:00"),
        ("2026-11-16", "Pacific/Auckland", "2026-11-15T11:00"),
    ],
)
def test_a_day_begins_at_its_own_midnight(day: str, zone: str, begins: str) -> None:
    begun = start_of(date.fromisoformat(day), ZoneInfo(zone))

    assert begun == utc(begins)


def test_without_a_zone_the_system_s_counts() -> None:
    local = datetime.combine(date(2026, 11, 16), datetime.min.time()).astimezone()

    assert start_of(date(2026, 11, 16), None) == local


@pytest.mark.parametrize(
    ("now", "begins", "ends"),
    [
        ("2026-11-16T10:00", "2026-11-15T23:00", "2026-11-16T23:00"),
        ("2026-11-16T22:59", "2026-11-15T23:00", "2026-11-16T23:00"),
        ("2026-11-16T23:00", "2026-11-16T23:00", "2026-11-17T23:00"),
        ("2026-07-01T22:30", "2026-07-01T22:00", "2026-07-02T22:00"),
        # 23 hours in spring, 25 in autumn.
        ("2026-03-29T12:00", "2026-03-28T23:00", "2026-03-29T22:00"),
        ("2026-10-25T12:00", "2026-10-24T22:00", "2026-10-25T23:00"),
    ],
)
def test_a_day_goes_from_midnight_to_midnight_in_berlin(now: str, begins: str, ends: str) -> None:
    assert day_start(utc(now), BERLIN) == utc(begins)
    assert next_day_start(utc(now), BERLIN) == utc(ends)


@pytest.mark.parametrize(
    ("now", "begins", "ends"),
    [
        ("2026-11-16T10:00", "2026-10-31T23:00", "2026-11-30T23:00"),
        ("2026-12-31T22:59", "2026-11-30T23:00", "2026-12-31T23:00"),
        ("2026-12-31T23:00", "2026-12-31T23:00", "2027-01-31T23:00"),
        ("2026-03-29T12:00", "2026-02-28T23:00", "2026-03-31T22:00"),
        ("2026-10-31T22:59", "2026-09-30T22:00", "2026-10-31T23:00"),
    ],
)
def test_a_month_goes_from_first_to_first_in_berlin(now: str, begins: str, ends: str) -> None:
    assert month_start(utc(now), BERLIN) == utc(begins)
    assert next_month_start(utc(now), BERLIN) == utc(ends)


@pytest.mark.parametrize(
    ("day", "following", "length"),
    [
        ("2026-11-16", "2026-12-01", 30),
        ("2026-12-31", "2027-01-01", 31),
        ("2026-01-31", "2026-02-01", 31),
        ("2026-02-28", "2026-03-01", 28),
        ("2028-02-01", "2028-03-01", 29),
    ],
)
def test_a_month_has_its_days_and_one_that_follows(day: str, following: str, length: int) -> None:
    days = days_of_month(date.fromisoformat(day))

    assert next_month(date.fromisoformat(day)) == date.fromisoformat(following)
    assert (len(days), days[0].day, days[-1].day) == (length, 1, length)


def test_days_begin_one_after_another_and_the_last_ends() -> None:
    days = days_until(date(2026, 3, 29), 2)

    assert days == [date(2026, 3, 28), date(2026, 3, 29)]
    assert day_boundaries(days, BERLIN) == [
        utc("2026-03-27T23:00"),
        utc("2026-03-28T23:00"),
        utc("2026-03-29T22:00"),
    ]


def test_a_span_includes_its_last_day_and_may_be_open() -> None:
    day = date(2026, 3, 29)

    assert day_range(day, day, BERLIN) == (utc("2026-03-28T23:00"), utc("2026-03-29T22:00"))
    assert day_range(day, None, BERLIN) == (utc("2026-03-28T23:00"), None)
    assert day_range(None, day, BERLIN) == (None, utc("2026-03-29T22:00"))


def test_it_is_another_day_elsewhere() -> None:
    late = utc("2026-11-16T23:30")

    assert (day_at(late, UTC), day_at(late, BERLIN)) == (date(2026, 11, 16), date(2026, 11, 17))
