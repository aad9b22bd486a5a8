"""Settings that were renamed: their former names are accepted with a warning."""

from collections.abc import Mapping
from typing import TypeAlias

from pydantic import BaseModel

from core.messages import message
from core.settings.errors import KeyPath, SettingError
from core.settings.options import list_options
from core.settings.sources import Layer, SourcedValue

Renames: TypeAlias = Mapping[KeyPath, KeyPath]
"""The present path of a setting by its former one, in the same file."""

RENAMED: Renames = {}
"""The settings renamed in this major version: `("scan", "every"): ("scan", "cron")`.

The next major version removes the entries, and with them refuses the former names.
"""


def renames_in(model: type[BaseModel], renames: Renames) -> Renames:
    """Return the renamed settings of one kind of file."""
    present = {path for option in list_options(model) for path in option.paths}
    return {former: path for former, path in renames.items() if path in present}


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
