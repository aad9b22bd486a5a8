"""Layers of settings: a file's, and the environment's over it. Each value keeps its place."""

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass

from core.settings.mistakes import KeyPath, Mistake, Place
from core.settings.options import Kind, Option


@dataclass(frozen=True, slots=True)
class Given:
    """A value that someone wrote, and where."""

    value: object
    place: Place


Layer = Mapping[KeyPath, Given]
"""What one source gives. A whole table stands in it only where the settings have no such table."""


def flatten(
    raw: Mapping[str, object], tables: Container[str], place_of: Callable[[KeyPath], Place]
) -> Layer:
    """Take the tables of a file apart into single settings."""
    layer: dict[KeyPath, Given] = {}
    for key, value in raw.items():
        if key in tables and isinstance(value, dict):
            inner = {(key, one): it for one, it in value.items()}
            layer |= {path: Given(it, place_of(path)) for path, it in inner.items()}
        else:
            layer[key,] = Given(value, place_of((key,)))
    return layer


def nest(layer: Layer, tables: Sequence[str]) -> dict[str, object]:
    """Put the settings back into tables; a table without any is there too, and empty."""
    found: dict[str, dict[str, object]] = {table: {} for table in tables}
    for path, given in layer.items():
        if len(path) > 1:
            found[path[0]][path[1]] = given.value
    # A number where a table belongs replaces it, and is reported as what it is.
    return {**found, **{path[0]: given.value for path, given in layer.items() if len(path) == 1}}


def overlay(lower: Layer, upper: Layer, options: Sequence[Option]) -> Layer:
    """Put one layer over another: a secret given above in one form hides both forms below."""
    hidden = {
        path
        for option in options
        if any(path in upper for path in option.paths)
        for path in option.paths
    }
    return {**{path: given for path, given in lower.items() if path not in hidden}, **upper}


def is_given(layer: Layer, path: KeyPath) -> bool:
    """Tell whether a key says something: an empty text is as good as none."""
    return path in layer and layer[path].value != ""


def secrets_given_twice(layer: Layer, options: Sequence[Option]) -> list[Mistake]:
    """Find the secrets of which one layer gives both the text and a file with it."""
    return [
        Mistake.at(
            layer[option.file_path].place,
            option.file_path,
            f"{option.path[-1]} is given as well - keep one of them",
        )
        for option in options
        if option.kind is Kind.SECRET and all(is_given(layer, path) for path in option.paths)
    ]
