"""Column charts: scale, stacked segments and their places in percent of the plot.

Templates draw them as SVG with places in percent and text in pixels, so that a chart needs no
script, fits every width and prints.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from math import ceil, floor, log10

Amount = int | Decimal

_TOP = 8.0
"""Percent of the plot above the highest line, where the value of a full column stands."""
_FAR = 2
"""A limit at least this many times the highest column is above a break in the scale."""
_BROKEN_TOP = 26.0
"""Percent of the plot above the highest line, if the scale is broken."""
_ABOVE_BREAK = 7.0
"""Where a limit above the break is drawn, in percent of the plot."""
_GAP = 0.24
"""Share of a column's slot that is left free."""
_MAX_LABELS = 4
"""Columns that have their label on a narrow screen."""


@dataclass(frozen=True, slots=True)
class Slot:
    """One column to draw: its label, and a value for each series."""

    label: str
    values: Mapping[str, Amount]

    @property
    def total(self) -> Amount:
        return sum(self.values.values(), 0)


@dataclass(frozen=True, slots=True)
class Segment:
    """The part of a column that belongs to one series. Places are in percent."""

    series: str
    y: float
    height: float


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a chart. Places are in percent."""

    slot: Slot
    x: float
    width: float
    top: float
    """Where its value stands."""
    segments: tuple[Segment, ...]
    is_labelled: bool
    """Whether its label is shown on a narrow screen as well."""

    @property
    def middle(self) -> float:
        return self.x + self.width / 2


@dataclass(frozen=True, slots=True)
class Line:
    """A horizontal line with its value: a step of the scale, or a budget."""

    value: Amount
    y: float


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart that is ready to be drawn."""

    columns: tuple[Column, ...]
    lines: tuple[Line, ...]
    """The scale, from 0 upwards."""
    limit: Line | None
    """A line that should not be crossed, such as a budget."""
    is_broken: bool
    """Whether the limit is above a break in the scale, which keeps the columns readable."""

    @property
    def is_empty(self) -> bool:
        return not any(column.slot.total for column in self.columns)


def build_chart(slots: Sequence[Slot], limit: Amount | None = None) -> Chart:
    """Build a chart of stacked columns. A limit is within the scale or above a break in it."""
    highest = max(slot.total for slot in slots)
    is_broken = bool(limit and highest and limit >= _FAR * highest)
    steps = choose_steps(
        highest if is_broken else max(highest, limit or 0),
        whole=all(isinstance(slot.total, int) for slot in slots),
    )
    place = _placer(steps[-1], _BROKEN_TOP if is_broken else _TOP)
    return Chart(
        columns=tuple(
            _build_column(slot, number, len(slots), place) for number, slot in enumerate(slots)
        ),
        lines=tuple(Line(step, place(step)) for step in steps),
        limit=Line(limit, _ABOVE_BREAK if is_broken else place(limit)) if limit else None,
        is_broken=is_broken,
    )


def choose_steps(highest: Amount, *, whole: bool) -> tuple[Amount, ...]:
    """Return three to six round values from 0 up to the highest or a little more."""
    if not highest:
        return (0, 1)
    rough = float(highest) / 4
    power = 10 ** floor(log10(rough))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough)
    if whole:
        whole_step = max(1, round(step))
        return tuple(range(0, ceil(highest / whole_step) * whole_step + 1, whole_step))
    exact = Decimal(repr(step))
    count = ceil(Decimal(highest) / exact)
    return tuple(exact * number for number in range(count + 1))


def _placer(top: Amount, above: float) -> Callable[[Amount], float]:
    """Return a function for the place of a value from above, in percent of the plot."""
    scale = (100 - above) / float(top)
    return lambda value: round(100 - float(value) * scale, 2)


def _build_column(slot: Slot, number: int, of: int, place: Callable[[Amount], float]) -> Column:
    width = 100 / of
    segments: list[Segment] = []
    below: Amount = 0
    for series, value in slot.values.items():
        if value:
            y = place(below + value)
            segments.append(Segment(series, y, round(place(below) - y, 2)))
            below += value
    return Column(
        slot=slot,
        x=round(width * (number + _GAP / 2), 2),
        width=round(width * (1 - _GAP), 2),
        top=place(below),
        segments=tuple(segments),
        # Counted from the end: the last column always keeps its label.
        is_labelled=(of - 1 - number) % ceil(of / _MAX_LABELS) == 0,
    )
