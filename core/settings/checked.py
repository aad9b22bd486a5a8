"""Check one file's settings together with what the environment says over them."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from core.settings.files import read_files
from core.settings.layers import Layer, flatten, nest, overlay, secrets_given_twice
from core.settings.mistakes import KeyPath, Mistake, Place
from core.settings.options import Option, options_of, tables_of
from core.settings.sources import Source
from core.settings.wording import meant_by, path_of, sentence


@dataclass(frozen=True, slots=True)
class Checked:
    """The values of one file as the settings want them, or what is wrong with them."""

    values: Mapping[str, object]
    origins: Mapping[str, str]
    """`home.toml:7`, a variable's name or `default`, by the path of the setting."""
    mistakes: list[Mistake]


def check_file(model: type[BaseModel], source: Source, above: Layer, folder: Path) -> Checked:
    """Put the environment's layer over the file's, read what they point to, check the whole."""
    options, tables = options_of(model), tables_of(model)
    below = flatten(source.raw, tables, source.place_of)
    layer, unreadable = read_files(overlay(below, above, options), options, folder)
    values = nest(layer, tuple(tables))
    mistakes = [
        *secrets_given_twice(below, options),
        *secrets_given_twice(above, options),
        *unreadable,
        *_invalid(model, values, layer, source),
    ]
    return Checked(values, _origins(layer, options), _in_order(mistakes))


def _invalid(
    model: type[BaseModel], values: Mapping[str, object], layer: Layer, source: Source
) -> list[Mistake]:
    try:
        model.model_validate(values)
    except ValidationError as error:
        errors = _without_echoes(error.errors(), model)
        return [
            Mistake.at(_place(path_of(one), layer, source), path_of(one), sentence(one, model))
            for one in errors
        ]
    return []


def _without_echoes(errors: list[ErrorDetails], model: type[BaseModel]) -> list[ErrorDetails]:
    """Leave out what is missing only because its name was mistyped: that is said already."""
    meant = {meant_by(error, model) for error in errors}
    return [one for one in errors if one["type"] != "missing" or path_of(one) not in meant]


def _place(path: KeyPath, layer: Layer, source: Source) -> Place:
    """Return where a value was written; of what is within one from a file, its own line."""
    if path in layer:
        return layer[path].place
    outer = layer.get(path[:2])
    return outer.place if outer and outer.place.line is None else source.place_of(path)


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
