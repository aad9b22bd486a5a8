"""Fields of a document, built-in and custom: their types, modes and values, also as JSON."""

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from enum import StrEnum
from typing import TypeAlias

from core.errors import PaperclerkError
from core.messages import Message, closest_match, did_you_mean, listed, message, plain

_KINDS = {str: "text", bool: "boolean", int: "integer"}
_CUSTOM = re.compile(r"custom_field:(?P<id>\d+)(?::(?P<name>.*))?", re.DOTALL)


class FieldName(StrEnum):
    """A built-in field that we suggest values for."""

    TITLE = "title"
    CORRESPONDENT = "correspondent"
    DOCUMENT_TYPE = "document_type"
    TAGS = "tags"
    DATE = "date"
    STORAGE_PATH = "storage_path"


NAMED_FIELDS = frozenset(
    {FieldName.CORRESPONDENT, FieldName.DOCUMENT_TYPE, FieldName.TAGS, FieldName.STORAGE_PATH}
)
"""Fields whose value is a name."""


@dataclass(frozen=True, slots=True)
class CustomField:
    """A custom field of a Paperless, identified by its id; the name is for people."""

    id: int
    name: str = field(compare=False)
    """Its name when it was fetched; owners rename their fields."""

    def __str__(self) -> str:
        return f"custom_field:{self.id}:{self.name}"


Field: TypeAlias = FieldName | CustomField
"""A field of a document; `str` of it is stored."""


class FieldMode(StrEnum):
    """What happens to a suggested value automatically."""

    OFF = "off"
    REVIEW = "review"
    FILL = "fill"
    REPLACE = "replace"


class NewNamePolicy(StrEnum):
    """What happens to a suggested name that does not exist in Paperless yet."""

    NEVER = "never"
    REVIEW = "review"
    CREATE = "create"


@dataclass(frozen=True, slots=True)
class Name:
    """A tag, correspondent, document type or storage path; `id` is None until Paperless has it."""

    id: int | None
    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Money:
    """An amount; `currency` is three capital letters, or "" if unknown."""

    amount: Decimal
    currency: str = ""

    def __str__(self) -> str:
        return f"{self.amount:.2f} {self.currency}".rstrip()


@dataclass(frozen=True, slots=True)
class Option:
    """A choice of a custom field, identified by its id; the label is for people."""

    id: str
    label: str = field(compare=False)

    def __str__(self) -> str:
        return self.label


Value: TypeAlias = str | date | Name | Money | Option | bool | int | float | None
"""The value of a field; None means empty. For tags it is a single tag (a Name), or None.

For a custom field None means that the document does not have it, and "" that it is empty.
"""


class DataType(StrEnum):
    """Types of custom fields that can be filled from a document."""

    STRING = "string"
    LONGTEXT = "longtext"
    URL = "url"
    DATE = "date"
    BOOLEAN = "boolean"
    INTEGER = "integer"
    FLOAT = "float"
    MONETARY = "monetary"
    SELECT = "select"


@dataclass(frozen=True, slots=True)
class Definition:
    """A custom field that can be filled, with its type and options."""

    field: CustomField
    data_type: DataType
    options: tuple[Option, ...] = ()
    """The choices of a select, in the owner's order."""
    currency: str = ""
    """The default currency of an amount; "" if there is none."""


class CustomFieldMissing(PaperclerkError):
    """A custom field in the settings does not exist."""

    code = "custom_field_missing"
    user_message = "A custom field named in the config does not exist in Paperless."
    hint = "Create it in Paperless (Manage > Custom Fields), or correct fields.custom_fields."

    def __init__(self, names: Iterable[str], known: Collection[str]) -> None:
        self.names = tuple(names)
        missing = listed(_with_guess(name, known) for name in self.names)
        super().__init__(message("no such custom field in Paperless: {names}", names=missing))


class CustomFieldNotFillable(PaperclerkError):
    """A custom field in the settings has a type that cannot be filled from a document."""

    code = "custom_field_not_fillable"
    user_message = "A custom field named in the config has a type that cannot be filled."
    hint = f"Remove it from fields.custom_fields. Types that can be filled: {', '.join(DataType)}."

    def __init__(self, types: Mapping[str, str]) -> None:
        self.types = dict(types)
        names = listed(
            message('"{name}" is of type {type}', name=name, type=type_)
            for name, type_ in self.types.items()
        )
        super().__init__(message("cannot be filled from a document: {names}", names=names))


def field_from_text(text: str) -> Field:
    """Parse the `str` of a field; raise ValueError."""
    custom = _CUSTOM.fullmatch(text)
    return CustomField(int(custom["id"]), custom["name"] or "") if custom else FieldName(text)


def is_empty(value: Value) -> bool:
    return value is None or value == ""


def is_same_value(value: Value, other: Value) -> bool:
    """Return whether two values are the same in Paperless: names by id if both have one."""
    if isinstance(value, Name) and isinstance(other, Name) and None not in (value.id, other.id):
        return value.id == other.id
    return value == other


def value_to_json(value: Value) -> dict[str, object] | None:
    """Return a value as JSON for `value_from_json`."""
    match value:
        case None:
            return None
        case Name() | Option() | Money():
            return _parts_to_json(value)
        case date():
            return {"date": value.isoformat()}
        case float():
            # As text: some databases return 2.0 as 2.
            return {"float": repr(value)}
        case _:
            return {_KINDS[type(value)]: value}


def value_from_json(data: dict[str, object] | None) -> Value:
    """Return the value of JSON from `value_to_json`; raise ValueError."""
    match data:
        case None:
            return None
        case {"date": str(day)}:
            return date.fromisoformat(day)
        case {"float": str(number)}:
            return float(number)
        case {"text": str(scalar)} | {"boolean": bool(scalar)} | {"integer": int(scalar)}:
            return scalar
    return _parts_from_json(data)


def require_fillable(wanted: Iterable[str], types: Mapping[str, str]) -> None:
    """Raise CustomFieldMissing or CustomFieldNotFillable with all names; `types` is by name."""
    names = list(wanted)
    if missing := [name for name in names if name not in types]:
        raise CustomFieldMissing(missing, types)
    if others := {name: types[name] for name in names if types[name] not in set(DataType)}:
        raise CustomFieldNotFillable(others)


def _parts_to_json(value: Name | Option | Money) -> dict[str, object]:
    match value:
        case Name():
            return {"name": value.name, "id": value.id}
        case Option():
            return {"option": value.label, "id": value.id}
    return {"amount": str(value.amount), "currency": value.currency}


def _parts_from_json(data: dict[str, object]) -> Name | Option | Money:
    match data:
        case {"name": str(name), "id": int() | None as id_}:
            return Name(id_, name)
        case {"option": str(label), "id": str(option)}:
            return Option(option, label)
        case {"amount": str(amount), "currency": str(currency)}:
            return Money(Decimal(amount), currency)
    raise ValueError(f"not a stored value: {data!r}")


def _with_guess(name: str, known: Collection[str]) -> Message:
    quoted, guess = plain(f'"{name}"'), closest_match(name, known)
    return did_you_mean(quoted, guess) if guess else quoted
