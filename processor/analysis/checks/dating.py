"""Rules about the date."""

from datetime import date, timedelta

from core.changes import Suggestion
from core.fields import FieldName, Value
from processor.analysis.checks.doubts import Doubt
from processor.analysis.checks.source import Source
from processor.analysis.labels import Role

_FIRST_YEAR = 1900
_AHEAD = timedelta(days=3)
"""Letters are dated a little ahead: to the day of posting, or to that of the next run."""
_YEARS_BACK = 15
"""Old papers are scanned as well, but a date so old is more often a birthday or a misread one."""
_ITS_OWN = frozenset({Role.ISSUED, Role.ALONE})
_NOT_ITS_OWN = frozenset({Role.BIRTH, Role.OTHER})


def date_is_real(suggestion: Suggestion, value: Value, source: Source) -> Doubt | None:
    unreadable = suggestion.field is FieldName.DATE and not isinstance(value, date)
    return Doubt.DATE_UNREADABLE if unreadable else None


def date_stands_in_text(suggestion: Suggestion, value: Value, source: Source) -> Doubt | None:
    missing = isinstance(value, date) and value not in source.dates
    return Doubt.DATE_NOT_IN_TEXT if missing else None


def date_is_the_documents(suggestion: Suggestion, value: Value, source: Source) -> Doubt | None:
    """Doubt a day if the text says of another that it is the document's; a birthday always."""
    day = _own_date(suggestion, value)
    roles = source.roles.get(day, _ITS_OWN) if day else _ITS_OWN
    other_is_issued = any(Role.ISSUED in said for said in source.roles.values())
    if roles & _ITS_OWN or not (other_is_issued or Role.BIRTH in roles):
        return None
    of_something = roles <= _NOT_ITS_OWN
    return Doubt.DATE_OF_SOMETHING_ELSE if of_something else Doubt.OTHER_DATE_IS_ITS_OWN


def date_is_plausible(suggestion: Suggestion, value: Value, source: Source) -> Doubt | None:
    day = _own_date(suggestion, value)
    if day is None:
        return None
    if day > source.today + _AHEAD:
        return Doubt.DATE_IN_FUTURE
    if day.year < _FIRST_YEAR:
        return Doubt.DATE_TOO_EARLY
    long_ago = (day.year + _YEARS_BACK, day.month, day.day) < source.added.timetuple()[:3]
    return Doubt.DATE_LONG_AGO if long_ago else None


def _own_date(suggestion: Suggestion, value: Value) -> date | None:
    """Return the date that is to be the document's; a custom field may well tell when it is due."""
    return value if suggestion.field is FieldName.DATE and isinstance(value, date) else None
