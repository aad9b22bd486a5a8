"""Values that a person enters in review: alternatives offered, values typed, names to create.

A typed name that does not exist in Paperless is created only if settings or person allow it.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from enum import Enum, auto
from itertools import chain

from actions.caller import Caller
from actions.decisions import parse_typed_custom_value, parse_typed_value, resolve_field
from actions.documents import DocumentSnapshot, definition_of, fetch_snapshot, most_common
from actions.errors import ChangedSinceShown, InvalidRequest
from core.changes import Change, Decision, PlannedChange
from core.documents import DocumentRef
from core.fields import (
    CustomField,
    DataType,
    Definition,
    Field,
    FieldName,
    Name,
    NewNamePolicy,
    Value,
    is_empty,
    is_same_value,
)
from core.messages import Message, listed, message
from core.text import clean_line
from i18n.labels import FIELDS, typed_label, value_label
from processor.analysis.custom_values import read_custom_value
from processor.analysis.dates import dates_in
from processor.analysis.name_matching import find_better_names, find_similar_names
from processor.names.catalogue import NamesInUse

_SETTINGS: Mapping[FieldName, str] = {
    FieldName.TAGS: "names.tags",
    FieldName.CORRESPONDENT: "names.correspondents",
    FieldName.DOCUMENT_TYPE: "names.document_types",
}
MAX_ALTERNATIVES = 3
"""Maximum number of alternatives of a field."""
_MAX_CHARACTERS = 20_000
"""Characters of a long text that are searched."""
_AMOUNT = re.compile(
    r"(?P<before>(?:\b[A-Z]{3}|[€$£]) {0,3})?(?<![\d.,'])\d[\d.,']*[.,]\d{2}(?![\d.,']*\d)"
    r"(?P<after>\s?(?:[A-Z]{3}\b|[€$£]))?"
)
_OTHER_UNIT = re.compile(
    r"\s?(?:[kM]?Wh?|m[²³23]|k?m|k?g|l|%|°C?|p|pence|ct|cents?|h|hrs?|Std\.?|[GM]B|units?|Einheiten)"
    r"(?![^\W_])",
    re.IGNORECASE,
)
"""Units after a number that is not an amount: a quantity, a unit price, pence."""
_METER_WORDS = re.compile(r"reading|meter|usage|consumption|z.hler|verbrauch", re.IGNORECASE)
"""Words in a line whose numbers without a currency are meter readings, not amounts."""


@dataclass(frozen=True, slots=True)
class OwnValue:
    """What a person typed into a field."""

    shown: str | None
    """The value that the field had on the page; None if the person saw none."""
    typed: str


class TypedNames(Enum):
    """What to do with typed names that do not exist, if new names go to review."""

    ASK = auto()
    """Raise NewNamesUnconfirmed."""
    CREATE = auto()
    """The person has confirmed them."""


@dataclass(frozen=True, slots=True)
class TypedName:
    """A name that a person typed in review and that Paperless does not have yet."""

    field: FieldName
    name: str
    similar: tuple[str, ...]
    """Similar existing names, one of which may be meant."""

    def describe(self) -> Message:
        """Return the message that the name is missing, with similar existing names."""
        field, name = FIELDS[self.field], clean_line(self.name)
        if not self.similar:
            return message('There is no {field} "{name}" in Paperless', field=field, name=name)
        return message(
            'There is no {field} "{name}" in Paperless (similar: {similar})',
            field=field,
            name=name,
            similar=", ".join(f'"{clean_line(similar)}"' for similar in self.similar),
        )


class NewNameNotAllowed(InvalidRequest):
    """A person typed a name that does not exist, and the settings do not allow new ones."""

    code = "new_name_not_allowed"
    user_message = "This name does not exist in Paperless, and the settings do not allow new ones."

    def __init__(self, name: TypedName) -> None:
        super().__init__(
            message(
                '{missing}, and the settings do not allow new names ({setting} = "never")',
                missing=name.describe(),
                setting=_SETTINGS[name.field],
            )
        )


class NewNamesUnconfirmed(InvalidRequest):
    """A person typed names that do not exist, and must confirm that they should be created."""

    code = "new_names_unconfirmed"
    user_message = "Confirm that these names should be created in Paperless."

    def __init__(self, names: Iterable[TypedName]) -> None:
        self.names = tuple(names)
        super().__init__(listed(name.describe() for name in self.names))


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
        if value.shown is not None and typed_label(before) != value.shown:
            raise ChangedSinceShown(ref)
        after = _parse(field, value.typed, snapshot)
        if not is_same_value(before, after) and not (is_empty(before) and is_empty(after)):
            planned.append(PlannedChange(field, before, after))
    return tuple(planned)


async def require_typed_names(
    caller: Caller,
    ref: DocumentRef,
    waiting: Iterable[Change],
    decision: Decision,
    typed: TypedNames,
) -> None:
    """Raise NewNameNotAllowed or NewNamesUnconfirmed if a decision must not create its names.

    Suggested names need no confirmation: the person saw that they are new.
    """
    new = [(field, name) for field, name in _own_names(waiting, decision) if name.id is None]
    if not new:
        return
    instance = caller.get_instance(ref.instance)
    in_use = await instance.catalogue.names()
    policies = instance.policy.new_names
    missing = [_build_typed_name(field, name, in_use) for field, name in new]
    for name in missing:
        if policies[name.field] is NewNamePolicy.NEVER:
            raise NewNameNotAllowed(name)
    unconfirmed = [name for name in missing if policies[name.field] is NewNamePolicy.REVIEW]
    if unconfirmed and typed is TypedNames.ASK:
        raise NewNamesUnconfirmed(unconfirmed)


def find_alternatives(
    of: Field,
    suggested: Iterable[Value],
    snapshot: DocumentSnapshot,
    recognised: Iterable[str] = (),
) -> tuple[str, ...]:
    """Return other values for a field as a person would type them, the most likely first.

    First of all come names that were recognised instead, such as a sender by its number. Neither
    the suggested values nor those that the document has are among them.
    """
    known = [value for value in suggested if value is not None]
    taken = {_typed(value).casefold() for value in known}
    taken |= {_typed(value).casefold() for value in _current(of, snapshot)}
    found: dict[str, None] = {}
    for value in chain(recognised, _candidates(of, known, snapshot)):
        text = _typed(value)
        if text and text.casefold() not in taken:
            found.setdefault(text)
        if len(found) == MAX_ALTERNATIVES:
            break
    return tuple(found)


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


def _own_names(waiting: Iterable[Change], decision: Decision) -> Iterator[tuple[FieldName, Name]]:
    """Yield the names among the person's own values, with their fields."""
    fields = {change.id: change.field for change in waiting}
    edited = [accepted for accepted in decision.accept if accepted.is_edited]
    values = [(fields[accepted.change_id], accepted.after) for accepted in edited]
    values += [(planned.field, planned.after) for planned in decision.add]
    for field, value in values:
        if isinstance(field, FieldName) and isinstance(value, Name):
            yield field, value


def _build_typed_name(field: FieldName, name: Name, in_use: NamesInUse) -> TypedName:
    similar = find_similar_names(field, name.name, in_use.by_field[field])
    return TypedName(field, name.name, tuple(found.name for found in similar))


def _typed(value: Value) -> str:
    return value.isoformat() if isinstance(value, date) else value_label(value)


def _current(of: Field, snapshot: DocumentSnapshot) -> tuple[Value, ...]:
    return snapshot.tags if of is FieldName.TAGS else (snapshot.value(of) or "",)


def _candidates(of: Field, known: Sequence[Value], snapshot: DocumentSnapshot) -> Iterator[Value]:
    if isinstance(of, CustomField):
        yield from _custom_values(definition_of(of, snapshot.definitions), snapshot.text)
    elif of is FieldName.DATE:
        yield from _dates(snapshot.text)
    elif of is FieldName.TITLE:
        yield from _titles(snapshot)
    else:
        yield from _names(of, known, snapshot)


def _names(of: FieldName, known: Sequence[Value], snapshot: DocumentSnapshot) -> Iterator[Value]:
    """Yield names in use: similar to a new one, of earlier documents, or named in the text."""
    in_use = snapshot.names.by_field[of]
    for value in known:
        if isinstance(value, Name) and value.id is None:
            yield from find_similar_names(of, value.name, in_use)
    offered = [name for name in in_use if name.name not in snapshot.reserved_tags]
    earlier = most_common(_values_of_earlier(of, snapshot))
    yield from (name for name in earlier if name in offered)
    suggested = next((str(value) for value in known), "-")
    by_name = {name.name: name for name in offered}
    found = find_better_names(suggested, snapshot.text[:_MAX_CHARACTERS], by_name)
    yield from (by_name[name] for name in found)


def _values_of_earlier(of: FieldName, snapshot: DocumentSnapshot) -> Iterator[Value]:
    for document in snapshot.earlier:
        if of is FieldName.TAGS:
            yield from document.tags
        elif of is not FieldName.CORRESPONDENT:
            yield document.values.get(of)


def _titles(snapshot: DocumentSnapshot) -> Iterator[Value]:
    """Yield a title made of the document's type, correspondent and month."""
    kind, sender = (
        snapshot.value(field) for field in (FieldName.DOCUMENT_TYPE, FieldName.CORRESPONDENT)
    )
    day = snapshot.value(FieldName.DATE)
    if kind and sender and isinstance(day, date):
        yield f"{kind} {sender} {day:%Y-%m}"


def _dates(text: str) -> Iterator[date]:
    """Yield the dates in a text, the most frequent first."""
    yield from (
        day for day in most_common(dates_in(text[:_MAX_CHARACTERS])) if isinstance(day, date)
    )


def _custom_values(definition: Definition | None, text: str) -> Iterator[Value]:
    if definition is None:
        return
    find = _CUSTOM.get(definition.data_type)
    if find is not None:
        yield from find(definition, text[:_MAX_CHARACTERS])


def _amounts(definition: Definition, text: str) -> Iterator[Value]:
    """Yield the amounts in a text, those with a currency first."""
    found = [match for match in _AMOUNT.finditer(text) if not _OTHER_UNIT.match(text, match.end())]
    marked = [match for match in found if match["before"] or match["after"]]
    unmarked = (match for match in found if match not in marked and not _is_metered(text, match))
    for match in chain(marked, unmarked):
        yield read_custom_value(" ".join(match[0].split()), definition)


def _is_metered(text: str, match: re.Match[str]) -> bool:
    start, end = text.rfind("\n", 0, match.start()) + 1, text.find("\n", match.end())
    return _METER_WORDS.search(text, start, len(text) if end < 0 else end) is not None


def _options(definition: Definition, text: str) -> Iterator[Value]:
    """Yield the options of a field, those that stand in the text first."""
    folded = text.casefold()
    yield from sorted(definition.options, key=lambda option: option.label.casefold() not in folded)


_CUSTOM: Mapping[DataType, Callable[[Definition, str], Iterator[Value]]] = {
    DataType.DATE: lambda _, text: _dates(text),
    DataType.MONETARY: _amounts,
    DataType.SELECT: _options,
}
