"""Values of filters, and the values of documents they are compared with."""

import operator
from collections.abc import Callable
from datetime import date, datetime
from typing import TypeVar
from zoneinfo import ZoneInfo

from sandbox.paperless.values import Invalid, read_day, read_moment

Thing = TypeVar("Thing")

COMPARISONS: dict[str, Callable[[date, date], bool]] = {
    "gt": operator.gt,
    "gte": operator.ge,
    "lt": operator.lt,
    "lte": operator.le,
}

TEXT_MATCHES: dict[str, Callable[[str, str], bool]] = {
    "iexact": operator.eq,
    "icontains": operator.contains,
    "istartswith": str.startswith,
    "iendswith": str.endswith,
}


def comparison(lookup: str, of: Callable[[Thing], date], border: date) -> Callable[[Thing], bool]:
    return lambda thing: COMPARISONS[lookup](of(thing), border)


def contains(text: str, part: str) -> bool:
    return part.lower() in text.lower()


def number(text: str) -> int:
    try:
        return int(text)
    except ValueError as error:
        raise Invalid("Enter a number.") from error


def numbers(text: str) -> set[int]:
    return {number(part) for part in text.split(",")}


def keys_or_none(text: str) -> set[int] | None:
    """Parse ids; return None if one is not a number, because Paperless then ignores the filter."""
    try:
        return numbers(text)
    except Invalid:
        return None


def boolean(text: str) -> bool | None:
    return {"true": True, "1": True, "false": False, "0": False}.get(text.lower())


def day(text: str) -> date:
    found = read_day(text)
    if found is None:
        raise Invalid("Enter a valid date.")
    return found


def moment(text: str, zone: ZoneInfo) -> datetime:
    found = read_moment(text, zone)
    if found is None:
        raise Invalid("Enter a valid date/time.")
    return found
