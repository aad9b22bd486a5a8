"""Parse the values of requests as Django REST framework does, with its messages."""

import re
from datetime import date, datetime
from zoneinfo import ZoneInfo

_DAY = re.compile(r"\d{4}-\d{1,2}-\d{1,2}")
_MOMENT = re.compile(
    r"(?P<day>\d{4}-\d{1,2}-\d{1,2})[T ](?P<time>\d{1,2}:\d{1,2}(:\d{1,2}([.,]\d{1,6})?)?)"
    r"\s*(?P<zone>Z|[+-]\d{2}(:?\d{2})?)?"
)
WRONG_DATE = "Date has wrong format. Use one of these formats instead: YYYY-MM-DD."
NULL = "This field may not be null."
BLANK = "This field may not be blank."
REQUIRED = "This field is required."


class Invalid(ValueError):
    """A value is refused, with the message of Paperless."""

    @property
    def message(self) -> str:
        return str(self.args[0])


def read_day(text: str) -> date | None:
    """Parse YYYY-MM-DD; return None if it is not a date."""
    if not _DAY.fullmatch(text):
        return None
    try:
        return date(*map(int, text.split("-")))
    except ValueError:
        return None


def read_moment(text: str, zone: ZoneInfo) -> datetime | None:
    """Parse a date and time, by default in the server's time zone; return None if it is invalid."""
    match = _MOMENT.fullmatch(text)
    if match is None:
        day = read_day(text)
        return None if day is None else datetime(day.year, day.month, day.day, tzinfo=zone)
    try:
        found = datetime.fromisoformat(_normal(match))
    except ValueError:
        return None
    return found.replace(tzinfo=zone) if found.tzinfo is None else found


def read_text(value: object, *, longest: int | None = None) -> str:
    """Parse text: numbers are converted, and surrounding white space is removed."""
    if value is None:
        raise Invalid(NULL)
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise Invalid("Not a valid string.")
    text = str(value).strip()
    if "\0" in text:
        raise Invalid("Null characters are not allowed.")
    if longest is not None and len(text) > longest:
        raise Invalid(f"Ensure this field has no more than {longest} characters.")
    return text


def read_key(value: object) -> int:
    """Parse the id of another object, which may be text."""
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise Invalid(f"Incorrect type. Expected pk value, received {type(value).__name__}.")
    try:
        return int(value)
    except ValueError as error:
        raise Invalid("Incorrect type. Expected pk value, received str.") from error


def unknown_key(value: object) -> Invalid:
    return Invalid(f'Invalid pk "{value}" - object does not exist.')


def read_list(value: object) -> list[object]:
    if value is None:
        raise Invalid(NULL)
    if not isinstance(value, list):
        raise Invalid(f'Expected a list of items but got type "{type(value).__name__}".')
    return value


def read_date_or_moment(value: object, zone: ZoneInfo) -> date:
    """Parse a document's date; of a moment, the day in the server's time zone."""
    if value is None:
        raise Invalid(NULL)
    moment = read_moment(value, zone) if isinstance(value, str) else None
    if moment is None:
        raise Invalid(WRONG_DATE)
    # A date without time must not be converted to another zone: year 1 would overflow.
    return moment.date() if moment.tzinfo is zone else moment.astimezone(zone).date()


def _normal(match: re.Match[str]) -> str:
    day = "-".join(part.zfill(2) for part in match["day"].split("-"))
    time = ":".join(part.zfill(2) for part in match["time"].replace(",", ".").split(":"))
    return f"{day}T{time}{match['zone'] or ''}"
