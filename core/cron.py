"""Compute when a cron expression is due. The only module that imports croniter.

croniter accepts more than people mean: seconds, random fields, ranges that run backwards. So the
five fields are validated here first.
"""

import re
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo

from croniter import CroniterBadDateError, croniter

from core.messages import Message, message

_ALIASES = {
    "@hourly": "0 * * * *",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@weekly": "0 0 * * 0",
    "@monthly": "0 0 1 * *",
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
}
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
_NUMBER = re.compile("[0-9]{1,2}")


@dataclass(frozen=True, slots=True)
class _Field:
    """One of the five fields, with its range."""

    name: Message
    first: int
    last: int
    words: tuple[str, ...] = ()
    """Names of the numbers from `first` on."""


_FIELDS = (
    _Field(message("minute"), 0, 59),
    _Field(message("hour"), 0, 23),
    _Field(message("day"), 1, 31),
    _Field(message("month"), 1, 12, _MONTHS),
    _Field(message("weekday"), 0, 7, _DAYS),
)


@dataclass(frozen=True, slots=True)
class Schedule:
    """A cron expression in a time zone."""

    expression: str
    zone: tzinfo = UTC

    def __post_init__(self) -> None:
        """Raise ValueError with a message for the owner if the expression is not valid."""
        for field, text in zip(_FIELDS, _split(self.expression), strict=True):
            _check_field(field, text)
        try:
            self.next_after(datetime(2024, 1, 1, tzinfo=UTC))
        except CroniterBadDateError:
            raise ValueError(message("this day never occurs")) from None

    def next_after(self, moment: datetime) -> datetime:
        """Return the next time after `moment`, in UTC.

        If clocks go forward, a skipped time moves to the next full hour. If they go back, a fixed
        hour is due once, the first time; an hourly schedule is due every hour.
        """
        expression = _resolve_alias(self.expression)
        times = croniter(expression, moment.astimezone(self.zone))
        found: datetime = times.get_next(datetime)
        fixed_hour = not expression.split()[1].startswith("*")
        while fixed_hour and found.utcoffset() != found.replace(fold=0).utcoffset():
            # The clocks went back, and this is the second time of the same hour.
            found = times.get_next(datetime)
        return found.astimezone(UTC)


def _resolve_alias(expression: str) -> str:
    text = expression.strip().lower()
    return _ALIASES.get(text, text)


def _split(expression: str) -> list[str]:
    if expression.strip().startswith("@") and expression.strip().lower() not in _ALIASES:
        choices = ", ".join(_ALIASES)
        raise ValueError(message("unknown name - use one of {choices}", choices=choices))
    fields = _resolve_alias(expression).split()
    if len(fields) != len(_FIELDS):
        raise ValueError(
            message("expected five fields (minute hour day month weekday), got {n}", n=len(fields))
        )
    return fields


def _check_field(field: _Field, text: str) -> None:
    """Accept lists of `*`, `5` and `1-5`; all but single numbers may have a step: `*/15`."""
    for part in text.split(","):
        span, slash, step = part.partition("/")
        if slash:
            _check_step(field, span, step)
        if span == "*":
            continue
        start, dash, end = span.partition("-")
        first = _parse_number(field, start)
        if dash and _parse_number(field, end) < first:
            raise ValueError(message("{more} range {span} is reversed", more=field.name, span=span))


def _check_step(field: _Field, span: str, step: str) -> None:
    if span != "*" and "-" not in span:
        # Versions of croniter interpret 59/15 differently.
        raise ValueError(
            message("{more} step needs a range, as in */15 or 0-30/10", more=field.name)
        )
    if not _NUMBER.fullmatch(step) or not 1 <= int(step) <= field.last:
        raise ValueError(
            message("{more} step must be 1 to {last}", more=field.name, last=field.last)
        )


def _parse_number(field: _Field, text: str) -> int:
    if text in field.words:
        return field.first + field.words.index(text)
    if not text.isascii() or not _NUMBER.fullmatch(text):
        raise ValueError(message('{more} cannot be "{text}"', more=field.name, text=text))
    number = int(text)
    if not field.first <= number <= field.last:
        span = {"first": field.first, "last": field.last}
        raise ValueError(message("{more} must be {first} to {last}", more=field.name, **span))
    return number
