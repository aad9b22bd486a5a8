"""Compare changes with the values that Paperless has at this moment."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, TypeAlias

from core.changes import Change, ChangeOutcome, ChangeState, PlannedChange, SeenChange
from core.fields import (
    NAMED_FIELDS,
    CustomField,
    Definition,
    Field,
    FieldName,
    Name,
    Value,
    is_empty,
    is_same_value,
)
from paperless_client import DocumentFields
from processor.fields import BUILT_IN_FIELDS, CustomFields, parse_custom_values
from processor.names.catalogue import Catalogue, NamesInUse

WriteTarget: TypeAlias = tuple[Field, int | str | None]
"""A field, or one tag."""
_NO_NAMES: Final = NamesInUse(dict.fromkeys(NAMED_FIELDS, ()), {})
"""Enough for a comparison: names are compared by id."""


@dataclass(frozen=True, slots=True)
class CurrentValues:
    """The fields of one document, as our own values."""

    values: Mapping[Field, Value]
    """Every field except tags; of the custom fields, the requested ones."""
    tags: frozenset[Name]
    empty: frozenset[Field]
    """Fields that nobody has filled in yet."""

    def value(self, field: Field, tag: Name | None = None) -> Value:
        """Return a field's value; of the tags, `tag` if it is there."""
        if isinstance(field, CustomField):
            # A deleted custom field is on no document.
            return self.values.get(field)
        if field is not FieldName.TAGS:
            return self.values[field]
        return tag if tag is not None and tag.id in self.tag_ids else None

    @property
    def tag_ids(self) -> frozenset[int]:
        return frozenset(tag.id for tag in self.tags if tag.id is not None)


def read_current_values(
    document: DocumentFields, names: NamesInUse, custom_fields: Iterable[Definition] = ()
) -> CurrentValues:
    """Return the values of `document`, with names for its ids."""
    values: dict[Field, Value] = {}
    for built_in, definition in BUILT_IN_FIELDS.items():
        if built_in is not FieldName.TAGS:
            raw = getattr(document, definition.key)
            values[built_in] = names.get_name(built_in, raw) if definition.kind else raw
    values.update(parse_custom_values(document.custom_fields, custom_fields))
    empty: set[Field] = set()
    for field, value in values.items():
        is_preset = None if isinstance(field, CustomField) else BUILT_IN_FIELDS[field].is_preset
        if is_preset(document) if is_preset else is_empty(value):
            empty.add(field)
    tags = (names.get_name(FieldName.TAGS, tag) for tag in document.tags)
    return CurrentValues(
        values=values,
        tags=frozenset(tag for tag in tags if tag is not None),
        empty=frozenset(empty),
    )


class Comparison(StrEnum):
    """The result of comparing an intended change with what Paperless has."""

    THERE = "there"
    """Paperless already has the wanted value."""
    OPEN = "open"
    """Paperless still has the previous value: the change can be written."""
    DIFFERS = "differs"
    """Someone has set another value in the meantime."""


@dataclass(frozen=True, slots=True)
class ComparedChange:
    """A change, its comparison, and the value found in Paperless."""

    change: Change
    comparison: Comparison
    found: Value


def reconcile(changes: Iterable[Change], current: CurrentValues) -> tuple[ComparedChange, ...]:
    """Compare each change with `current`, as if the changes before it had been written."""
    values: dict[WriteTarget, Value] = {}
    compared = []
    for change in changes:
        target = write_target_of(change)
        found = values.get(target, current_value_for(change, current))
        # A custom field without a value counts the same as a missing one.
        is_before = is_same_value(found, change.before) or (
            is_empty(found) and is_empty(change.before)
        )
        comparison = Comparison.OPEN if is_before else Comparison.DIFFERS
        if is_same_value(found, change.after):
            comparison = Comparison.THERE
        values[target] = change.after if comparison is not Comparison.DIFFERS else found
        compared.append(ComparedChange(change, comparison, found))
    return tuple(compared)


def has_taken_effect(compared: ComparedChange) -> bool:
    """Return whether Paperless has the value of a begun write, or for a begun undo the old one."""
    is_undo = compared.change.undo_begun_at is not None
    return compared.comparison is (Comparison.OPEN if is_undo else Comparison.THERE)


def outcome_after_write(compared: ComparedChange) -> ChangeOutcome:
    """Return the state of a change after its write or undo was sent, by what Paperless has.

    A write without effect makes it intended again; an undo without effect leaves it applied.
    """
    change, found = compared.change, compared.found
    if change.undo_begun_at is not None:
        undone = has_taken_effect(compared)
        return ChangeOutcome(change.id, ChangeState.UNDONE if undone else ChangeState.APPLIED)
    match compared.comparison:
        case Comparison.THERE:
            return ChangeOutcome(change.id, ChangeState.APPLIED, after=change.after)
        case Comparison.OPEN:
            return ChangeOutcome(change.id, ChangeState.INTENDED)
        case Comparison.DIFFERS:
            return ChangeOutcome(change.id, ChangeState.CONFLICT, found=found)


def write_target_of(change: Change | PlannedChange) -> WriteTarget:
    tag = tag_of(change)
    return change.field, (tag.id or tag.name) if tag else None


def tag_of(change: Change | PlannedChange) -> Name | None:
    """Return the tag that a change adds or removes; None for other fields."""
    if change.field is not FieldName.TAGS:
        return None
    tag = change.after if change.after is not None else change.before
    return tag if isinstance(tag, Name) else None


def current_value_for(change: Change, current: CurrentValues) -> Value:
    """Return what Paperless has where `change` would write."""
    return current.value(change.field, tag_of(change))


class Comparer:
    """Compares documents of one Paperless; fetches names only if it must show one."""

    def __init__(self, catalogue: Catalogue, custom_fields: CustomFields) -> None:
        self._catalogue = catalogue
        self._custom_fields = custom_fields

    async def compare_written(
        self, document: DocumentFields, changes: Sequence[Change], /
    ) -> tuple[SeenChange, ...]:
        """Return the values in Paperless for written changes; per field, the last change counts."""
        return tuple(
            SeenChange(
                compared.change.id,
                compared.found,
                is_ours=compared.comparison is Comparison.THERE,
            )
            for compared in await self._compare(document, latest_per_target(changes))
        )

    async def compare_unconfirmed(
        self, document: DocumentFields, changes: Sequence[Change], /
    ) -> tuple[ChangeOutcome, ...]:
        """Return what became of unconfirmed changes."""
        return tuple(map(outcome_after_write, await self._compare(document, changes)))

    async def _compare(
        self, document: DocumentFields, changes: Sequence[Change]
    ) -> tuple[ComparedChange, ...]:
        is_custom = any(isinstance(change.field, CustomField) for change in changes)
        definitions = await self._custom_fields.all() if is_custom else ()
        compared = reconcile(changes, read_current_values(document, _NO_NAMES, definitions))
        if all(c.comparison is Comparison.THERE or not isinstance(c.found, Name) for c in compared):
            return compared
        names = await self._catalogue.names()
        return reconcile(changes, read_current_values(document, names, definitions))


def latest_per_target(changes: Iterable[Change]) -> tuple[Change, ...]:
    """Return the last change of each field or tag: it replaced the others."""
    return tuple({write_target_of(change): change for change in changes}.values())
