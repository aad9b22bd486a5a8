"""Read settings from environment variables, and report unknown ones."""

import json
import os
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from pydantic import BaseModel

from core.messages import Message, closest_match, did_you_mean, message, message_in
from core.settings.daemon import DaemonSettings
from core.settings.errors import KeyPath, SettingError, SettingSource
from core.settings.instance import DAEMON, InstanceTables
from core.settings.options import OptionKind, list_options
from core.settings.renamed import RENAMED, Renames, renames_in
from core.settings.sources import SourcedValue

PREFIX = "PAPERCLERK_"
UNKNOWN = ""
"""Stands for the file of variables that belong to none."""
_FOLDERS = frozenset({"PAPERCLERK_CONFIG", "PAPERCLERK_DATA"})
# Kubernetes sets these in every container for a service called "paperclerk".
_SERVICE_LINK = re.compile(f"{PREFIX}(SERVICE_HOST|SERVICE_PORT(_\\w+)?|PORT(_[0-9]+_\\w+)?)")


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
            layers[meaning.file][meaning.path] = SourcedValue(_parse(text, meaning.kind), place)
        except ValueError as error:
            errors[meaning.file].append(SettingError.at(place, meaning.path, message_in(error)))
    return layers, errors


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


def _parse(text: str, kind: OptionKind) -> object:
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
