import re
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from core.cron import Schedule

BERLIN = ZoneInfo("Europe/Berlin")


def at(text: str, zone: ZoneInfo = BERLIN) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=zone)


def local_times(schedule: Schedule, start: datetime, count: int) -> list[str]:
    times = []
    for _ in range(count):
        start = schedule.next_after(start)
        times.append(start.astimezone(BERLIN).isoformat(timespec="minutes"))
    return times


@pytest.mark.parametrize(
    ("expression", "after", "due"),
    [
        ("*/30 * * * *", "2026-11-16T10:05", "2026-11-16T10:30"),
        ("*/30 * * * *", "2026-11-16T10:30", "2026-11-16T11:00"),
        ("0 3 * * *", "2026-11-16T10:05", "2026-11-17T03:00"),
        ("0 3 * * 0", "2026-11-16T10:05", "2026-11-22T03:00"),  # a Sunday, also to people
        ("0 3 * * 7", "2026-11-16T10:05", "2026-11-22T03:00"),
        ("0 3 * * sun", "2026-11-16T10:05", "2026-11-22T03:00"),
        ("0 3 * * MON-FRI", "2026-11-20T10:05", "2026-11-23T03:00"),
        ("0 0 13 * 5", "2026-11-16T10:05", "2026-11-20T00:00"),  # day or weekday, as cron has it
        ("15,45 8-17/3 * * *", "2026-11-16T08:45", "2026-11-16T11:15"),
        ("@daily", "2026-11-16T10:05", "2026-11-17T00:00"),
        ("@weekly", "2026-11-16T10:05", "2026-11-22T00:00"),
        ("0 0 29 2 *", "2026-11-16T10:05", "2028-02-29T00:00"),
    ],
)
def test_the_next_time_is_the_one_that_cron_means(expression: str, after: str, due: str) -> None:
    schedule = Schedule(expression, BERLIN)

    assert schedule.next_after(at(after)) == at(due)


def test_the_next_time_is_given_in_utc() -> None:
    due = Schedule("0 3 * * *", BERLIN).next_after(at("2026-11-16T10:05"))

    assert due.utcoffset() == timedelta(0)


def test_a_time_that_spring_leaves_out_comes_at_the_next_full_hour() -> None:
    times = local_times(Schedule("30 2 * * *", BERLIN), at("2026-03-28T12:00"), 2)

    assert times == ["2026-03-29T03:00+02:00", "2026-03-30T02:30+02:00"]


def test_a_fixed_hour_comes_once_in_the_night_of_two_hours() -> None:
    times = local_times(Schedule("30 2 * * *", BERLIN), at("2026-10-24T12:00"), 2)

    assert times == ["2026-10-25T02:30+02:00", "2026-10-26T02:30+01:00"]


def test_every_half_hour_goes_on_through_the_night_of_two_hours() -> None:
    times = local_times(Schedule("*/30 * * * *", BERLIN), at("2026-10-25T01:45"), 5)

    assert times == [
        "2026-10-25T02:00+02:00",
        "2026-10-25T02:30+02:00",
        "2026-10-25T02:00+01:00",
        "2026-10-25T02:30+01:00",
        "2026-10-25T03:00+01:00",
    ]


@pytest.mark.parametrize(
    ("expression", "sentence"),
    [
        ("99 * * * *", "minute must be 0 to 59"),
        ("* 24 * * *", "hour must be 0 to 23"),
        ("* * 0 * *", "day must be 1 to 31"),
        ("* * * 13 *", "month must be 1 to 12"),
        ("* * * * 8", "weekday must be 0 to 7"),
        ("* * * *", "expected five fields (minute hour day month weekday), got 4"),
        ("0 0 3 * * *", "expected five fields (minute hour day month weekday), got 6"),
        ("", "expected five fields (minute hour day month weekday), got 0"),
        ("@reboot", "unknown name"),
        ("*/90 * * * *", "minute step must be 1 to 59"),
        ("*/0 * * * *", "minute step must be 1 to 59"),
        ("59/15 * * * *", "minute step needs a range"),
        ("* * * * 5-1", "weekday range 5-1 is reversed"),
        ("* * ? * *", 'day cannot be "?"'),
        ("* * 15W * *", 'day cannot be "15w"'),
        ("R * * * *", 'minute cannot be "r"'),
        ("٣ * * * *", 'minute cannot be "٣"'),
        ("0 0 30 2 *", "this day never occurs"),
    ],
)
def test_what_cron_does_not_plainly_mean_is_refused_with_a_sentence(
    expression: str, sentence: str
) -> None:
    with pytest.raises(ValueError, match="^" + re.escape(sentence)):
        Schedule(expression, UTC)
