"""Check one file's settings together with what the environment says over them."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from core.settings.errors import KeyPath, Mistake, Place
from core.settings.folder import SettingsFile
from core.settings.options import Option, options_of, tables_of
from core.settings.sources import FileSettings, Given, Layer, LayerSource, flatten
from core.settings.wording import describe, meant_by, path_of


@dataclass(frozen=True, slots=True)
class Checked:
    """The values of one file as the settings want them, or what is wrong with them."""

    values: Mapping[str, object]
    origins: Mapping[str, str]
    """`home.toml:7`, a variable's name or `default`, by the path of the setting."""
    mistakes: list[Mistake]


def check_file(
    model: type[FileSettings], file: SettingsFile, above: Layer, folder: Path
) -> Checked:
    """Build the settings of a file from what stands in it and the environment's layer above."""
    raw = flatten(file.raw, tables_of(model))
    below = {path: Given(value, file.place_of(path)) for path, value in raw.items()}
    upper, lower = LayerSource(model, above, folder), LayerSource(model, below, folder)
    values, errors = _build(model, upper, lower)
    layer = {**lower.layer, **upper.layer}
    invalid = [
        Mistake.at(_place(path_of(one), layer, file), path_of(one), describe(one, model))
        for one in errors
    ]
    mistakes = _in_order([*upper.mistakes, *lower.mistakes, *invalid])
    return Checked(values, _origins(layer, options_of(model)), mistakes)


def _build(
    model: type[FileSettings], upper: LayerSource, lower: LayerSource
) -> tuple[Mapping[str, object], list[ErrorDetails]]:
    # A number where a table belongs goes on top: variables must not hide that mistake.
    no_tables = {key: lower.layer[key,].value for key in tables_of(model) if (key,) in lower.layer}
    try:
        return dict(model(upper, lower, **no_tables)), []
    except ValidationError as error:
        return {}, _without_echoes(error.errors(), model)


def _without_echoes(errors: list[ErrorDetails], model: type[BaseModel]) -> list[ErrorDetails]:
    """Leave out what is missing only because its name was mistyped: that is said already."""
    meant = {meant_by(error, model) for error in errors}
    return [one for one in errors if one["type"] != "missing" or path_of(one) not in meant]


def _place(path: KeyPath, layer: Layer, file: SettingsFile) -> Place:
    """Return where a value was written; of what is within one from a file, its own line."""
    if path in layer:
        return layer[path].place
    outer = layer.get(path[:2])
    return outer.place if outer and outer.place.line is None else file.place_of(path)


def _origins(layer: Layer, options: tuple[Option, ...]) -> dict[str, str]:
    return {
        ".".join(option.path): str(layer[option.path].place) if option.path in layer else "default"
        for option in options
    }


def _in_order(mistakes: list[Mistake]) -> list[Mistake]:
    """Sort by line, the environment's last; one mistake is enough for a setting."""
    first: dict[str, Mistake] = {}
    for mistake in mistakes:
        first.setdefault(mistake.path.removesuffix("_file"), mistake)
    return sorted(first.values(), key=lambda one: (one.line is None, one.line or 0, one.path))
