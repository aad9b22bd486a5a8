"""Rules about the correspondent."""

from collections.abc import Iterable

from core.changes import Suggestion
from core.fields import FieldName, Value
from processor.analysis.checks.check import about
from processor.analysis.checks.doubts import Doubt
from processor.analysis.checks.source import Source
from processor.analysis.parties import is_same_party


def correspondents(suggestion: Suggestion, value: Value, source: Source) -> bool:
    return suggestion.field is FieldName.CORRESPONDENT


def _correspondents_of_a_known_owner(suggestion: Suggestion, value: Value, source: Source) -> bool:
    return suggestion.field is FieldName.CORRESPONDENT and bool(source.owner.names)


@about(_correspondents_of_a_known_owner)
def correspondent_is_not_the_owner(
    suggestion: Suggestion, value: Value, source: Source
) -> Doubt | None:
    alike = _is_one_of(source.owner.names, value)
    return Doubt.CORRESPONDENT_IS_OWNER if alike else None


@about(correspondents)
def correspondent_is_not_the_recipient(
    suggestion: Suggestion, value: Value, source: Source
) -> Doubt | None:
    alike = _is_one_of(source.recipients, value)
    return Doubt.CORRESPONDENT_IS_RECIPIENT if alike else None


def _is_one_of(others: Iterable[str], value: Value) -> bool:
    return any(is_same_party(str(value), other) for other in others)
