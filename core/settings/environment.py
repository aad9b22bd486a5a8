"""Settings from the environment: which variable means what, and how its text is read."""

import json
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from pydantic import BaseModel

from core.messages import Message, message, message_in
from core.settings.daemon import DaemonSettings
from core.settings.errors import KeyPath, SettingError, SettingSource, closest_match, did_you_mean
from core.settings.instance import DAEMON, InstanceTables
from core.settings.options import OptionKind, list_options
from core.settings.sources import SourcedValue

PREFIX = "PAPERCLERK_"
_FOLDERS = frozenset({"PAPERCLERK_CONFIG", "PAPERCLERK_DATA"})
# Kubernetes tells every container about a service called "paperclerk" in these.
_SERVICE_LINK = re.compile(f"{PREFIX}(SERVICE_HOST|SERVICE_PORT(_\\w+)?|PORT(_[0-9]+_\\w+)?)")


def get_environment() -> Mapping[str, str]:
    """Return the environment of this process: the one place that looks at it."""
    return dict(os.environ)  # noqa: TID251 - the environment's one door


def variable_name(file: str, path: KeyPath) -> str:
    """Name the variable of a key in the file of an instance or, for "daemon", in daemon.toml."""
    owner = "" if file == DAEMON else file.upper().replace("-", "_") + "_"
    return PREFIX + owner + "__".join(path).upper()


def read_environment(
    environ: Mapping[str, str], instances: Iterable[str]
) -> tuple[dict[str, dict[KeyPath, SourcedValue]], list[SettingError]]:
    """Sort the variables into one layer per file; report those that mean nothing."""
    known = _known_variables(instances)
    layers: dict[str, dict[KeyPath, SourcedValue]] = {
        meaning.file: {} for meaning in known.values()
    }
    mistakes: list[SettingError] = []
    for name, text in sorted(_own_variables(environ).items()):
        place, meaning = SettingSource(name), known.get(name)
        if meaning is None:
            mistakes.append(SettingError.at(place, (), _unknown(name, known)))
            continue
        try:
            layers[meaning.file][meaning.path] = SourcedValue(_read(text, meaning.kind), place)
        except ValueError as error:
            mistakes.append(SettingError.at(place, meaning.path, message_in(error)))
    return layers, mistakes


@dataclass(frozen=True, slots=True)
class _VariableTarget:
    """What a variable stands for."""

    file: str
    path: KeyPath
    kind: OptionKind


def _known_variables(instances: Iterable[str]) -> dict[str, _VariableTarget]:
    files: dict[str, type[BaseModel]] = dict.fromkeys(instances, InstanceTables)
    files[DAEMON] = DaemonSettings
    return {
        variable_name(file, path): _VariableTarget(
            file, path, OptionKind.TEXT if path == option.file_path else option.kind
        )
        for file, model in files.items()
        for option in list_options(model)
        for path in option.paths
    }


def _own_variables(environ: Mapping[str, str]) -> dict[str, str]:
    """Pick the variables that are settings; an empty one counts as unset, as compose makes them."""
    return {
        name: text.strip()
        for name, text in environ.items()
        if name.startswith(PREFIX)
        and text.strip()
        and name not in _FOLDERS
        and not _SERVICE_LINK.fullmatch(name)
    }


def _unknown(name: str, known: Iterable[str]) -> Message:
    for option in list_options(InstanceTables):
        for path in option.paths:
            ending = "_" + variable_name(DAEMON, path).removeprefix(PREFIX)
            if name.endswith(ending) and len(name) > len(PREFIX + ending):
                instance = name.removeprefix(PREFIX).removesuffix(ending).lower()
                return message("unknown variable - there is no {name}.toml", name=instance)
    # Compared without what all have in common, or everything would look alike.
    endings = {one.removeprefix(PREFIX): one for one in (*known, *_FOLDERS)}
    guess = closest_match(name.removeprefix(PREFIX), endings)
    unknown = message("unknown variable")
    return did_you_mean(unknown, endings[guess]) if guess else unknown


def _read(text: str, kind: OptionKind) -> object:
    """Turn a variable's text into what the same setting would be in TOML."""
    match kind:
        case OptionKind.LIST if not text.startswith("["):
            return [part.strip() for part in text.split(",") if part.strip()]
        case OptionKind.SECRETS if not text.startswith("["):
            # Not by commas: an address may have some.
            return text.split()
        case OptionKind.LIST | OptionKind.SECRETS | OptionKind.TABLE:
            return _read_json(text)
        case OptionKind.NUMBER if re.fullmatch("[+-]?[0-9]+", text):
            return int(text)
        case _:
            return text


def _read_json(text: str) -> object:
    try:
        return json.loads(text)
    except ValueError:
        raise ValueError(message("is not valid JSON")) from None
