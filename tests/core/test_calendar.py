"""Days and months, durations as people write them, and hours by the clock on the wall."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.calendar import (
    DailyHours,
    day_at,
    day_boundaries,
    day_range,
    day_start,
    days_of_month,
    days_until,
    format_duration,
    month_start,
    next_day_start,
    next_month,
    next_month_start,
    parse_duration,
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


@pytest.mark.parametrize(
    ("text", "duration"),
    [
        ("30s", timedelta(seconds=30)),
        ("5m", timedelta(minutes=5)),
        ("2h", timedelta(hours=2)),
        ("1d", timedelta(days=1)),
        ("1h30m", timedelta(minutes=90)),
        ("1d2h3m4s", timedelta(days=1, hours=2, minutes=3, seconds=4)),
        ("90s", timedelta(seconds=90)),
        ("0s", timedelta()),
        (" 5m ", timedelta(minutes=5)),
    ],
)
def test_a_duration_is_a_number_and_its_unit_once_or_more(text: str, duration: timedelta) -> None:
    assert parse_duration(text) == duration


@pytest.mark.parametrize(
    "text", ["", " ", "5", "m", "-5m", "1.5h", "5 m", "5min", "30m1h", "5m5m", "1w", "٣m"]
)
def test_anything_else_is_refused_with_a_hint(text: str) -> None:
    with pytest.raises(ValueError, match='is not a duration - write "30s", "5m", "2h" or "1d"'):
        parse_duration(text)


def test_a_duration_beyond_what_can_be_counted_is_refused() -> None:
    with pytest.raises(ValueError, match="too long"):
        parse_duration("999999999d999999999h")


@pytest.mark.parametrize(
    ("duration", "text"),
    [
        (timedelta(), "0s"),
        (timedelta(seconds=30), "30s"),
        (timedelta(seconds=90), "1m30s"),
        (timedelta(minutes=120), "2h"),
        (timedelta(days=2), "2d"),
    ],
)
def test_a_duration_is_written_in_its_largest_units(duration: timedelta, text: str) -> None:
    assert format_duration(duration) == text


@pytest.mark.parametrize("duration", [timedelta(seconds=-1), timedelta(milliseconds=1)])
def test_what_is_not_whole_seconds_is_not_written(duration: timedelta) -> None:
    with pytest.raises(ValueError, match="whole seconds"):
        format_duration(duration)


@given(st.integers(min_value=0, max_value=10**9))
def test_what_is_written_is_read_back(seconds: int) -> None:
    duration = timedelta(seconds=seconds)

    assert parse_duration(format_duration(duration)) == duration


def hours(text: str) -> DailyHours:
    parsed = DailyHours.parse(text)
    assert parsed is not None
    return parsed


@pytest.mark.parametrize(
    ("span", "at", "quiet"),
    [
        ("22:00-07:00", "21:59", False),
        ("22:00-07:00", "22:00", True),
        ("22:00-07:00", "23:59", True),
        ("22:00-07:00", "00:00", True),
        ("22:00-07:00", "06:59", True),
        ("22:00-07:00", "07:00", False),
        ("22:00-00:00", "23:59", True),
        ("22:00-00:00", "00:00", False),
        ("12:30-14:00", "12:29", False),
        ("12:30-14:00", "12:30", True),
        ("12:30-14:00", "14:00", False),
        ("0:00-7:00", "00:00", True),
    ],
)
def test_it_is_quiet_from_the_first_time_to_before_the_second(
    span: str, at: str, *, quiet: bool
) -> None:
    now = datetime.fromisoformat(f"2026-07-01T{at}:00").replace(tzinfo=BERLIN)

    assert hours(span).covers(now.astimezone(UTC), BERLIN) is quiet


@pytest.mark.parametrize(
    ("moment", "quiet"),
    [
        # The night in which the clock goes forward from 2 to 3 is over an hour earlier.
        ("2026-03-29T00:59:00Z", True),
        ("2026-03-29T01:00:00Z", True),
        ("2026-03-29T04:59:00Z", True),
        ("2026-03-29T05:00:00Z", False),
        # In the night in which it goes back from 3 to 2, what is shown twice is quiet twice.
        ("2026-10-25T00:30:00Z", True),
        ("2026-10-25T01:30:00Z", True),
        ("2026-10-25T05:59:00Z", True),
        ("2026-10-25T06:00:00Z", False),
    ],
)
def test_nights_in_which_the_clock_is_changed_end_when_the_wall_says_so(
    moment: str, *, quiet: bool
) -> None:
    assert hours("22:00-07:00").covers(datetime.fromisoformat(moment), BERLIN) is quiet


def test_nothing_said_means_never() -> None:
    assert DailyHours.parse(" ") is None


@pytest.mark.parametrize(
    "text", ["22:00", "22:00-", "22-7", "24:00-07:00", "22:60-07:00", "7:0-8:00", "07:00-07:00"]
)
def test_what_is_no_span_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"is not a|at the same time"):
        DailyHours.parse(text)
