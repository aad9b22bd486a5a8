"""Load the settings: files below, environment above, and every error at once."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from core.settings.daemon import DaemonSettings
from core.settings.environment import read_environment
from core.settings.errors import ConfigError, KeyPath, SettingError, SettingSource
from core.settings.files import SettingsFile, check_file_names, find_files, read_file
from core.settings.instance import DAEMON, InstanceSettings, InstanceTables
from core.settings.options import Option, list_options, list_tables
from core.settings.sources import FileSettings, Layer, LayerSource, SourcedValue, flatten
from core.settings.tree import Settings
from core.settings.wording import describe, error_path, guess_path

# A variable makes pydantic-settings log every value that a source gives, secrets among them.
logging.getLogger("pydantic_settings").setLevel(logging.INFO)


@dataclass(frozen=True, slots=True)
class CheckedFile:
    """The values of one file as the settings want them, or what is wrong with them."""

    values: Mapping[str, object]
    origins: Mapping[str, str]
    """`home.toml:7`, a variable's name or `default`, by the path of the setting."""
    errors: list[SettingError]


def check_file(
    model: type[FileSettings], file: SettingsFile, above: Layer, folder: Path
) -> CheckedFile:
    """Build the settings of a file from what stands in it and the environment's layer above."""
    raw = flatten(file.raw, list_tables(model))
    below = {path: SourcedValue(value, file.source_of(path)) for path, value in raw.items()}
    upper, lower = LayerSource(model, above, folder), LayerSource(model, below, folder)
    values, errors = _build_table(model, upper, lower)
    layer = {**lower.layer, **upper.layer}
    invalid = [
        SettingError.at(_place(error_path(one), layer, file), error_path(one), describe(one, model))
        for one in errors
    ]
    mistakes = _in_order([*upper.errors, *lower.errors, *invalid])
    return CheckedFile(values, _origins(layer, list_options(model)), mistakes)


def _build_table(
    model: type[FileSettings], upper: LayerSource, lower: LayerSource
) -> tuple[Mapping[str, object], list[ErrorDetails]]:
    # A number where a table belongs goes on top: variables must not hide that mistake.
    no_tables = {
        key: lower.layer[key,].value for key in list_tables(model) if (key,) in lower.layer
    }
    try:
        return dict(model(upper, lower, **no_tables)), []
    except ValidationError as error:
        return {}, _without_echoes(error.errors(), model)


def _without_echoes(errors: list[ErrorDetails], model: type[BaseModel]) -> list[ErrorDetails]:
    """Leave out what is missing only because its name was mistyped: that is said already."""
    meant = {guess_path(error, model) for error in errors}
    return [one for one in errors if one["type"] != "missing" or error_path(one) not in meant]


def _place(path: KeyPath, layer: Layer, file: SettingsFile) -> SettingSource:
    """Return where a value was written; of what is within one from a file, its own line."""
    if path in layer:
        return layer[path].place
    outer = layer.get(path[:2])
    return outer.place if outer and outer.place.line is None else file.source_of(path)


def _origins(layer: Layer, options: tuple[Option, ...]) -> dict[str, str]:
    return {
        ".".join(option.path): str(layer[option.path].place) if option.path in layer else "default"
        for option in options
    }


def _in_order(mistakes: list[SettingError]) -> list[SettingError]:
    """Sort by line, the environment's last; one mistake is enough for a setting."""
    first: dict[str, SettingError] = {}
    for mistake in mistakes:
        first.setdefault(mistake.path.removesuffix("_file"), mistake)
    return sorted(first.values(), key=lambda one: (one.line is None, one.line or 0, one.path))


def load_settings(folder: Path, environ: Mapping[str, str]) -> Settings:
    """Read every settings file of the folder; raise ConfigMistakes with all that is wrong."""
    files = find_files(folder)
    layers, unknown = read_environment(environ, files.keys() - {DAEMON})
    checked = {stem: _check(stem, files.get(stem), layers[stem], folder) for stem in sorted(layers)}
    mistakes = [
        *check_file_names(folder, files),
        *(mistake for file in checked.values() for mistake in file.errors),
        *unknown,
    ]
    if mistakes:
        raise ConfigError(mistakes)
    return _build(checked)


def load_daemon_settings(folder: Path, environ: Mapping[str, str]) -> DaemonSettings:
    """Read what concerns the whole process, whatever the instances look like.

    Raise ConfigMistakes with what is wrong in daemon.toml and in its variables.
    """
    try:
        files = find_files(folder)
    except ConfigError:
        files = {}
    layers, _ = read_environment(environ, files.keys() - {DAEMON})
    checked = _check(DAEMON, files.get(DAEMON), layers[DAEMON], folder)
    if checked.errors:
        raise ConfigError(checked.errors)
    return DaemonSettings.model_validate(checked.values)


def _check(stem: str, path: Path | None, above: Layer, folder: Path) -> CheckedFile:
    model: type[FileSettings] = DaemonSettings if stem == DAEMON else InstanceTables
    try:
        file = read_file(path) if path else SettingsFile(f"{stem}.toml", {}, {})
    except ConfigError as error:
        return CheckedFile({}, {}, list(error.errors))
    return check_file(model, file, above, folder)


def _build(checked: Mapping[str, CheckedFile]) -> Settings:
    """Build the tree from values that were found to be good."""
    instances = {
        stem: InstanceSettings.model_validate({**file.values, "name": stem})
        for stem, file in checked.items()
        if stem != DAEMON
    }
    origins = {
        f"{stem}.{path}": origin
        for stem, file in checked.items()
        for path, origin in file.origins.items()
    }
    daemon = DaemonSettings.model_validate(checked[DAEMON].values)
    return Settings(MappingProxyType(instances), daemon, MappingProxyType(origins))
