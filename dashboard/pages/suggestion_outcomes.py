"""Suggestions with their checks and what became of them, as pages show them."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from actions.jobs import JobDetails
from actions.timeline import CheckedSuggestion, list_checked_suggestions, list_left_out
from core.changes import Change, PlannedSuggestion, Suggestion
from core.fields import Field, Value, is_same_value
from core.jobs import DRY_RUN
from dashboard.pages.review_form import sort_key
from i18n.labels import typed_label


@dataclass(frozen=True, slots=True)
class SuggestionOutcome:
    """A suggestion with its checks, and the change that was made of it."""

    field: Field
    value: Value
    change: Change | None
    """None if no change was planned for it."""
    checked: CheckedSuggestion | None
    """None if it was not checked: no model suggested it, or an old version stored it."""
    given: Suggestion | None
    """What the model suggested; None if no model suggested it, or the result was deleted."""
    left_for: tuple[str, ...] = ()
    """Why it was left out; empty if it was not."""
    tried: PlannedSuggestion | None = None
    """What would be written; only for a dry run."""

    is_replaced: bool = False
    """Whether a person replaced it with another value."""

    @property
    def evidence(self) -> str:
        return (self.change.evidence if self.change else "") or (
            self.given.evidence if self.given else ""
        )


def build_outcomes(details: JobDetails) -> list[SuggestionOutcome]:
    """Combine the suggestions, checks and changes of a job, so that each is shown once."""
    changes = list(details.changes)
    given = list(details.result.analysis.suggestions) if details.result else []
    outcomes = []
    left_out = {(change.field, str(change.after)) for change in list_left_out(details.suggestions)}
    for planned in details.suggestions:
        change = next((change for change in changes if _is_made_of(change, planned)), None)
        source = next((source for source in given if _is_source(source, planned)), None)
        if change is not None:
            changes.remove(change)
        is_trivial = planned.is_left_out and (planned.field, str(planned.value)) not in left_out
        if is_trivial and change is None:
            continue
        is_dry_run = details.job.kind == DRY_RUN
        outcomes.append(_build(planned, change, source, planned if is_dry_run else None))
    outcomes += [
        SuggestionOutcome(change.field, change.after, change, None, None) for change in changes
    ]
    if not details.suggestions and not details.changes:
        outcomes += [
            SuggestionOutcome(source.field, source.value, None, None, source) for source in given
        ]
    edited = {change.field for change in details.changes if change.is_edited}
    marked = (
        replace(outcome, is_replaced=True)
        if outcome.change is None and not outcome.left_for and outcome.field in edited
        else outcome
        for outcome in outcomes
    )
    return sorted(marked, key=lambda outcome: sort_key(outcome.field))


def build_tried(suggestions: Iterable[PlannedSuggestion]) -> list[SuggestionOutcome]:
    """Return the suggestions of a dry run with their checks, by field."""
    tried = (_build(planned, None, None, planned) for planned in suggestions)
    return sorted(tried, key=lambda outcome: sort_key(outcome.field))


def _build(
    planned: PlannedSuggestion,
    change: Change | None,
    given: Suggestion | None,
    tried: PlannedSuggestion | None,
) -> SuggestionOutcome:
    [checked] = list_checked_suggestions([planned]) or [None]
    left_for = planned.reasons if planned.is_left_out else ()
    return SuggestionOutcome(planned.field, planned.value, change, checked, given, left_for, tried)


def _is_made_of(change: Change, planned: PlannedSuggestion) -> bool:
    return change.field == planned.field and is_same_value(change.after, planned.value)


def _is_source(source: Suggestion, planned: PlannedSuggestion) -> bool:
    same = source.value.casefold() == typed_label(planned.value).casefold()
    return source.field == planned.field and same
