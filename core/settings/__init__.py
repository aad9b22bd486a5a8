"""Settings: one immutable tree, loaded once at the start from files and environment."""

from core.settings.daemon import (
    DaemonSettings,
    DatabaseSettings,
    LogSettings,
    NotifySettings,
    ProcessorSettings,
    RetentionSettings,
    WebSettings,
)
from core.settings.draft import render_settings
from core.settings.environment import get_environment
from core.settings.errors import ConfigError, SettingError
from core.settings.instance import (
    AiSettings,
    FieldsSettings,
    IndexSettings,
    InstanceSettings,
    LimitsSettings,
    NamesSettings,
    PaperlessSettings,
    RetrySettings,
    ScanSettings,
)
from core.settings.load import (
    Settings,
    load_daemon_settings,
    load_draft,
    load_settings,
    load_setup_settings,
)
from core.settings.values import LogFormat, LogLevel, Reanalyze, Since

__all__ = [
    "AiSettings",
    "ConfigError",
    "DaemonSettings",
    "DatabaseSettings",
    "FieldsSettings",
    "IndexSettings",
    "InstanceSettings",
    "LimitsSettings",
    "LogFormat",
    "LogLevel",
    "LogSettings",
    "NamesSettings",
    "NotifySettings",
    "PaperlessSettings",
    "ProcessorSettings",
    "Reanalyze",
    "RetentionSettings",
    "RetrySettings",
    "ScanSettings",
    "SettingError",
    "Settings",
    "Since",
    "WebSettings",
    "get_environment",
    "load_daemon_settings",
    "load_draft",
    "load_settings",
    "load_setup_settings",
    "render_settings",
]
