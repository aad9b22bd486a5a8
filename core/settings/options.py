"""List the settings as flat options, for the environment, the files and the docs."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto
from pathlib import Path
from typing import get_args, get_origin

from pydantic import BaseModel, SecretStr
from pydantic.fields import FieldInfo

from core.settings.errors import KeyPath


class OptionKind(Enum):
    """How the value of an option is read."""

    TEXT = auto()
    NUMBER = auto()
    LIST = auto()
    TABLE = auto()
    FILE = auto()
    SECRET = auto()
    SECRETS = auto()
    """A list of secrets."""


@dataclass(frozen=True, slots=True)
class Option:
    """One setting; `path` is ("ai", "model"), or ("time_zone",) outside of any table."""

    path: KeyPath
    field: FieldInfo

    @property
    def kind(self) -> OptionKind:
        return _kind(self.field.annotation)

    @property
    def choices(self) -> tuple[Enum, ...]:
        """Return the allowed values of the option or of its items; empty if any is allowed."""
        kinds = (self.field.annotation, *get_args(self.field.annotation))
        named = (kind for kind in kinds if isinstance(kind, type) and issubclass(kind, Enum))
        return tuple(next(named, ()))

    @property
    def file_path(self) -> KeyPath:
        """Path of the key that names a file with the secret instead: ("ai", "api_key_file")."""
        return (*self.path[:-1], f"{self.path[-1]}_file")

    @property
    def paths(self) -> tuple[KeyPath, ...]:
        """Every key that sets it."""
        return (self.path, self.file_path) if self.is_secret else (self.path,)

    @property
    def is_secret(self) -> bool:
        """Return whether it is never shown and may be read from a file."""
        return self.kind in {OptionKind.SECRET, OptionKind.SECRETS}

    @property
    def holds_secrets(self) -> bool:
        """Return whether its value is a secret or contains some, such as HTTP headers."""
        return self.is_secret or SecretStr in get_args(self.field.annotation)


def list_options(model: type[BaseModel], path: KeyPath = ()) -> tuple[Option, ...]:
    """Return the options of a settings tree, in the order of declaration."""
    found: list[Option] = []
    for key, field in model.model_fields.items():
        table = _table(field)
        inner = list_options(table, (*path, key)) if table else (Option((*path, key), field),)
        found.extend(inner)
    return tuple(found)


def list_tables(model: type[BaseModel]) -> dict[str, type[BaseModel]]:
    """Return the models of a file's tables by name."""
    tables = ((key, _table(field)) for key, field in model.model_fields.items())
    return {key: table for key, table in tables if table}


def _table(field: FieldInfo) -> type[BaseModel] | None:
    kind = field.annotation
    return kind if isinstance(kind, type) and issubclass(kind, BaseModel) else None


def _kind(annotation: object) -> OptionKind:
    if Path in get_args(annotation):
        return OptionKind.FILE
    plain = get_origin(annotation) or annotation
    if plain is tuple and any(SecretStr in get_args(item) for item in get_args(annotation)):
        return OptionKind.SECRETS
    kinds = {
        int: OptionKind.NUMBER,
        tuple: OptionKind.LIST,
        Mapping: OptionKind.TABLE,
        SecretStr: OptionKind.SECRET,
    }
    return next((kind for type_, kind in kinds.items() if plain is type_), OptionKind.TEXT)
