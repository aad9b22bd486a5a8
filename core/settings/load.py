"""Load the settings: files below, environment above, and every mistake at once."""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from core.settings.checked import Checked, check_file
from core.settings.daemon import DaemonSettings
from core.settings.environment import read_environment
from core.settings.errors import ConfigMistakes
from core.settings.folder import SettingsFile, find_files, name_mistakes, read_file
from core.settings.instance import DAEMON, InstanceSettings, InstanceTables
from core.settings.sources import FileSettings, Layer
from core.settings.tree import Settings


def load_settings(folder: Path, environ: Mapping[str, str]) -> Settings:
    """Read every settings file of the folder; raise ConfigMistakes with all that is wrong."""
    files = find_files(folder)
    layers, unknown = read_environment(environ, files.keys() - {DAEMON})
    checked = {stem: _check(stem, files.get(stem), layers[stem], folder) for stem in sorted(layers)}
    mistakes = [
        *name_mistakes(folder, files),
        *(mistake for file in checked.values() for mistake in file.mistakes),
        *unknown,
    ]
    if mistakes:
        raise ConfigMistakes(mistakes)
    return _build(checked)


def load_daemon_settings(folder: Path, environ: Mapping[str, str]) -> DaemonSettings:
    """Read what concerns the whole process, whatever the instances look like.

    Raise ConfigMistakes with what is wrong in daemon.toml and in its variables.
    """
    try:
        files = find_files(folder)
    except ConfigMistakes:
        files = {}
    layers, _ = read_environment(environ, files.keys() - {DAEMON})
    checked = _check(DAEMON, files.get(DAEMON), layers[DAEMON], folder)
    if checked.mistakes:
        raise ConfigMistakes(checked.mistakes)
    return DaemonSettings.model_validate(checked.values)


def _check(stem: str, path: Path | None, above: Layer, folder: Path) -> Checked:
    model: type[FileSettings] = DaemonSettings if stem == DAEMON else InstanceTables
    try:
        file = read_file(path) if path else SettingsFile(f"{stem}.toml", {}, {})
    except ConfigMistakes as error:
        return Checked({}, {}, list(error.mistakes))
    return check_file(model, file, above, folder)


def _build(checked: Mapping[str, Checked]) -> Settings:
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
