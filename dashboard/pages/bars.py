"""Bars for what each day brought."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal


@dataclass(frozen=True, slots=True)
class Bar:
    """One day of a chart. Heights are in parts of a hundred."""

    day: date
    value: int | Decimal
    height: float
    more: int = 0
    """What is stacked on top, such as failures."""
    more_height: float = 0.0


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
