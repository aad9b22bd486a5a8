"""Which checks were made of a job's suggestions, read back from the event that told of it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from core.changes import Checked
from core.fields import Field, Value, field_from_text, value_from_json
from core.jobs import Event


@dataclass(frozen=True, slots=True)
class CheckedSuggestion:
    """A suggestion, and how the checks that are about such as it ended."""

    field: Field
    value: Value
    passed: tuple[Checked, ...]
    failed: tuple[Checked, ...]

    @property
    def made(self) -> tuple[Checked, ...]:
        """All of them, those first that a person should look at."""
        return self.failed + self.passed


def checked_by(events: Iterable[Event]) -> tuple[CheckedSuggestion, ...]:
    """Return what the last plan of a job was checked for; nothing if that was not written down."""
    told = [event.data["checks"] for event in events if "checks" in event.data]
    return tuple(_read(one) for one in told[-1]) if told and isinstance(told[-1], list) else ()


def _read(told: Mapping[str, Any]) -> CheckedSuggestion:
    return CheckedSuggestion(
        field_from_text(told["field"]),
        value_from_json(told["value"]),
        tuple(Checked(check) for check in told["passed"]),
        tuple(Checked(check, doubt) for check, doubt in told["failed"].items()),
    )
