"""Fields of a document: the question about each in the prompt, and its value in Paperless.

Every built-in field has its own key in Paperless and its own rule for when it counts as empty.
Custom fields are defined by people, in each Paperless differently.
"""

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from pathlib import PurePath

from pydantic import JsonValue

from core.fields import (
    CustomField,
    DataType,
    Definition,
    Field,
    FieldName,
    Money,
    Name,
    Option,
    Value,
    require_fillable,
)
from paperless_client import CustomFieldValue, DocumentFields, NameKind, NameLists

_TITLE_LENGTHS = (128, 127)
"""Maximum length of a title, and the length to which Paperless cuts a file name."""
_CURRENCY = re.compile("[A-Z]{3}")
_MONEY = re.compile(r"(?P<currency>[A-Z]{3})?(?P<amount>-?\d+(?:\.\d{1,2})?)")


@dataclass(frozen=True, slots=True)
class FieldDefinition:
    """Everything about a built-in field that is not the same for all of them."""

    question: str
    """What the prompt asks for."""
    key: str
    """Its attribute of `DocumentFields` and of `DocumentPatch`."""
    kind: NameKind | None = None
    """The kind of its names; None if its value is not a name."""
    value_type: type[str] | type[date] = str
    """The type of a value that is not a name."""
    is_preset: Callable[[DocumentFields], bool] | None = None
    """Whether only Paperless has set the value; such a field counts as empty."""

    def to_paperless(self, value: Value) -> str | date | int | None:
        """Return a value as a PATCH sends it; raise TypeError if the field cannot have it."""
        match value:
            case Name(id=id_) | (None as id_) if self.kind:
                return id_
            case str() | date() if not self.kind and isinstance(value, self.value_type):
                return value
        raise TypeError(f"{self.key} cannot be set to {type(value).__name__}")


class CustomFields:
    """The custom fields of one Paperless that can be filled."""

    def __init__(self, lists: NameLists) -> None:
        self._list = lists.custom_fields

    async def all(self) -> tuple[Definition, ...]:
        """Return every custom field that can be filled, at most five minutes old."""
        types, found = set(DataType), []
        for field in await self._list.get_entries():
            if field.data_type not in types:
                continue
            currency = field.default_currency or ""
            definition = Definition(
                CustomField(field.id, field.name),
                DataType(field.data_type),
                tuple(Option(option.id, option.label) for option in field.options),
                currency if _CURRENCY.fullmatch(currency) else "",
            )
            found.append(definition)
        return tuple(found)

    async def get_by_name(self, names: Collection[str]) -> tuple[Definition, ...]:
        """Return the fields of these names, in their order.

        Raise CustomFieldMissing or CustomFieldNotFillable.
        """
        types = {field.name: field.data_type for field in await self._list.get_entries()}
        require_fillable(names, types)
        by_name = {known.field.name: known for known in await self.all()}
        return tuple(by_name[name] for name in names)

    def invalidate(self) -> None:
        """Discard the custom fields, so that they are fetched when next needed."""
        self._list.invalidate()


def _has_file_name_as_title(document: DocumentFields) -> bool:
    if document.original_file_name is None:
        return False
    stem = PurePath(document.original_file_name).stem
    return document.title in {stem[:length] for length in _TITLE_LENGTHS}


def _was_added_on_its_date(document: DocumentFields) -> bool:
    # Without a date in the text, Paperless sets the day on which the document was added, in the
    # time zone of `added`.
    return document.created == document.added.date()


BUILT_IN_FIELDS: Mapping[FieldName, FieldDefinition] = {
    FieldName.TITLE: FieldDefinition(
        question="a short, telling title of at most 80 characters, without the file name",
        key="title",
        is_preset=_has_file_name_as_title,
    ),
    FieldName.CORRESPONDENT: FieldDefinition(
        question=(
            "who sent the document: the company, office or person, not the one it is addressed to"
        ),
        key="correspondent",
        kind=NameKind.CORRESPONDENT,
    ),
    FieldName.DOCUMENT_TYPE: FieldDefinition(
        question="what kind of document it is", key="document_type", kind=NameKind.DOCUMENT_TYPE
    ),
    FieldName.TAGS: FieldDefinition(
        question=(
            "a list of tags that fit the document's subject, the best first, at most $max_tags"
        ),
        key="tags",
        kind=NameKind.TAG,
    ),
    FieldName.DATE: FieldDefinition(
        question=(
            "the date of the document itself as YYYY-MM-DD: when it was written or issued, not "
            "when something is due, was delivered, or someone was born"
        ),
        key="created",
        value_type=date,
        is_preset=_was_added_on_its_date,
    ),
    FieldName.STORAGE_PATH: FieldDefinition(
        question=(
            "which of the listed storage paths the file belongs to, never another name; the "
            "explanation of each shows the folders and file names that it makes"
        ),
        key="storage_path",
        kind=NameKind.STORAGE_PATH,
    ),
}


def parse_custom_values(
    values: Iterable[CustomFieldValue], definitions: Iterable[Definition]
) -> Mapping[Field, Value]:
    """Return a document's value of every defined field; None if the document does not have it."""
    by_id = {value.field: value.value for value in values}
    return {
        known.field: _parse_value(by_id[known.field.id], known) if known.field.id in by_id else None
        for known in definitions
    }


def serialize_custom_value(value: Value) -> JsonValue:
    """Return a value as Paperless takes it; "" stands for a field without a value."""
    match value:
        case Money():
            return f"{value.currency}{value.amount:.2f}"
        case Option():
            return value.id
        case date():
            return value.isoformat()
        case None | "":
            return None
        case Name():
            raise TypeError("no custom field holds a name")
        case _:
            return value


def _parse_value(raw: JsonValue, definition: Definition) -> Value:
    """Parse a value by its type; one of the wrong type, which Paperless 2 allows, stays text."""
    match definition.data_type, raw:
        case _, None | "":
            return ""
        case DataType.BOOLEAN, bool():
            return raw
        case DataType.INTEGER, int():
            return raw
        case DataType.FLOAT, int() | float():
            return float(raw)
        case _, str():
            return _parse_text(raw, definition)
    return str(raw)


def _parse_text(raw: str, definition: Definition) -> Value:
    match definition.data_type:
        case DataType.DATE:
            with suppress(ValueError):
                return date.fromisoformat(raw)
        case DataType.MONETARY if match := _MONEY.fullmatch(raw):
            # Without a currency, the field's default currency applies.
            return Money(Decimal(match["amount"]), match["currency"] or definition.currency)
        case DataType.SELECT:
            known = (option for option in definition.options if option.id == raw)
            return next(known, Option(raw, f"#{raw}"))
    return raw
