"""The base of the settings models, built on pydantic-settings, and their flat list of options."""

import json
import logging
from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from enum import Enum, auto
from functools import cache
from pathlib import Path
from typing import Any, get_args, get_origin

from pydantic import BaseModel, SecretStr
from pydantic.fields import FieldInfo
from pydantic_settings import (
    BaseSettings,
    InitSettingsSource,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
)

from core.calendar import format_duration
from core.settings.errors import KeyPath

# An environment variable makes pydantic-settings log every value, including secrets.
logging.getLogger("pydantic_settings").setLevel(logging.INFO)

_LAYERS: ContextVar[tuple[PydanticBaseSettingsSource, ...]] = ContextVar("layers", default=())
"""The layers in use: pydantic-settings offers no way to pass sources to a constructor."""


class FileSettings(BaseSettings):
    """The settings of one file, built from the layers in use."""

    model_config = SettingsConfigDict(frozen=True, hide_input_in_errors=True, case_sensitive=True)

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Return our layers only: the environment is a layer with places of its own.

        The last source has every table, empty, so that missing keys are reported one by one.
        """
        empty = InitSettingsSource(settings_cls, {table: {} for table in list_tables(settings_cls)})
        return init_settings, *_LAYERS.get(), empty


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
    kind: OptionKind

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


def build_from_layers(
    model: type[FileSettings], *layers: PydanticBaseSettingsSource, **values: Any
) -> FileSettings:
    """Build settings from values and layers; the first that has a value wins.

    Raise pydantic's ValidationError if they are not valid.
    """
    token = _LAYERS.set(layers)
    try:
        return model(**values)
    finally:
        _LAYERS.reset(token)


@cache
def list_options(model: type[BaseModel], path: KeyPath = ()) -> tuple[Option, ...]:
    """Return the options of a settings tree, in the order of declaration."""
    found: list[Option] = []
    for key, field in model.model_fields.items():
        if table := _table(field):
            found.extend(list_options(table, (*path, key)))
        else:
            found.append(Option((*path, key), field, _kind(field.annotation)))
    return tuple(found)


def list_tables(model: type[BaseModel]) -> dict[str, type[BaseModel]]:
    """Return the models of a file's tables by name."""
    tables = ((key, _table(field)) for key, field in model.model_fields.items())
    return {key: table for key, table in tables if table}


def default_text(option: Option) -> str:
    """Return the default of an option as TOML; "" if the option is required."""
    if option.field.is_required():
        return ""
    default: object = option.field.get_default(call_default_factory=True, validated_data={})
    match default:
        case None | SecretStr():
            return '""'
        case timedelta():
            return f'"{format_duration(default)}"'
        case Decimal():
            return str(default)
        case Mapping():
            return json.dumps(dict(default))
        case _:
            return json.dumps(default)


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
