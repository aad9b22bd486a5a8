"""What a plan left out, and why, read back from the event that told of it."""

from collections.abc import Iterable, Mapping
from typing import Any

from core.changes import PlannedChange
from core.fields import field_from_text, value_from_json
from core.jobs import Event
from processor.plan import Reason

_NOT_WORTH_A_WORD = frozenset({Reason.ALREADY_SO, Reason.NO_VALUE})


def left_by(events: Iterable[Event]) -> list[PlannedChange]:
    """Return what the last plan of a job left out, as far as somebody may ask about it."""
    told = [event.data["leave"] for event in events if "leave" in event.data]
    planned = [_left(one) for one in told[-1]] if told and isinstance(told[-1], list) else []
    return worth_a_word(planned)


def worth_a_word(left: Iterable[PlannedChange]) -> list[PlannedChange]:
    """Leave out what is so already, and what the model did not find."""
    return [one for one in left if not _NOT_WORTH_A_WORD.intersection(one.reasons)]


def _left(told: Mapping[str, Any]) -> PlannedChange:
    # What an older version told had no value.
    after = value_from_json(told.get("after"))
    return PlannedChange(
        field_from_text(told["field"]), None, after, reasons=tuple(told["reasons"])
    )
