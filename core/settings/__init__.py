"""Settings: one frozen tree, read once at the start from files and environment."""

from core.settings.daemon import (
    DaemonSettings,
    DatabaseSettings,
    LogSettings,
    NotifySettings,
    ProcessorSettings,
    RetentionSettings,
    WebSettings,
)
from core.settings.environment import environment
from core.settings.errors import ConfigMistakes, Mistake
from core.settings.instance import (
    AiSettings,
    FieldsSettings,
    InstanceSettings,
    LimitsSettings,
    NamesSettings,
    PaperlessSettings,
    RetrySettings,
    ScanSettings,
)
from core.settings.load import load_daemon_settings, load_settings
from core.settings.tree import Settings
from core.settings.values import LogFormat, LogLevel, Reanalyze, Since

__all__ = [
    "AiSettings",
    "ConfigMistakes",
    "DaemonSettings",
    "DatabaseSettings",
    "FieldsSettings",
    "InstanceSettings",
    "LimitsSettings",
    "LogFormat",
    "LogLevel",
    "LogSettings",
    "Mistake",
    "NamesSettings",
    "NotifySettings",
    "PaperlessSettings",
    "ProcessorSettings",
    "Reanalyze",
    "RetentionSettings",
    "RetrySettings",
    "ScanSettings",
    "Settings",
    "Since",
    "WebSettings",
    "environment",
    "load_daemon_settings",
    "load_settings",
]
