"""The fields of a document in review: current value, suggestion, evidence, checks, alternatives."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date

from actions.documents import DocumentSnapshot
from actions.own_values import find_alternatives
from core.analysis import Result
from core.changes import Change, CheckResult, PlannedSuggestion, Suggestion, name_given_by
from core.fields import (
    NAMED_FIELDS,
    CustomField,
    DataType,
    Field,
    FieldName,
    Name,
    Value,
    is_same_value,
)
from dashboard.pages.review_form import ReviewField, ReviewItem, field_anchor, field_key, sort_key
from i18n.labels import typed_label, value_label

_OFFERED = 40
"""Names of a field that a page carries for completion; others are fetched while typing."""


@dataclass(frozen=True, slots=True)
class SuggestionView:
    """A suggested value, with its evidence and checks."""

    change: Change
    checks: tuple[CheckResult, ...]

    @property
    def is_new_name(self) -> bool:
        return isinstance(self.change.after, Name) and self.change.after.id is None

    @property
    def percent(self) -> int:
        return round(self.change.confidence * 100)

    @property
    def level(self) -> str:
        """Return how confident the model is, in steps for the eye."""
        return "high" if self.percent >= 85 else "medium" if self.percent >= 60 else "low"

    @property
    def failed(self) -> tuple[CheckResult, ...]:
        return tuple(result for result in self.checks if result.failure)

    @property
    def passed(self) -> tuple[CheckResult, ...]:
        return tuple(result for result in self.checks if not result.failure)

    @property
    def other_reasons(self) -> tuple[str, ...]:
        """Return the reasons for review that are not failed checks."""
        failures = {result.failure for result in self.checks}
        return tuple(reason for reason in self.change.reasons if reason not in failures)


@dataclass(frozen=True, slots=True)
class LeftOutView:
    """A suggestion that is not for review, and why."""

    value: Value
    reasons: tuple[str, ...]
    evidence: str


@dataclass(frozen=True, slots=True)
class FieldView:
    """One field of the document."""

    field: Field
    review: ReviewField | None
    """Its changes for review; None if there are none."""
    suggestions: tuple[SuggestionView, ...]
    now: Value
    tags: tuple[Name, ...]
    """The current tags; of the tags only."""
    is_known: bool
    """Whether the current value was read from Paperless just now."""
    left_out: tuple[LeftOutView, ...]
    alternatives: tuple[str, ...]
    choices: tuple[str, ...]
    """Values to complete what is typed."""
    is_date: bool

    @property
    def key(self) -> str:
        return field_key(self.field)

    @property
    def anchor(self) -> str:
        """Return the id of the field on the page."""
        return field_anchor(self.field)

    @property
    def is_named(self) -> bool:
        return self.field in NAMED_FIELDS

    @property
    def is_tags(self) -> bool:
        return self.field is FieldName.TAGS

    @property
    def shown_now(self) -> str:
        """Return the current value as the form carries it."""
        return "" if self.is_tags else typed_label(self.now)

    @property
    def value(self) -> str:
        """Return what the input shows at first: the suggestion, or else the current value."""
        if self.review is None:
            return self.shown_now
        return self.review.typed if self.is_date else self.review.suggested

    @property
    def is_changed(self) -> bool:
        """Return whether Paperless has another value than when the suggestion was made."""
        if self.review is None or self.is_tags or not self.is_known or self.review.is_conflict:
            return False
        return not is_same_value(self.now, self.review.now)

    def with_alternative(self, alternative: str) -> str:
        """Return the text of the input with an alternative: tags are added, others replaced."""
        if not self.is_tags:
            return alternative
        new = [view.change for view in self.suggestions if view.is_new_name]
        similar = {name for change in new for name in change.similar}
        if self.review is not None and len(new) == 1 and alternative in similar:
            return self.review.with_name(new[0], alternative)
        return ", ".join(filter(None, [self.value, alternative]))


def build_field_views(
    item: ReviewItem,
    snapshot: DocumentSnapshot | None,
    planned: Iterable[PlannedSuggestion],
    result: Result | None,
) -> list[FieldView]:
    """Build the view of every field; without a snapshot, of those that are for review."""
    reviews = {field.field: field for field in item.fields}
    fields = set(reviews) | set(snapshot.fields if snapshot else ())
    suggested = list(planned)
    given = result.analysis.suggestions if result else ()
    return [
        _build(field, reviews.get(field), snapshot, suggested, given)
        for field in sorted(fields, key=sort_key)
    ]


def _build(
    field: Field,
    review: ReviewField | None,
    snapshot: DocumentSnapshot | None,
    planned: list[PlannedSuggestion],
    given: Iterable[Suggestion],
) -> FieldView:
    changes = review.changes if review else ()
    of_field = [suggestion for suggestion in planned if suggestion.field == field]
    now = snapshot.value(field) if snapshot else review.now if review else None
    return FieldView(
        field,
        review,
        tuple(SuggestionView(change, _checks(change, of_field)) for change in changes),
        now=review.now if review and review.is_conflict else now,
        tags=snapshot.tags if snapshot and field is FieldName.TAGS else (),
        is_known=snapshot is not None,
        left_out=tuple(_left_out(of_field, changes, given)),
        alternatives=_alternatives(field, changes, snapshot),
        choices=_choices(field, snapshot),
        is_date=_is_date(field, changes, snapshot),
    )


def _checks(change: Change, planned: Iterable[PlannedSuggestion]) -> tuple[CheckResult, ...]:
    """Return the checks of the suggestion that a change was made from."""
    same = (suggestion for suggestion in planned if is_same_value(suggestion.value, change.after))
    return next((suggestion.checks for suggestion in same), ())


def _left_out(
    planned: Iterable[PlannedSuggestion], changes: Iterable[Change], given: Iterable[Suggestion]
) -> Iterable[LeftOutView]:
    evidence: Mapping[tuple[Field, str], str] = {
        (suggestion.field, suggestion.value.casefold()): suggestion.evidence for suggestion in given
    }
    reviewed = [change.after for change in changes]
    for suggestion in planned:
        if not suggestion.is_left_out or suggestion.value is None or suggestion.value in reviewed:
            continue
        key = (suggestion.field, value_label(suggestion.value).casefold())
        yield LeftOutView(suggestion.value, suggestion.reasons, evidence.get(key, ""))


def _alternatives(
    field: Field, changes: Iterable[Change], snapshot: DocumentSnapshot | None
) -> tuple[str, ...]:
    """Return other values; without Paperless, the names known at the time."""
    listed = tuple(changes)
    if snapshot is None:
        return tuple(name for change in listed for name in change.similar)
    in_use = (change for change in listed if (given := name_given_by(change)) and given[1].id)
    recognised = [name for change in in_use for name in change.similar]
    return find_alternatives(field, [change.after for change in listed], snapshot, recognised)


def _choices(field: Field, snapshot: DocumentSnapshot | None) -> tuple[str, ...]:
    if snapshot is None:
        return ()
    if isinstance(field, CustomField):
        options = (known.options for known in snapshot.definitions if known.field == field)
        return tuple(option.label for option in next(options, ()))
    return tuple(name.name for name in snapshot.names.by_field.get(field, ())[:_OFFERED])


def _is_date(field: Field, changes: Iterable[Change], snapshot: DocumentSnapshot | None) -> bool:
    if isinstance(field, CustomField):
        types = {known.field: known.data_type for known in snapshot.definitions} if snapshot else {}
        is_typed = types.get(field) is DataType.DATE
        return is_typed or any(isinstance(change.after, date) for change in changes)
    return field is FieldName.DATE
