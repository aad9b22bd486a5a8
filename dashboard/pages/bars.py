"""Bars of a chart by day."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal


@dataclass(frozen=True, slots=True)
class Bar:
    """One day of a chart. Heights are in percent."""

    day: date
    value: int | Decimal
    height: float
    more: int = 0
    """The value stacked on top, such as failures."""
    more_height: float = 0.0


def bars_of(
    days: Sequence[date], values: Sequence[int | Decimal], more: Sequence[int] = ()
) -> list[Bar]:
    """Build bars, the highest with 100 percent; all are flat if every value is 0."""
    stacked = more or [0] * len(days)
    highest = max(
        (value + on_top for value, on_top in zip(values, stacked, strict=True)), default=0
    )
    scale = 100 / float(highest) if highest else 0.0
    return [
        Bar(day, value, _height(value, scale), on_top, _height(on_top, scale))
        for day, value, on_top in zip(days, values, stacked, strict=True)
    ]


def _height(value: int | Decimal, scale: float) -> float:
    # The smallest value stays visible.
    return max(float(value) * scale, 2.0) if value else 0.0
