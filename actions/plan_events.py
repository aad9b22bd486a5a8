"""Which checks were made of a job's suggestions, read back from the event that told of it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from core.changes import CheckResult, PlannedChange
from core.fields import Field, Value, field_from_text, value_from_json
from core.jobs import Event
from processor.plan import Reason


@dataclass(frozen=True, slots=True)
class CheckedSuggestion:
    """A suggestion, and how the checks that are about such as it ended."""

    field: Field
    value: Value
    passed: tuple[CheckResult, ...]
    failed: tuple[CheckResult, ...]
    left_for: tuple[str, ...] = ()
    """Why it was left, apart from what the checks doubt; empty if it was not."""

    @property
    def checks(self) -> tuple[CheckResult, ...]:
        """All of them, those first that a person should look at."""
        return self.failed + self.passed


def list_checked_suggestions(events: Iterable[Event]) -> tuple[CheckedSuggestion, ...]:
    """Return what the last plan of a job was checked for; nothing if that was not written down."""
    told = [event.data for event in events if "checks" in event.data]
    if not told:
        return ()
    left = _listed(told[-1], "leave")
    return tuple(_read(one, left) for one in _listed(told[-1], "checks"))


def _listed(told: Mapping[str, object], what: str) -> list[Mapping[str, Any]]:
    found = told.get(what)
    return found if isinstance(found, list) else []


def _read(told: Mapping[str, Any], left: Iterable[Mapping[str, Any]]) -> CheckedSuggestion:
    suggested = (told["field"], told["value"])
    why = (one["reasons"] for one in left if (one["field"], one.get("after")) == suggested)
    doubts = told["failed"].values()
    return CheckedSuggestion(
        field_from_text(told["field"]),
        value_from_json(told["value"]),
        tuple(CheckResult(check) for check in told["passed"]),
        tuple(CheckResult(check, doubt) for check, doubt in told["failed"].items()),
        tuple(reason for reason in next(why, ()) if reason not in doubts),
    )


_TRIVIAL_REASONS = frozenset({Reason.ALREADY_SO, Reason.NO_VALUE})


def list_left_out(events: Iterable[Event]) -> list[PlannedChange]:
    """Return what the last plan of a job left out, as far as somebody may ask about it."""
    told = [event.data["leave"] for event in events if "leave" in event.data]
    planned = [_left(one) for one in told[-1]] if told and isinstance(told[-1], list) else []
    return drop_trivial(planned)


def drop_trivial(left: Iterable[PlannedChange]) -> list[PlannedChange]:
    """Leave out what is so already, and what the model did not find."""
    return [one for one in left if not _TRIVIAL_REASONS.intersection(one.reasons)]


def _left(told: Mapping[str, Any]) -> PlannedChange:
    # What an older version told had no value.
    after = value_from_json(told.get("after"))
    return PlannedChange(
        field_from_text(told["field"]), None, after, reasons=tuple(told["reasons"])
    )
