"""Settings: one immutable tree, loaded from files and environment, and again when they change."""

from core.settings.daemon import (
    DaemonSettings,
    DatabaseSettings,
    LogSettings,
    NotifySettings,
    ProcessorSettings,
    RetentionSettings,
    WebSettings,
)
from core.settings.diff import (
    SettingsDiff,
    SettingsStatus,
    compare_settings,
    fingerprint,
    keep_until_restart,
    merge_reading,
)
from core.settings.errors import ConfigError, SettingError
from core.settings.files import render_settings
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
    SettingsReading,
    load_daemon_settings,
    load_draft,
    load_settings,
    load_setup_settings,
    read_settings,
)
from core.settings.sources import get_environment
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
    "SettingsDiff",
    "SettingsReading",
    "SettingsStatus",
    "Since",
    "WebSettings",
    "compare_settings",
    "fingerprint",
    "get_environment",
    "keep_until_restart",
    "load_daemon_settings",
    "load_draft",
    "load_settings",
    "load_setup_settings",
    "merge_reading",
    "read_settings",
    "render_settings",
]
