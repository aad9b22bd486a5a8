"""Checks for dates."""

from collections.abc import Iterable, Mapping
from datetime import date, timedelta

from core.analysis import YEARS_BACK
from core.changes import Suggestion
from core.fields import CustomField, FieldName, Value
from core.text import fold
from processor.analysis.checks.check import CheckFailure, DocumentFacts, applies_to
from processor.analysis.date_labels import DateRole
from processor.analysis.dates import find_days_without_year
from processor.analysis.value_labels import is_due_date

_FIRST_YEAR = 1900
_AHEAD = timedelta(days=3)
"""Letters may be dated ahead, to the day of posting or of the next print run."""
_RANKS = {
    DateRole.ISSUED: 4,
    DateRole.ALONE: 4,
    DateRole.NAMED: 3,
    DateRole.PRODUCED: 3,
    DateRole.UNKNOWN: 2,
    DateRole.MENTIONED: 1,
    DateRole.ORDERED: 0,
    DateRole.OTHER: 0,
    DateRole.BIRTH: 0,
}
"""How likely a date is the document's own, by its label."""
_NEVER_ITS_OWN = frozenset({DateRole.BIRTH, DateRole.OTHER})
_OF_SOMETHING_ELSE = _NEVER_ITS_OWN | {DateRole.ORDERED}


def _dates(suggestion: Suggestion, value: Value, facts: DocumentFacts) -> bool:
    return suggestion.field is FieldName.DATE


def days(suggestion: Suggestion, value: Value, facts: DocumentFacts) -> bool:
    """Return whether the value is a date, also of a custom field."""
    return isinstance(value, date)


def _own_days(suggestion: Suggestion, value: Value, facts: DocumentFacts) -> bool:
    return suggestion.field is FieldName.DATE and isinstance(value, date)


@applies_to(_dates)
def date_is_real(suggestion: Suggestion, value: Value, facts: DocumentFacts) -> CheckFailure | None:
    return None if isinstance(value, date) else CheckFailure.DATE_UNREADABLE


@applies_to(days)
def date_stands_in_text(
    suggestion: Suggestion, value: Value, facts: DocumentFacts
) -> CheckFailure | None:
    is_in_text = value in facts.dates or is_without_year(suggestion, value, facts.page, facts)
    return None if is_in_text else CheckFailure.DATE_NOT_IN_TEXT


@applies_to(days)
def day_and_month_are_in_order(
    suggestion: Suggestion, value: Value, facts: DocumentFacts
) -> CheckFailure | None:
    """Fail if the date depends on an order of day and month that the text does not show."""
    return CheckFailure.DATE_ORDER_OPEN if value in facts.open_dates else None


@applies_to(_own_days)
def date_is_the_documents(
    suggestion: Suggestion, value: Value, facts: DocumentFacts
) -> CheckFailure | None:
    """Fail if the date only ever belongs to something else, or another is more likely its own."""
    assert isinstance(value, date)
    roles = facts.roles.get(value)
    if roles is None:
        return None
    best = max(map(rank, facts.roles.values()))
    # Without labels, the first one is the likeliest: it is in the letterhead.
    likeliest = [day for day, others in facts.roles.items() if rank(others) == best]
    is_likeliest = value in (likeliest if best > _RANKS[DateRole.UNKNOWN] else likeliest[:1])
    if is_likeliest and not roles <= _NEVER_ITS_OWN:
        return None
    if roles <= _OF_SOMETHING_ELSE:
        return CheckFailure.DATE_OF_SOMETHING_ELSE
    return CheckFailure.OTHER_DATE_IS_ITS_OWN


def find_own_dates(roles: Mapping[date, frozenset[DateRole]]) -> list[date]:
    """Return the dates that the text labels as the document's own."""
    return [day for day, labels in roles.items() if rank(labels) >= _RANKS[DateRole.ISSUED]]


def find_issue_date(facts: DocumentFacts) -> date | None:
    """Return the date that is most likely the document's own; None if no date is likely."""
    best = max(map(rank, facts.roles.values()), default=0)
    likeliest = (day for day, roles in facts.roles.items() if rank(roles) == best)
    return next(likeliest, None) if best >= _RANKS[DateRole.UNKNOWN] else None


def is_without_year(suggestion: Suggestion, value: Value, text: str, facts: DocumentFacts) -> bool:
    """Return whether a text shows a due date without its year: payable by 27 March."""
    issued = find_issue_date(facts)
    is_due = isinstance(suggestion.field, CustomField) and is_due_date(suggestion.field.name)
    if issued is None or not is_due:
        return False
    return any(found.day == value for found in find_days_without_year(fold(text), issued))


def rank(roles: Iterable[DateRole]) -> int:
    """Return how likely a date with these roles is the document's own."""
    return max(_RANKS[role] for role in roles)


@applies_to(_own_days)
def date_is_plausible(
    suggestion: Suggestion, value: Value, facts: DocumentFacts
) -> CheckFailure | None:
    assert isinstance(value, date)
    if value > facts.today + _AHEAD:
        return CheckFailure.DATE_IN_FUTURE
    if value.year < _FIRST_YEAR:
        return CheckFailure.DATE_TOO_EARLY
    if facts.is_backlog:
        return None
    long_ago = (value.year + YEARS_BACK, value.month, value.day) < facts.added.timetuple()[:3]
    return CheckFailure.DATE_LONG_AGO if long_ago else None
