"""Fields of a document, their values, and what may be written to them."""

from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import TypeAlias


class FieldName(StrEnum):
    """A field that we suggest values for."""

    TITLE = "title"
    CORRESPONDENT = "correspondent"
    DOCUMENT_TYPE = "document_type"
    TAGS = "tags"
    DATE = "date"


class FieldMode(StrEnum):
    """What may happen to a suggested value without a person."""

    OFF = "off"
    REVIEW = "review"
    FILL = "fill"
    REPLACE = "replace"


class NewNames(StrEnum):
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


Value: TypeAlias = str | date | Name | None
"""One field's value; None means empty. Of tags, a value is one tag: there (a Name) or not."""


def same(one: Value, other: Value) -> bool:
    """Tell whether two values are the same to Paperless: names by id when both have one."""
    if isinstance(one, Name) and isinstance(other, Name) and None not in (one.id, other.id):
        return one.id == other.id
    return one == other


def value_to_json(value: Value) -> dict[str, object] | None:
    """Turn a value into JSON that `value_from_json` can read back."""
    match value:
        case None:
            return None
        case Name():
            return {"name": value.name, "id": value.id}
        case date():
            return {"date": value.isoformat()}
        case str():
            return {"text": value}


def value_from_json(data: dict[str, object] | None) -> Value:
    """Read what `value_to_json` made."""
    match data:
        case None:
            return None
        case {"name": str(name), "id": int() | None as id_}:
            return Name(id_, name)
        case {"date": str(day)}:
            return date.fromisoformat(day)
        case {"text": str(text)}:
            return text
    raise ValueError(f"not a stored value: {data!r}")
