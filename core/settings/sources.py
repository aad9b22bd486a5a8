"""Sources for pydantic-settings: one layer of values each, with the places they come from."""

import logging
import ssl
from collections.abc import Container, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import Any

from pydantic_settings import (
    BaseSettings,
    InitSettingsSource,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
)

from core.messages import Message, message, message_in
from core.settings.errors import KeyPath, SettingError, SettingSource
from core.settings.options import Option, OptionKind, list_options, list_tables

# An environment variable makes pydantic-settings log every value, including secrets.
logging.getLogger("pydantic_settings").setLevel(logging.INFO)


@dataclass(frozen=True, slots=True)
class SourcedValue:
    """A value, and where it was written."""

    value: object
    place: SettingSource


Layer = Mapping[KeyPath, SourcedValue]
"""The values of one source by path; a table is a value only if the settings have no such table."""


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


class LayerSource(InitSettingsSource):
    """One layer as a source; names of files in it are relative to `folder`."""

    def __init__(self, model: type[FileSettings], layer: Layer, folder: Path) -> None:
        super().__init__(model, {})
        self.layer = dict(layer)
        self.errors: list[SettingError] = []
        self._folder = folder

    def __call__(self) -> dict[str, object]:
        """Return the values that no earlier source has, with files replaced by their contents."""
        above = flatten(self.current_state, list_tables(self.settings_cls))
        for option in list_options(self.settings_cls):
            given = {path: self.layer.pop(path) for path in option.paths if path in self.layer}
            self._report_duplicate(given, option)
            if option.path not in above:
                self.layer |= self._read_file(given, option)
        return _nest(self.layer)

    def _report_duplicate(self, given: Layer, option: Option) -> None:
        """Report a secret that is given both as text and as a file."""
        if len(given) > 1 and all(secret.value not in ("", []) for secret in given.values()):
            both = message("{key} is given as well - keep one of them", key=option.path[-1])
            self.errors.append(
                SettingError.at(given[option.file_path].place, option.file_path, both)
            )

    def _read_file(self, given: Layer, option: Option) -> Layer:
        """Return the option's value, read from the file it names if it names one."""
        path = option.paths[-1]
        plain = {option.path: given[option.path]} if option.path in given else {}
        names_file = option.is_secret or option.kind is OptionKind.FILE
        # An empty name counts as none.
        if not names_file or path not in given or given[path].value == "":
            return plain
        name, place = given[path].value, given[path].place
        try:
            content = read_referenced_file(name, option.kind, self._folder)
            return {option.path: SourcedValue(content, place)}
        except ValueError as error:
            self.errors.append(SettingError.at(place, path, message_in(error)))
            return plain


_LAYERS: ContextVar[tuple[LayerSource, ...]] = ContextVar("layers", default=())
"""The layers in use: pydantic-settings offers no way to pass sources to a constructor."""


def build_from_layers(
    model: type[FileSettings], *layers: LayerSource, **values: Any
) -> FileSettings:
    """Build settings from values and layers; the first that has a value wins.

    Raise pydantic's ValidationError if they are not valid.
    """
    token = _LAYERS.set(layers)
    try:
        return model(**values)
    finally:
        _LAYERS.reset(token)


def flatten(values: Mapping[str, object], tables: Container[str]) -> dict[KeyPath, object]:
    """Return the values by path, with tables split into their keys."""
    found: dict[KeyPath, object] = {}
    for key, value in values.items():
        if key in tables and isinstance(value, dict):
            found |= {(key, inner): nested for inner, nested in value.items()}
        else:
            found[key,] = value
    return found


def _nest(layer: Layer) -> dict[str, object]:
    found: dict[str, Any] = {}
    for (*tables, key), given in layer.items():
        reduce(lambda table, name: table.setdefault(name, {}), tables, found)[key] = given.value
    return found


def read_referenced_file(name: object, kind: OptionKind, folder: Path) -> str | list[str]:
    """Return the secret in a file, or its secrets, one per line; for certificates, its path.

    A relative name starts at `folder`. Raise ValueError if the file cannot be used.
    """
    if not isinstance(name, str):
        raise ValueError(message("expected text in quotes"))  # noqa: TRY004 - an error like the others
    file = folder / name
    if kind is OptionKind.SECRET:
        return _read_secret(file)
    if kind is OptionKind.SECRETS:
        return [line.strip() for line in _read_secret(file).splitlines() if line.strip()]
    _check_certificates(file)
    return str(file)


def _read_secret(file: Path) -> str:
    try:
        text = file.read_text(encoding="utf-8").strip()
    except UnicodeDecodeError:
        raise ValueError(message("{path} is not text", path=str(file))) from None
    except OSError as error:
        raise ValueError(_unreadable(file, error)) from None
    if not text:
        raise ValueError(message("{path} is empty", path=str(file)))
    return text


def _check_certificates(file: Path) -> None:
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(cafile=file)
    except ssl.SSLError:
        raise ValueError(message("there is no certificate in {path}", path=str(file))) from None
    except OSError as error:
        raise ValueError(_unreadable(file, error)) from None


def _unreadable(file: Path, error: OSError) -> Message:
    return message("cannot read {path}: {why}", path=str(file), why=str(error.strerror))
