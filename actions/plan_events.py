"""Read a job's plan back from its events: checked suggestions, and what was left out."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from core.changes import CheckResult, PlannedChange
from core.fields import Field, Value, field_from_text, value_from_json
from core.jobs import Event
from processor.plan import Reason

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


def list_checked_suggestions(events: Iterable[Event]) -> tuple[CheckedSuggestion, ...]:
    """Return the suggestions of a job's last plan with their checks; none if not recorded."""
    plans = [event.data for event in events if "checks" in event.data]
    if not plans:
        return ()
    left_out = _get_list(plans[-1], "leave")
    return tuple(_read_checked(item, left_out) for item in _get_list(plans[-1], "checks"))


def _get_list(plan: Mapping[str, object], key: str) -> list[Mapping[str, Any]]:
    items = plan.get(key)
    return items if isinstance(items, list) else []


def _read_checked(
    checked: Mapping[str, Any], left_out: Iterable[Mapping[str, Any]]
) -> CheckedSuggestion:
    key = (checked["field"], checked["value"])
    reasons = (left["reasons"] for left in left_out if (left["field"], left.get("after")) == key)
    failures = checked["failed"].values()
    return CheckedSuggestion(
        field_from_text(checked["field"]),
        value_from_json(checked["value"]),
        tuple(CheckResult(check) for check in checked["passed"]),
        tuple(CheckResult(check, failure) for check, failure in checked["failed"].items()),
        tuple(reason for reason in next(reasons, ()) if reason not in failures),
    )


def list_left_out(events: Iterable[Event]) -> list[PlannedChange]:
    """Return what a job's last plan left out, without trivial cases."""
    plans = [event.data for event in events if "leave" in event.data]
    if not plans:
        return []
    return drop_trivial(_read_left_out(left) for left in _get_list(plans[-1], "leave"))


def drop_trivial(left: Iterable[PlannedChange]) -> list[PlannedChange]:
    """Drop changes to the current value, and fields for which the model found nothing."""
    return [change for change in left if not _TRIVIAL_REASONS.intersection(change.reasons)]


def _read_left_out(left: Mapping[str, Any]) -> PlannedChange:
    # Events of an older version have no value.
    after = value_from_json(left.get("after"))
    return PlannedChange(
        field_from_text(left["field"]), None, after, reasons=tuple(left["reasons"])
    )
