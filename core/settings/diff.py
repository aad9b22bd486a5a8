"""Compare two states of the settings, and decide which changes can be applied."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import reduce
from types import MappingProxyType

from pydantic import BaseModel

from core.documents import content_hash
from core.settings.daemon import DaemonSettings
from core.settings.errors import SettingError
from core.settings.instance import DAEMON, InstanceSettings, InstanceTables
from core.settings.load import Settings, SettingsReading
from core.settings.options import OptionKind, list_options

_SHARED_KINDS = frozenset(OptionKind) - {OptionKind.SECRET, OptionKind.SECRETS, OptionKind.FILE}
_FIXED_TABLES = ("database", "web")
"""Tables of daemon.toml that are used only at the start."""


@dataclass(frozen=True, slots=True)
class SettingsDiff:
    """How the files differ from the current settings."""

    added: tuple[str, ...] = ()
    """Names of instances."""
    changed: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The changed keys, such as `scan.cron`, by instance."""
    removed: tuple[str, ...] = ()
    daemon: tuple[str, ...] = ()
    """The changed keys of daemon.toml."""
    needs_restart: tuple[str, ...] = ()
    """Changed keys that are applied at the next start, such as `home.paperless.url`."""

    @property
    def is_empty(self) -> bool:
        """Return whether nothing can be applied now."""
        return not (self.added or self.changed or self.removed or self.daemon)

    @property
    def keys(self) -> tuple[str, ...]:
        """Return the changed keys with the names of their files."""
        of_instances = (f"{name}.{key}" for name, keys in self.changed.items() for key in keys)
        return (*of_instances, *(f"{DAEMON}.{key}" for key in self.daemon))


@dataclass(frozen=True, slots=True)
class SettingsStatus:
    """What a person should know about the settings of a running process."""

    errors: tuple[SettingError, ...] = ()
    """Errors in the files; the former settings of these files are in effect."""
    invalid: frozenset[str] = frozenset()
    """The stems of the files with an error."""
    needs_restart: tuple[str, ...] = ()
    last: SettingsDiff | None = None
    """The changes that were applied last; None if there were none since the start."""
    last_at: datetime | None = None


def fingerprint(settings: Settings) -> str:
    """Return a hash of the settings of all instances, to compare processes on several machines.

    Secrets and paths of files are left out.
    """
    known = {
        f"{name}.{'.'.join(option.path)}": repr(reduce(getattr, option.path, tree))
        for name, tree in settings.instances.items()
        for option in list_options(InstanceTables)
        if option.kind in _SHARED_KINDS
    }
    return content_hash("\n".join(f"{key} = {value}" for key, value in sorted(known.items())))[:16]


def merge_reading(reading: SettingsReading, current: Settings) -> Settings:
    """Return the settings of the files; for a file with an error, the current ones."""
    kept = {name: tree for name, tree in current.instances.items() if name in reading.invalid}
    of_kept = tuple(f"{stem}." for stem in reading.invalid)
    origins = {key: at for key, at in current.origins.items() if key.startswith(of_kept)}
    return Settings(
        MappingProxyType(dict(sorted((*reading.instances.items(), *kept.items())))),
        current.daemon if reading.daemon is None else reading.daemon,
        MappingProxyType({**reading.origins, **origins}),
        reading.folder,
        reading.warnings,
    )


def compare_settings(current: Settings, wanted: Settings) -> SettingsDiff:
    """Compare the current settings with those of the files."""
    possible = keep_until_restart(current, wanted)
    fixed = [
        f"{DAEMON}.{key}" for key in _differences(possible.daemon, wanted.daemon, DaemonSettings)
    ]
    changed = {}
    for name, tree in possible.instances.items():
        if name in current.instances:
            fixed += [
                f"{name}.{key}"
                for key in _differences(tree, wanted.instances[name], InstanceTables)
            ]
            if keys := tuple(_differences(current.instances[name], tree, InstanceTables)):
                changed[name] = keys
    return SettingsDiff(
        added=tuple(name for name in wanted.instances if name not in current.instances),
        changed=changed,
        removed=tuple(name for name in current.instances if name not in wanted.instances),
        daemon=tuple(_differences(current.daemon, possible.daemon, DaemonSettings)),
        needs_restart=tuple(fixed),
    )


def keep_until_restart(current: Settings, wanted: Settings) -> Settings:
    """Return the wanted settings without the changes that need a restart."""
    fixed = {table: getattr(current.daemon, table) for table in _FIXED_TABLES}
    instances = {
        name: _keep_address(current.instances.get(name), tree)
        for name, tree in wanted.instances.items()
    }
    return replace(
        wanted,
        instances=MappingProxyType(instances),
        daemon=wanted.daemon.model_copy(update=fixed),
    )


def _keep_address(current: InstanceSettings | None, wanted: InstanceSettings) -> InstanceSettings:
    """Keep the whole table if the address changes: a token is only for the address beside it."""
    if current is None or current.paperless.url == wanted.paperless.url:
        return wanted
    return wanted.model_copy(update={"paperless": current.paperless})


def _differences(before: BaseModel, after: BaseModel, model: type[BaseModel]) -> Iterator[str]:
    """Yield the keys whose values differ."""
    for option in list_options(model):
        if reduce(getattr, option.path, before) != reduce(getattr, option.path, after):
            yield ".".join(option.path)
