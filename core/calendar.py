"""Days and months where the owner lives: which it is, and when they begin and end.

No zone means the system's.
"""

from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta, tzinfo

FIRST_DAY, LAST_DAY = date(1970, 1, 1), date(2999, 12, 31)
"""Days that can be meant; with the first and the last there are, none comes before or after."""

_A_DAY = timedelta(days=1)
_INTO_THE_NEXT_MONTH = timedelta(days=32)
"""From the first day of any month."""


def day_at(moment: datetime, zone: tzinfo | None) -> date:
    """Return which day it is in a zone at a moment."""
    return moment.astimezone(zone).date()


def start_of(day: date, zone: tzinfo | None) -> datetime:
    """Return when a day begins in a zone, told in UTC.

    Clocks that go forward at midnight leave it out: then the day begins with the first moment
    there is.
    """
    return datetime.combine(day, time(), tzinfo=zone).astimezone(UTC)


def day_start(moment: datetime, zone: tzinfo | None) -> datetime:
    """Return when the day began that a moment is in."""
    return start_of(day_at(moment, zone), zone)


def month_start(moment: datetime, zone: tzinfo | None) -> datetime:
    """Return when the month began that a moment is in."""
    return start_of(day_at(moment, zone).replace(day=1), zone)


def next_day_start(moment: datetime, zone: tzinfo | None) -> datetime:
    """Return when the day after a moment begins."""
    return start_of(day_at(moment, zone) + _A_DAY, zone)


def next_month_start(moment: datetime, zone: tzinfo | None) -> datetime:
    """Return when the month after a moment begins."""
    return start_of(next_month(day_at(moment, zone)), zone)


def next_month(day: date) -> date:
    """Return the first day of the month after a day's."""
    return (day.replace(day=1) + _INTO_THE_NEXT_MONTH).replace(day=1)


def days_of_month(day: date) -> list[date]:
    """Return all days of the month that a day is in."""
    first = day.replace(day=1)
    return [first + number * _A_DAY for number in range((next_month(day) - first).days)]


def days_until(last: date, count: int) -> list[date]:
    """Return so many days, the last of them at the end."""
    return [last - number * _A_DAY for number in reversed(range(count))]


def begins_of(days: Sequence[date], zone: tzinfo | None) -> list[datetime]:
    """Return when each of these days begins, and when the last ends."""
    return [start_of(day, zone) for day in (*days, days[-1] + _A_DAY)]


def span_of(
    first: date | None, last: date | None, zone: tzinfo | None
) -> tuple[datetime | None, datetime | None]:
    """Return when a span of days begins and ends, the last day included; None leaves it open."""
    begins = None if first is None else start_of(first, zone)
    return begins, None if last is None else start_of(last + _A_DAY, zone)
