"""Sources of settings: files and environment as layers, with the place of every value.

A value may name a file that contains the secret. Renamed settings are accepted with a warning.
"""

import json
import os
import re
import ssl
from collections.abc import Collection, Container, Iterable, Mapping
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import Any, TypeAlias

from pydantic import BaseModel
from pydantic_settings import InitSettingsSource

from core.messages import Message, closest_match, did_you_mean, message, message_in
from core.settings.daemon import DaemonSettings
from core.settings.errors import KeyPath, SettingError, SettingSource
from core.settings.instance import DAEMON, InstanceTables
from core.settings.options import FileSettings, Option, OptionKind, list_options, list_tables

PREFIX = "PAPERCLERK_"
UNKNOWN = ""
"""Stands for the file of variables that belong to none."""
_FOLDERS = frozenset({"PAPERCLERK_CONFIG", "PAPERCLERK_DATA"})
# Kubernetes sets these in every container for a service called "paperclerk".
_SERVICE_LINK = re.compile(f"{PREFIX}(SERVICE_HOST|SERVICE_PORT(_\\w+)?|PORT(_[0-9]+_\\w+)?)")
Layer: TypeAlias = Mapping[KeyPath, "SourcedValue"]
"""The values of one source by path; a table is a value only if the settings have no such table."""
Renames: TypeAlias = Mapping[KeyPath, KeyPath]
"""The present path of a setting by its former one, in the same file."""
RENAMED: Renames = {}
"""The settings renamed in this major version: `("scan", "every"): ("scan", "cron")`.

The next major version removes the entries, and with them refuses the former names.
"""


@dataclass(frozen=True, slots=True)
class SourcedValue:
    """A value, and where it was written."""

    value: object
    place: SettingSource


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


def get_environment() -> Mapping[str, str]:
    """Return a copy of the environment of this process."""
    return dict(os.environ)  # noqa: TID251 - the only place that reads it


def variable_name(file: str, path: KeyPath) -> str:
    """Return the variable of a key in an instance's file or, for "daemon", in daemon.toml."""
    owner = "" if file == DAEMON else file.upper().replace("-", "_") + "_"
    return PREFIX + owner + "__".join(path).upper()


def read_environment(
    environ: Mapping[str, str], instances: Collection[str], *, renames: Renames = RENAMED
) -> tuple[dict[str, dict[KeyPath, SourcedValue]], dict[str, list[SettingError]]]:
    """Return the values of the variables and the errors in them, both by file.

    The errors of variables that belong to no file are listed under UNKNOWN. Before the first
    instance is set up, variables of any instance are valid.
    """
    known = _known_variables(instances, renames)
    layers: dict[str, dict[KeyPath, SourcedValue]] = {
        meaning.file: {} for meaning in known.values()
    }
    errors: dict[str, list[SettingError]] = {file: [] for file in (*layers, UNKNOWN)}
    for name, text in sorted(_own_variables(environ).items()):
        place, meaning = SettingSource(name), known.get(name)
        if meaning is None:
            if not instances and _find_instance(name) is not None:
                continue
            errors[UNKNOWN].append(SettingError.at(place, (), _describe_unknown(name, known)))
            continue
        try:
            layers[meaning.file][meaning.path] = SourcedValue(
                _parse_variable(text, meaning.kind), place
            )
        except ValueError as error:
            errors[meaning.file].append(SettingError.at(place, meaning.path, message_in(error)))
    return layers, errors


def use_present_names(layer: Layer, renames: Renames) -> tuple[Layer, list[SettingError]]:
    """Return the layer under the present names, and a warning for each former one.

    If both names are given, the value under the present one is used.
    """
    translated: dict[KeyPath, SourcedValue] = {}
    warnings: list[SettingError] = []
    for path, given in layer.items():
        present = renames.get(path)
        if present is None:
            translated[path] = given
            continue
        if present not in layer:
            translated[present] = given
        text = message(
            "was renamed to {name} - the old name is accepted until the next major version",
            name=".".join(present),
        )
        warnings.append(SettingError.at(given.place, path, text))
    return translated, warnings


def renames_in(model: type[BaseModel], renames: Renames) -> Renames:
    """Return the renamed settings of one kind of file."""
    present = {path for option in list_options(model) for path in option.paths}
    return {former: path for former, path in renames.items() if path in present}


def flatten(values: Mapping[str, object], tables: Container[str]) -> dict[KeyPath, object]:
    """Return the values by path, with tables split into their keys."""
    found: dict[KeyPath, object] = {}
    for key, value in values.items():
        if key in tables and isinstance(value, dict):
            found |= {(key, inner): nested for inner, nested in value.items()}
        else:
            found[key,] = value
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


@dataclass(frozen=True, slots=True)
class _VariableTarget:
    """The setting that a variable sets."""

    file: str
    path: KeyPath
    kind: OptionKind


def _known_variables(instances: Iterable[str], renames: Renames) -> dict[str, _VariableTarget]:
    files: dict[str, type[BaseModel]] = dict.fromkeys(instances, InstanceTables)
    files[DAEMON] = DaemonSettings
    return {
        variable_name(file, path): _VariableTarget(file, path, kind)
        for file, model in files.items()
        for path, kind in _list_kinds(model, renames).items()
    }


def _list_kinds(model: type[BaseModel], renames: Renames) -> dict[KeyPath, OptionKind]:
    """Return how the value of each key is read, also of keys by their former names."""
    kinds = {
        path: OptionKind.TEXT if path == option.file_path else option.kind
        for option in list_options(model)
        for path in option.paths
    }
    former = renames_in(model, renames)
    return kinds | {path: kinds[present] for path, present in former.items()}


def _own_variables(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that are settings; compose files set unused ones to empty."""
    return {
        name: text.strip()
        for name, text in environ.items()
        if name.startswith(PREFIX)
        and text.strip()
        and name not in _FOLDERS
        and not _SERVICE_LINK.fullmatch(name)
    }


def _find_instance(name: str) -> str | None:
    """Return the instance whose setting a variable names; None if it names no such setting."""
    for option in list_options(InstanceTables):
        for path in option.paths:
            ending = "_" + variable_name(DAEMON, path).removeprefix(PREFIX)
            if name.endswith(ending) and len(name) > len(PREFIX + ending):
                return name.removeprefix(PREFIX).removesuffix(ending).lower()
    return None


def _describe_unknown(name: str, known: Iterable[str]) -> Message:
    if (instance := _find_instance(name)) is not None:
        return message("unknown variable - there is no {name}.toml", name=instance)
    # Compared without the common prefix, which would make all names similar.
    endings = {variable.removeprefix(PREFIX): variable for variable in (*known, *_FOLDERS)}
    guess = closest_match(name.removeprefix(PREFIX), endings)
    unknown = message("unknown variable")
    return did_you_mean(unknown, endings[guess]) if guess else unknown


def _parse_variable(text: str, kind: OptionKind) -> object:
    """Return the text of a variable as the value that TOML would have."""
    match kind:
        case OptionKind.LIST if not text.startswith("["):
            return [part.strip() for part in text.split(",") if part.strip()]
        case OptionKind.SECRETS if not text.startswith("["):
            # Not split by commas, which an address may contain.
            return text.split()
        case OptionKind.LIST | OptionKind.SECRETS | OptionKind.TABLE:
            return _parse_json(text)
        case OptionKind.NUMBER if re.fullmatch("[+-]?[0-9]+", text):
            return int(text)
        case _:
            return text


def _parse_json(text: str) -> object:
    try:
        return json.loads(text)
    except ValueError:
        raise ValueError(message("is not valid JSON")) from None


def _nest(layer: Layer) -> dict[str, object]:
    found: dict[str, Any] = {}
    for (*tables, key), given in layer.items():
        reduce(lambda table, name: table.setdefault(name, {}), tables, found)[key] = given.value
    return found


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
