"""Other values for a field, from what is known: the text, names in use, earlier documents."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date
from itertools import chain

from actions.document_snapshot import DocumentSnapshot, definition_of, most_common
from core.fields import CustomField, DataType, Definition, Field, FieldName, Name, Value
from i18n.labels import value_label
from processor.analysis.custom_values import read_custom_value
from processor.analysis.dates import dates_in
from processor.analysis.name_similarity import find_better_names, find_similar_names

MOST = 3
"""Maximum number of alternatives of a field."""
_ENOUGH = 20_000
"""Characters of a long text that are searched."""
_AMOUNT = re.compile(
    r"(?P<before>(?:\b[A-Z]{3}|[€$£]) {0,3})?(?<![\d.,'])\d[\d.,']*[.,]\d{2}(?![\d.,']*\d)"
    r"(?P<after>\s?(?:[A-Z]{3}\b|[€$£]))?"
)
_NO_MONEY = re.compile(
    r"\s?(?:[kM]?Wh?|m[²³23]|k?m|k?g|l|%|°C?|p|pence|ct|cents?|h|hrs?|Std\.?|[GM]B|units?|Einheiten)"
    r"(?![^\W_])",
    re.IGNORECASE,
)
"""Units after a number that is not an amount: a quantity, a unit price, pence."""
_METER = re.compile(r"reading|meter|usage|consumption|z.hler|verbrauch", re.IGNORECASE)
"""Words in a line whose numbers without a currency are meter readings, not amounts."""


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
        if len(found) == MOST:
            break
    return tuple(found)


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
    standing = find_better_names(suggested, snapshot.text[:_ENOUGH], by_name)
    yield from (by_name[name] for name in standing)


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
    yield from (day for day in most_common(dates_in(text[:_ENOUGH])) if isinstance(day, date))


def _custom_values(definition: Definition | None, text: str) -> Iterator[Value]:
    if definition is None:
        return
    find = _CUSTOM.get(definition.data_type)
    if find is not None:
        yield from find(definition, text[:_ENOUGH])


def _amounts(definition: Definition, text: str) -> Iterator[Value]:
    """Yield the amounts in a text, those with a currency first."""
    found = [match for match in _AMOUNT.finditer(text) if not _NO_MONEY.match(text, match.end())]
    marked = [match for match in found if match["before"] or match["after"]]
    unmarked = (match for match in found if match not in marked and not _is_metered(text, match))
    for match in chain(marked, unmarked):
        yield read_custom_value(" ".join(match[0].split()), definition)


def _is_metered(text: str, match: re.Match[str]) -> bool:
    start, end = text.rfind("\n", 0, match.start()) + 1, text.find("\n", match.end())
    return _METER.search(text, start, len(text) if end < 0 else end) is not None


def _options(definition: Definition, text: str) -> Iterator[Value]:
    """Yield the options of a field, those that stand in the text first."""
    folded = text.casefold()
    yield from sorted(definition.options, key=lambda option: option.label.casefold() not in folded)


_CUSTOM: Mapping[DataType, Callable[[Definition, str], Iterator[Value]]] = {
    DataType.DATE: lambda _, text: _dates(text),
    DataType.MONETARY: _amounts,
    DataType.SELECT: _options,
}
