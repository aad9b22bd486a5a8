"""The clock, and days, months, durations and hours of the day in the owner's time zone.

No other module reads the system clock. If the zone is None, the system's time zone applies.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from enum import StrEnum

from core.messages import message

Clock = Callable[[], datetime]
"""Returns the current time, aware and in UTC."""

FIRST_DAY, LAST_DAY = date(1970, 1, 1), date(2999, 12, 31)
"""Range of valid days, so that the day before or after one can always be computed."""

_A_DAY, _A_MINUTE = timedelta(days=1), timedelta(minutes=1)
_INTO_THE_NEXT_MONTH = timedelta(days=32)
"""Longer than any month."""
_UNITS = {"d": timedelta(days=1), "h": timedelta(hours=1), "m": timedelta(minutes=1)}
_UNITS["s"] = timedelta(seconds=1)
_DURATION = re.compile("".join(f"(?:(?P<{unit}>[0-9]{{1,9}}){unit})?" for unit in _UNITS))


class DateOrder(StrEnum):
    """Which of two numbers is the day: 03/04/2026 is 3 April or 4 March."""

    DOCUMENT = "document"
    """What the document shows by its other dates."""
    DAY_FIRST = "day_first"
    MONTH_FIRST = "month_first"


@dataclass(frozen=True, slots=True)
class DailyHours:
    """A range of hours of each day, which may include midnight."""

    begin: time
    end: time

    @classmethod
    def parse(cls, text: str) -> "DailyHours | None":
        """Parse hours such as 22:00-07:00; None if the text is empty. Raise ValueError."""
        if not text.strip():
            return None
        begin, dash, end = text.partition("-")
        if not dash:
            raise ValueError(
                message('"{text}" is not a time range - write one such as "22:00-07:00"', text=text)
            )
        hours = cls(parse_time_of_day(begin), parse_time_of_day(end))
        if hours.begin == hours.end:
            raise ValueError(message("begins and ends at the same time"))
        return hours

    def covers(self, now: datetime, zone: tzinfo | None) -> bool:
        """Return whether a moment is within the hours; the end is excluded.

        Local time counts, so the night of a clock change is an hour longer or shorter.
        """
        local = now.astimezone(zone).time()
        if self.begin < self.end:
            return self.begin <= local < self.end
        return local >= self.begin or local < self.end

    def next_begin(self, now: datetime, zone: tzinfo | None) -> datetime:
        """Return the first moment from `now` on that is within the hours."""
        return self._next_change(self.begin, now, zone, is_within=True)

    def next_end(self, now: datetime, zone: tzinfo | None) -> datetime:
        """Return the first moment from `now` on that is not within the hours."""
        return self._next_change(self.end, now, zone, is_within=False)

    def _next_change(
        self, edge: time, now: datetime, zone: tzinfo | None, *, is_within: bool
    ) -> datetime:
        if self.covers(now, zone) is is_within:
            return now
        today = day_at(now, zone)
        # A local time can come twice on a day, and then both count.
        edges = sorted(
            datetime.combine(today + days * _A_DAY, edge.replace(fold=fold), zone).astimezone(UTC)
            for days in range(3)
            for fold in (0, 1)
        )
        found = next(at for at in edges if at > now and self.covers(at, zone) is is_within)
        # If clocks skip the edge, the change comes with the first moment after the gap.
        while found - _A_MINUTE > now and self.covers(found - _A_MINUTE, zone) is is_within:
            found -= _A_MINUTE
        return found

    def __str__(self) -> str:
        return f"{self.begin:%H:%M}-{self.end:%H:%M}"


def utc_now() -> datetime:
    """Return the current time, aware and in UTC."""
    return datetime.now(UTC)  # noqa: TID251 - the clock itself


def day_at(moment: datetime, zone: tzinfo | None) -> date:
    """Return the day of a moment in a zone."""
    return moment.astimezone(zone).date()


def start_of(day: date, zone: tzinfo | None) -> datetime:
    """Return when a day begins in a zone, in UTC.

    If clocks go forward at midnight, the day begins with its first existing moment.
    """
    return datetime.combine(day, time(), tzinfo=zone).astimezone(UTC)


def day_start(moment: datetime, zone: tzinfo | None) -> datetime:
    """Return the beginning of the day of a moment."""
    return start_of(day_at(moment, zone), zone)


def month_start(moment: datetime, zone: tzinfo | None) -> datetime:
    """Return the beginning of the month of a moment."""
    return start_of(day_at(moment, zone).replace(day=1), zone)


def next_day_start(moment: datetime, zone: tzinfo | None) -> datetime:
    """Return the beginning of the next day."""
    return start_of(day_at(moment, zone) + _A_DAY, zone)


def next_month_start(moment: datetime, zone: tzinfo | None) -> datetime:
    """Return the beginning of the next month."""
    return start_of(next_month(day_at(moment, zone)), zone)


def next_month(day: date) -> date:
    """Return the first day of the next month."""
    return (day.replace(day=1) + _INTO_THE_NEXT_MONTH).replace(day=1)


def days_of_month(day: date) -> list[date]:
    """Return all days of the month of a day."""
    first = day.replace(day=1)
    return [first + number * _A_DAY for number in range((next_month(day) - first).days)]


def days_until(last: date, count: int) -> list[date]:
    """Return the last `count` days up to and including `last`."""
    return [last - number * _A_DAY for number in reversed(range(count))]


def day_boundaries(days: Sequence[date], zone: tzinfo | None) -> list[datetime]:
    """Return the beginning of each day, and the end of the last."""
    return [start_of(day, zone) for day in (*days, days[-1] + _A_DAY)]


def day_range(
    first: date | None, last: date | None, zone: tzinfo | None
) -> tuple[datetime | None, datetime | None]:
    """Return the beginning and end of a range of days, including the last; None is unbounded."""
    begins = None if first is None else start_of(first, zone)
    ends = None if last is None else start_of(last + _A_DAY, zone)
    return begins, ends


def parse_duration(text: str) -> timedelta:
    """Parse "30s", "5m", "2h", "1d" or "1h30m"; raise ValueError with a message for the user."""
    match = _DURATION.fullmatch(text.strip())
    if match is None or not match[0]:
        raise ValueError(
            message('"{text}" is not a duration - write "30s", "5m", "2h" or "1d"', text=text)
        )
    parts = match.groupdict(default="0")
    try:
        return sum((int(parts[unit]) * length for unit, length in _UNITS.items()), timedelta())
    except OverflowError:
        raise ValueError(message('"{text}" is too long', text=text)) from None


def format_duration(duration: timedelta) -> str:
    """Return a duration of whole seconds in the format of `parse_duration`."""
    if duration < timedelta() or duration.microseconds:
        raise ValueError(f"not a duration of whole seconds: {duration!r}")
    text = ""
    for unit, length in _UNITS.items():
        count, duration = divmod(duration, length)
        text += f"{count}{unit}" if count else ""
    return text or "0s"


def parse_time_of_day(text: str) -> time:
    """Parse a time such as 08:00; raise ValueError with a message for the user."""
    hour, colon, minute = text.strip().partition(":")
    digits = hour.isdecimal() and minute.isdecimal() and text.isascii()
    if not colon or not digits or len(hour) > 2 or len(minute) != 2:
        raise ValueError(message('"{text}" is not a time - write one such as "08:00"', text=text))
    try:
        return time(int(hour), int(minute))
    except ValueError:
        raise ValueError(
            message('"{text}" is not a time - the latest is 23:59', text=text)
        ) from None
