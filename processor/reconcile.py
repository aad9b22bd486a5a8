"""Compare intended changes with what Paperless has, before a write and after it."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from core.changes import Change, ChangeState, Outcome, PlannedChange
from core.fields import Field, FieldName, Name, Value, is_empty, same
from processor.current import Current

Place: TypeAlias = tuple[Field, int | str | None]
"""A field, or one tag."""


class Standing(StrEnum):
    """How an intended change stands against what Paperless has."""

    THERE = "there"
    """Paperless has the wanted value already."""
    OPEN = "open"
    """Paperless has the value from before: it can be written."""
    DIFFERS = "differs"
    """Someone set another value meanwhile."""


@dataclass(frozen=True, slots=True)
class Compared:
    """A change and how it stands."""

    change: Change
    standing: Standing
    found: Value


def reconcile(changes: Iterable[Change], current: Current) -> tuple[Compared, ...]:
    """Say of each change how it stands, as if those before it had been carried out."""
    values: dict[Place, Value] = {}
    compared = []
    for change in changes:
        place = place_of(change)
        found = values.get(place, value_at(change, current))
        standing = _standing(change, found)
        values[place] = change.after if standing is not Standing.DIFFERS else found
        compared.append(Compared(change, standing, found))
    return tuple(compared)


def has_taken_effect(compared: Compared) -> bool:
    """Return whether Paperless has the value of a begun write, or for a begun undo the old one."""
    is_undo = compared.change.undo_begun_at is not None
    return compared.standing is (Standing.OPEN if is_undo else Standing.THERE)


def outcome_of_begun(compared: Compared) -> Outcome:
    """Return the state of a change after its write or undo was sent, by what Paperless has.

    A write without effect makes it intended again; an undo without effect leaves it applied.
    """
    change, found = compared.change, compared.found
    if change.undo_begun_at is not None:
        undone = has_taken_effect(compared)
        return Outcome(change.id, ChangeState.UNDONE if undone else ChangeState.APPLIED)
    match compared.standing:
        case Standing.THERE:
            return Outcome(change.id, ChangeState.APPLIED, after=change.after)
        case Standing.OPEN:
            return Outcome(change.id, ChangeState.INTENDED)
        case Standing.DIFFERS:
            return Outcome(change.id, ChangeState.CONFLICT, found=found)


def place_of(change: Change | PlannedChange) -> Place:
    tag = tag_of(change)
    return change.field, (tag.id or tag.name) if tag else None


def tag_of(change: Change | PlannedChange) -> Name | None:
    """Return the tag that a change adds or takes away; None for other fields."""
    if change.field is not FieldName.TAGS:
        return None
    tag = change.after if change.after is not None else change.before
    return tag if isinstance(tag, Name) else None


def value_at(change: Change, current: Current) -> Value:
    """Return what Paperless has where `change` would write."""
    return current.value(change.field, tag_of(change))


def _standing(change: Change, found: Value) -> Standing:
    if same(found, change.after):
        return Standing.THERE
    # Whether an empty custom field is on the document makes no difference to anyone.
    is_open = same(found, change.before) or (is_empty(found) and is_empty(change.before))
    return Standing.OPEN if is_open else Standing.DIFFERS
