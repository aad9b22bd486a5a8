"""Read a job's plan back: checked suggestions, and what was left out."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from core.changes import CheckResult, PlannedChange, PlannedSuggestion
from core.fields import Field, Value, field_from_text, value_from_json
from core.jobs import Event
from processor.plan import Reason
from store import Store

_TRIVIAL_REASONS = frozenset({Reason.ALREADY_SO, Reason.NO_VALUE})


@dataclass(frozen=True, slots=True)
class CheckedSuggestion:
    """A suggestion with its passed and failed checks."""

    field: Field
    value: Value
    passed: tuple[CheckResult, ...]
    failed: tuple[CheckResult, ...]
    left_for: tuple[str, ...] = ()
    """Why it was left out, apart from failed checks; empty if it was not."""

    @property
    def checks(self) -> tuple[CheckResult, ...]:
        """All checks, the failed ones first."""
        return self.failed + self.passed


async def load_suggestions(
    store: Store, job_id: int, events: Iterable[Event]
) -> tuple[PlannedSuggestion, ...]:
    """Return the suggestions of a job's last plan; an earlier version kept them in its events."""
    return await store.changes.list_suggestions(job_id) or read_suggestions(events)


def read_suggestions(events: Iterable[Event]) -> tuple[PlannedSuggestion, ...]:
    """Return the suggestions that the event of a job's last plan carries; now it carries none."""
    plans = [event.data for event in events if {"checks", "leave"} & event.data.keys()]
    if not plans:
        return ()
    left_out, checked = _list_records(plans[-1], "leave"), _list_records(plans[-1], "checks")
    found = [_read_checked(record, left_out) for record in checked]
    known = {(str(suggestion.field), repr(suggestion.value)) for suggestion in found}
    unchecked = map(_read_left_out, left_out)
    found += [left for left in unchecked if (str(left.field), repr(left.value)) not in known]
    return tuple(found)


def _list_records(plan: Mapping[str, object], key: str) -> list[Mapping[str, Any]]:
    records = plan.get(key)
    # Events of today name the fields that were left out, and nothing more.
    return (
        [record for record in records if isinstance(record, dict)]
        if isinstance(records, list)
        else []
    )


def _read_checked(
    checked: Mapping[str, Any], left_out: Iterable[Mapping[str, Any]]
) -> PlannedSuggestion:
    key = (checked["field"], checked["value"])
    reasons = [left["reasons"] for left in left_out if (left["field"], left.get("after")) == key]
    failed = (CheckResult(check, failure) for check, failure in checked["failed"].items())
    return PlannedSuggestion(
        field_from_text(checked["field"]),
        value_from_json(checked["value"]),
        is_left_out=bool(reasons),
        reasons=tuple(next(iter(reasons), ())),
        checks=(*failed, *(CheckResult(check) for check in checked["passed"])),
    )


def _read_left_out(left: Mapping[str, Any]) -> PlannedSuggestion:
    # The oldest events have no value.
    value = value_from_json(left.get("after"))
    return PlannedSuggestion(
        field_from_text(left["field"]), value, is_left_out=True, reasons=tuple(left["reasons"])
    )


def list_checked_suggestions(
    suggestions: Iterable[PlannedSuggestion],
) -> tuple[CheckedSuggestion, ...]:
    """Return the suggestions that were checked, with their passed and failed checks."""
    return tuple(_build_checked(suggestion) for suggestion in suggestions if suggestion.checks)


def _build_checked(suggestion: PlannedSuggestion) -> CheckedSuggestion:
    failures = {result.failure for result in suggestion.checks}
    return CheckedSuggestion(
        suggestion.field,
        suggestion.value,
        tuple(result for result in suggestion.checks if not result.failure),
        tuple(result for result in suggestion.checks if result.failure),
        tuple(
            reason
            for reason in suggestion.reasons
            if suggestion.is_left_out and reason not in failures
        ),
    )


def list_left_out(suggestions: Iterable[PlannedSuggestion]) -> list[PlannedChange]:
    """Return what a plan left out, without trivial cases."""
    return drop_trivial(
        PlannedChange(suggestion.field, None, suggestion.value, reasons=suggestion.reasons)
        for suggestion in suggestions
        if suggestion.is_left_out
    )


def drop_trivial_suggestions(
    suggestions: Iterable[PlannedSuggestion],
) -> tuple[PlannedSuggestion, ...]:
    """Drop suggestions of the current value, and fields for which the model found nothing."""
    return tuple(
        suggestion
        for suggestion in suggestions
        if not (suggestion.is_left_out and _TRIVIAL_REASONS.intersection(suggestion.reasons))
    )


def drop_trivial(left: Iterable[PlannedChange]) -> list[PlannedChange]:
    """Drop changes to the current value, and fields for which the model found nothing."""
    return [change for change in left if not _TRIVIAL_REASONS.intersection(change.reasons)]
