"""The door to pydantic-settings: it merges the layers it is given, and looks for none itself."""

import logging
import ssl
from collections.abc import Container, Mapping
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import Any

from pydantic_settings import BaseSettings, InitSettingsSource, SettingsConfigDict

from core.messages import Message, message, message_in
from core.settings.errors import KeyPath, SettingError, SettingSource
from core.settings.options import Option, OptionKind, list_options, list_tables

# A variable makes pydantic-settings log every value that a source gives, secrets among them.
logging.getLogger("pydantic_settings").setLevel(logging.INFO)


@dataclass(frozen=True, slots=True)
class SourcedValue:
    """A value that someone wrote, and where."""

    value: object
    place: SettingSource


Layer = Mapping[KeyPath, SourcedValue]
"""What one source gives. A whole table stands in it only where the settings have no such table."""


class FileSettings(BaseSettings):
    """All that one file may set. It is built from layers: what is named first wins."""

    model_config = SettingsConfigDict(frozen=True, hide_input_in_errors=True, case_sensitive=True)

    def __init__(self, /, *layers: "LayerSource", **values: object) -> None:
        given = InitSettingsSource(type(self), values)
        # Every table is there, if empty, so that what it lacks is named key by key.
        empty = InitSettingsSource(type(self), {table: {} for table in list_tables(type(self))})
        # Left to itself, BaseSettings reads the environment of the process whenever it is made.
        super().__init__(_build_sources=((given, *layers, empty), values))


class LayerSource(InitSettingsSource):
    """A layer as pydantic-settings wants it; names of files in it start at `folder`."""

    def __init__(self, model: type[FileSettings], layer: Layer, folder: Path) -> None:
        super().__init__(model, {})
        self.layer = dict(layer)
        self.errors: list[SettingError] = []
        self._folder = folder

    def __call__(self) -> dict[str, object]:
        """Return what no source above gives, with what is in files in place of their names."""
        above = flatten(self.current_state, list_tables(self.settings_cls))
        for option in list_options(self.settings_cls):
            own = {path: self.layer.pop(path) for path in option.paths if path in self.layer}
            self._refuse_both(own, option)
            if option.path not in above:
                self.layer |= self._read(own, option)
        return _nest(self.layer)

    def _refuse_both(self, own: Layer, option: Option) -> None:
        """Report a secret of which both the text and a file with it are given."""
        if len(own) > 1 and all(given.value not in ("", []) for given in own.values()):
            both = message("{key} is given as well - keep one of them", key=option.path[-1])
            self.errors.append(SettingError.at(own[option.file_path].place, option.file_path, both))

    def _read(self, own: Layer, option: Option) -> Layer:
        path = option.paths[-1]
        plain = {option.path: own[option.path]} if option.path in own else {}
        # An empty text is as good as none.
        reads = option.is_secret or option.kind is OptionKind.FILE
        if not reads or path not in own or own[path].value == "":
            return plain
        name, place = own[path].value, own[path].place
        try:
            return {
                option.path: SourcedValue(
                    read_referenced_file(name, option.kind, self._folder), place
                )
            }
        except ValueError as error:
            self.errors.append(SettingError.at(place, path, message_in(error)))
            return plain


def flatten(values: Mapping[str, object], tables: Container[str]) -> dict[KeyPath, object]:
    """Take tables apart into single settings."""
    found: dict[KeyPath, object] = {}
    for key, value in values.items():
        if key in tables and isinstance(value, dict):
            found |= {(key, inner): it for inner, it in value.items()}
        else:
            found[key,] = value
    return found


def _nest(layer: Layer) -> dict[str, object]:
    found: dict[str, Any] = {}
    for (*tables, key), given in layer.items():
        reduce(lambda table, name: table.setdefault(name, {}), tables, found)[key] = given.value
    return found


def read_referenced_file(name: object, kind: OptionKind, folder: Path) -> str | list[str]:
    """Return the secret in a file, or the secrets, one a line; of certificates its full name.

    A relative name starts at `folder`. Raise ValueError if the file cannot be used.
    """
    if not isinstance(name, str):
        raise ValueError(message("expected text in quotes"))  # noqa: TRY004 - a mistake like the others
    file = folder / name
    if kind is OptionKind.SECRET:
        return _secret(file)
    if kind is OptionKind.SECRETS:
        return [line.strip() for line in _secret(file).splitlines() if line.strip()]
    _check_certificates(file)
    return str(file)


def _secret(file: Path) -> str:
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
