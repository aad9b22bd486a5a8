"""Fields of a document, their values, and what may be written to them."""

import re
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from enum import StrEnum
from typing import TypeAlias

_KINDS = {str: "text", bool: "boolean", int: "integer"}
_CUSTOM = re.compile(r"custom_field:(?P<id>\d+)(?::(?P<name>.*))?", re.DOTALL)


class FieldName(StrEnum):
    """A field that we suggest values for."""

    TITLE = "title"
    CORRESPONDENT = "correspondent"
    DOCUMENT_TYPE = "document_type"
    TAGS = "tags"
    DATE = "date"


@dataclass(frozen=True, slots=True)
class CustomField:
    """A field that the owner of a Paperless made. The id says which; the name is for people."""

    id: int
    name: str = field(compare=False)
    """What it was called when we looked: owners rename their fields."""

    def __str__(self) -> str:
        return f"custom_field:{self.id}:{self.name}"


Field: TypeAlias = FieldName | CustomField
"""A field of a document. Its text, as `str` gives it, is what is stored."""


def field_from_text(text: str) -> Field:
    """Read what `str` makes of a field; raise ValueError if it is none."""
    custom = _CUSTOM.fullmatch(text)
    return CustomField(int(custom["id"]), custom["name"] or "") if custom else FieldName(text)


class FieldMode(StrEnum):
    """What may happen to a suggested value without a person."""

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
    """A tag, correspondent or document type; `id` is None until it exists in Paperless."""

    id: int | None
    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Money:
    """An amount; `currency` is three capital letters, or "" where nobody said it."""

    amount: Decimal
    currency: str = ""

    def __str__(self) -> str:
        return f"{self.amount:.2f} {self.currency}".rstrip()


@dataclass(frozen=True, slots=True)
class Option:
    """A choice of a custom field; the id says which, the label is for people."""

    id: str
    label: str = field(compare=False)

    def __str__(self) -> str:
        return self.label


Value: TypeAlias = str | date | Name | Money | Option | bool | int | float | None
"""One field's value; None means empty. Of tags, a value is one tag: there (a Name) or not.

Of a custom field None means that the document does not have it, and "" that it has it, but empty.
"""


def is_empty(value: Value) -> bool:
    return value is None or value == ""


def is_same_value(one: Value, other: Value) -> bool:
    """Return whether two values are the same to Paperless: names by id when both have one."""
    if isinstance(one, Name) and isinstance(other, Name) and None not in (one.id, other.id):
        return one.id == other.id
    return one == other


def value_to_json(value: Value) -> dict[str, object] | None:
    """Turn a value into JSON that `value_from_json` can read back."""
    match value:
        case None:
            return None
        case Name() | Option() | Money():
            return _parts_to_json(value)
        case date():
            return {"date": value.isoformat()}
        case float():
            # As text: not every database gives 2.0 back as it was.
            return {"float": repr(value)}
        case _:
            return {_KINDS[type(value)]: value}


def value_from_json(data: dict[str, object] | None) -> Value:
    """Read what `value_to_json` made."""
    match data:
        case None:
            return None
        case {"date": str(day)}:
            return date.fromisoformat(day)
        case {"float": str(number)}:
            return float(number)
        case {"text": str(plain)} | {"boolean": bool(plain)} | {"integer": int(plain)}:
            return plain
    return _parts_from_json(data)


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
