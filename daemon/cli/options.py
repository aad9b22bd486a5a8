"""Options before the command. A module of its own, because every command loads it."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Options:
    """Folders and log level, as given before the command."""

    config: Path
    data: Path
    log_at_least: str = "debug"
    """Minimum level of log lines, whatever the settings say."""
