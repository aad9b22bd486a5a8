"""A person's own values for fields that have no change for review."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from actions.caller import Caller
from actions.decisions import parse_typed_custom_value, parse_typed_value, resolve_field
from actions.document_snapshot import DocumentSnapshot, fetch_snapshot
from actions.errors import ChangedSinceShown
from core.changes import PlannedChange
from core.documents import DocumentRef
from core.fields import CustomField, Field, FieldName, Name, Value, is_empty, is_same_value
from i18n.labels import typed_label


@dataclass(frozen=True, slots=True)
class OwnValue:
    """What a person typed into a field."""

    shown: str
    """The value that the field had on the page."""
    typed: str


async def plan_own_values(
    caller: Caller, ref: DocumentRef, values: Mapping[str, OwnValue]
) -> tuple[PlannedChange, ...]:
    """Return the changes that a person added, by the fields as Paperless has them now.

    Raise BadValue, PaperlessError, or ChangedSinceShown if Paperless has another value than the
    person saw.
    """
    if not values:
        return ()
    snapshot = await fetch_snapshot(caller, ref)
    custom = [definition.field for definition in snapshot.definitions]
    planned: list[PlannedChange] = []
    for name, value in values.items():
        field = resolve_field(name, custom)
        if field is FieldName.TAGS:
            planned += _added_tags(value.typed, snapshot)
            continue
        before = snapshot.value(field)
        if typed_label(before) != value.shown:
            raise ChangedSinceShown(ref)
        after = _parse(field, value.typed, snapshot)
        if not is_same_value(before, after) and not (is_empty(before) and is_empty(after)):
            planned.append(PlannedChange(field, before, after))
    return tuple(planned)


def _parse(field: Field, typed: str, snapshot: DocumentSnapshot) -> Value:
    if isinstance(field, CustomField):
        definitions = {definition.field: definition for definition in snapshot.definitions}
        return parse_typed_custom_value(field, typed, definitions)
    return parse_typed_value(field, typed, snapshot.names)


def _added_tags(typed: str, snapshot: DocumentSnapshot) -> Iterator[PlannedChange]:
    """Yield a change for each listed tag that the document does not have."""
    for part in filter(str.strip, typed.split(",")):
        tag = parse_typed_value(FieldName.TAGS, part, snapshot.names)
        if isinstance(tag, Name) and tag.id not in snapshot.current.tag_ids:
            yield PlannedChange(FieldName.TAGS, None, tag)
