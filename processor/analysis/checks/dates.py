"""Rules about the date."""

from datetime import date, timedelta

from core.analysis import YEARS_BACK
from core.changes import Suggestion
from core.fields import FieldName, Value
from processor.analysis.checks.check import Doubt, Source, about
from processor.analysis.date_labels import Role

_FIRST_YEAR = 1900
_AHEAD = timedelta(days=3)
"""Letters are dated a little ahead: to the day of posting, or to that of the next run."""
_ITS_OWN = frozenset({Role.ISSUED, Role.ALONE})
_NOT_ITS_OWN = frozenset({Role.BIRTH, Role.OTHER})


def _dates(suggestion: Suggestion, value: Value, source: Source) -> bool:
    return suggestion.field is FieldName.DATE


def days(suggestion: Suggestion, value: Value, source: Source) -> bool:
    """Choose dates of any field: a custom one may well tell when it is due."""
    return isinstance(value, date)


def _own_days(suggestion: Suggestion, value: Value, source: Source) -> bool:
    return suggestion.field is FieldName.DATE and isinstance(value, date)


@about(_dates)
def date_is_real(suggestion: Suggestion, value: Value, source: Source) -> Doubt | None:
    return None if isinstance(value, date) else Doubt.DATE_UNREADABLE


@about(days)
def date_stands_in_text(suggestion: Suggestion, value: Value, source: Source) -> Doubt | None:
    return None if value in source.dates else Doubt.DATE_NOT_IN_TEXT


@about(_own_days)
def date_is_the_documents(suggestion: Suggestion, value: Value, source: Source) -> Doubt | None:
    """Doubt a day if the text says of another that it is the document's; a birthday always."""
    assert isinstance(value, date)
    roles = source.roles.get(value, _ITS_OWN)
    other_is_issued = any(Role.ISSUED in said for said in source.roles.values())
    if roles & _ITS_OWN or not (other_is_issued or Role.BIRTH in roles):
        return None
    of_something = roles <= _NOT_ITS_OWN
    return Doubt.DATE_OF_SOMETHING_ELSE if of_something else Doubt.OTHER_DATE_IS_ITS_OWN


@about(_own_days)
def date_is_plausible(suggestion: Suggestion, value: Value, source: Source) -> Doubt | None:
    assert isinstance(value, date)
    if value > source.today + _AHEAD:
        return Doubt.DATE_IN_FUTURE
    if value.year < _FIRST_YEAR:
        return Doubt.DATE_TOO_EARLY
    long_ago = (value.year + YEARS_BACK, value.month, value.day) < source.added.timetuple()[:3]
    return Doubt.DATE_LONG_AGO if long_ago else None
