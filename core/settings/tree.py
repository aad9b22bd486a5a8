"""The tree of settings: one instance's after the other, and what is process-wide."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from core.settings.daemon import DaemonSettings
from core.settings.instance import InstanceSettings


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that was set, and where: the one tree, read once at the start."""

    instances: Mapping[str, InstanceSettings]
    daemon: DaemonSettings
    origins: Mapping[str, str] = field(default_factory=dict)
    """`home.toml:7`, a variable's name or `default`, by `home.ai.model` or `daemon.log.level`."""
