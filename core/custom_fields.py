"""Custom fields: data types, definitions, and errors for those that cannot be filled."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from core.errors import PaperclerkError
from core.fields import CustomField, Option
from core.messages import Message, listed, message, plain
from core.settings.errors import closest_match, did_you_mean


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


class CustomFieldMissing(PaperclerkError):
    """A custom field in the settings does not exist."""

    code = "custom_field_missing"
    user_message = "A custom field named in the config does not exist in Paperless."
    hint = "Create it in Paperless (Manage > Custom Fields), or correct fields.custom_fields."

    def __init__(self, names: Iterable[str], known: Collection[str]) -> None:
        self.names = tuple(names)
        missing = listed(_with_guess(name, known) for name in self.names)
        super().__init__(message("no such custom field in Paperless: {names}", names=missing))


def _with_guess(name: str, known: Collection[str]) -> Message:
    quoted, guess = plain(f'"{name}"'), closest_match(name, known)
    return did_you_mean(quoted, guess) if guess else quoted


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


@dataclass(frozen=True, slots=True)
class Definition:
    """A custom field that can be filled, with its type and options."""

    field: CustomField
    data_type: DataType
    options: tuple[Option, ...] = ()
    """The choices of a select, in the owner's order."""
    currency: str = ""
    """The default currency of an amount; "" if there is none."""


def require_fillable(wanted: Iterable[str], types: Mapping[str, str]) -> None:
    """Raise CustomFieldMissing or CustomFieldNotFillable with all names; `types` is by name."""
    names = list(wanted)
    if missing := [name for name in names if name not in types]:
        raise CustomFieldMissing(missing, types)
    if others := {name: types[name] for name in names if types[name] not in set(DataType)}:
        raise CustomFieldNotFillable(others)
