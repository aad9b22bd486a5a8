"""Days where the owner lives: when each begins, and bars for what each brought."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta, tzinfo
from decimal import Decimal

from core.days import start_of

FIRST_DAY, LAST_DAY = date(1970, 1, 1), date(2999, 12, 31)
"""Days that can be meant; with the first and the last there are, none comes before or after."""


@dataclass(frozen=True, slots=True)
class Bar:
    """One day of a chart. Heights are in parts of a hundred."""

    day: date
    value: int | Decimal
    height: float
    more: int = 0
    """What is stacked on top, such as failures."""
    more_height: float = 0.0


def days_until(last: date, count: int) -> list[date]:
    """Return so many days, the last of them at the end."""
    return [last - timedelta(days=count - 1 - number) for number in range(count)]


def days_of_month(first: date) -> list[date]:
    after = next_month(first)
    return [first + timedelta(days=number) for number in range((after - first).days)]


def next_month(first: date) -> date:
    return (first + timedelta(days=32)).replace(day=1)


def begins_of(days: Sequence[date], zone: tzinfo) -> list[datetime]:
    """Return when each day begins, and when the last ends."""
    return [start_of(day, zone) for day in (*days, days[-1] + timedelta(days=1))]


def bars_of(
    days: Sequence[date], values: Sequence[int | Decimal], more: Sequence[int] = ()
) -> list[Bar]:
    """Make bars, the highest of which is a hundred; of nothing they are flat."""
    stacked = more or [0] * len(days)
    most = max((value + on_top for value, on_top in zip(values, stacked, strict=True)), default=0)
    scale = 100 / float(most) if most else 0.0
    return [
        Bar(day, value, _height(value, scale), on_top, _height(on_top, scale))
        for day, value, on_top in zip(days, values, stacked, strict=True)
    ]


def _height(value: int | Decimal, scale: float) -> float:
    # What is there at all must be seen.
    return max(float(value) * scale, 2.0) if value else 0.0
