"""The process-wide settings: the tables of `daemon.toml`."""

from datetime import timedelta
from ipaddress import ip_address
from typing import Annotated

from pydantic import (
    Field,
    SecretStr,
    ValidationInfo,
    field_validator,
)

from core.messages import message
from core.notifications import NotificationKind
from core.settings import values
from core.settings.options import FileSettings
from core.settings.values import LogFormat, LogLevel, MessageLanguage, Table


class DatabaseSettings(Table):
    """The database of Paperclerk."""

    url: values.DatabaseUrl = Field(
        SecretStr(""),
        description="`postgresql://user:password@host/name`; empty: SQLite in the data folder.",
    )


class LogSettings(Table):
    """Level and format of the log."""

    level: LogLevel = Field(
        LogLevel.INFO, description='`"debug"`, `"info"`, `"warning"` or `"error"`.'
    )
    format: LogFormat = Field(
        LogFormat.AUTO,
        description='`"text"`, `"logfmt"` or `"json"`; `"auto"`: text on a terminal, else logfmt.',
    )


class WebSettings(Table):
    """The dashboard and its REST API."""

    enabled: bool = Field(
        True,  # noqa: FBT003 - a default
        description="Whether the daemon serves the dashboard.",
    )
    host: values.Host = Field(
        "127.0.0.1",
        description='Address to listen on; `"0.0.0.0"`: every address of this machine.',
    )
    port: Annotated[int, Field(strict=True, ge=0, le=65535)] = Field(
        8484, description="Port to listen on; 0: any free port."
    )
    base_path: values.BasePath = Field(
        "", description='Path under which a proxy serves it, such as `"/clerk"`.'
    )
    public_url: values.DashboardUrl = Field(
        "",
        description=(
            "Address at which people open it, for links in notifications and on the "
            'command line, such as `"https://clerk.example.org"`; empty: the address '
            "it listens on."
        ),
    )
    internal_url: values.DashboardUrl = Field(
        "",
        description=(
            "Address at which Paperless reaches it, for the webhook, such as "
            '`"http://paperclerk:8484"`.'
        ),
    )
    trusted_proxies: values.Networks = Field(
        (),
        description=(
            "Proxies in front, as addresses or networks. Only these proxies' "
            "forwarded headers are trusted."
        ),
    )
    user_header: values.HeaderName = Field(
        "",
        description=(
            "Header in which a trusted proxy names the user it has logged in, such "
            'as `"Remote-User"`. That user has all permissions.'
        ),
    )
    login: bool = Field(
        True,  # noqa: FBT003 - a default
        description=(
            "Whether login is required. Turn it off only if the dashboard can be reached "
            "only from this machine, or only through a trusted proxy."
        ),
    )
    session: values.PositiveDuration = Field(
        timedelta(days=30), description="Sessions expire after this time without activity."
    )

    def public_address(self, port: int | None = None) -> str:
        """Return the address of the dashboard for people; `port` is the actual one, if known."""
        if self.public_url:
            # Some users include the path here, as their browser shows it.
            return self.public_url.removesuffix(self.base_path) + self.base_path
        return self.local_address(port)

    def webhook_address(self, instance: str) -> str:
        """Return the address of an instance's webhook; "" without an `internal_url`."""
        if not self.internal_url:
            return ""
        base = self.internal_url.removesuffix(self.base_path) + self.base_path
        return f"{base}/hooks/paperless/{instance}"

    def local_address(self, port: int | None = None) -> str:
        """Return the address of the dashboard on this machine, without a proxy."""
        listens = ip_address(self.host)
        host = f"[{self.host}]" if listens.version == 6 else self.host
        name = "localhost" if listens.is_unspecified else host
        # With port 0 only the running daemon knows the port; it is in its log.
        return f"http://{name}:{port or self.port or 'PORT'}{self.base_path}"

    @field_validator("user_header")
    @classmethod
    def _check_user_header(cls, name: str, info: ValidationInfo) -> str:
        if name and not info.data.get("trusted_proxies", True):
            raise ValueError(
                message("is accepted only from trusted proxies - list them in trusted_proxies")
            )
        return name

    @field_validator("login")
    @classmethod
    def _check_login(cls, login: bool, info: ValidationInfo) -> bool:  # noqa: FBT001
        is_local = ip_address(info.data.get("host", "127.0.0.1")).is_loopback
        if not login and not is_local and not info.data.get("trusted_proxies", True):
            raise ValueError(
                message(
                    "cannot be off while the dashboard is reachable from the network - set "
                    'host = "127.0.0.1", or list a proxy in trusted_proxies'
                )
            )
        return login


class NotifySettings(Table):
    """Which notifications there are, and where they are sent.

    Without `urls` they are only listed in the dashboard. Notifications never contain document text.
    """

    urls: values.NotificationUrls = Field(
        (),
        description=(
            "Where to send notifications, as "
            "[Apprise](https://appriseit.com/services/) URLs: "
            '`["ntfy://ntfy.sh/my-topic"]`. The addresses are kept secret.'
        ),
    )
    about: tuple[NotificationKind, ...] = Field(
        tuple(kind for kind in NotificationKind if kind is not NotificationKind.DIGEST),
        description=(
            'Which notifications to list and send; there is also `"digest"`, a daily summary.'
        ),
    )
    quiet_hours: values.Hours = Field(
        "",
        description=(
            'No notifications are sent in these hours, such as `"22:00-07:00"`; empty: none. '
            "The list in the dashboard does not wait."
        ),
    )
    digest_at: values.TimeOfDay = Field("08:00", description="When the daily summary is sent.")
    show_titles: bool = Field(
        False,  # noqa: FBT003 - a default
        description="Whether notifications contain the titles of documents.",
    )
    language: MessageLanguage = Field(MessageLanguage.EN, description='`"en"` or `"de"`.')


class ProcessorSettings(Table):
    """How documents are processed."""

    parallel: Annotated[int, Field(strict=True, ge=1, le=32)] = Field(
        1, description="Documents processed at the same time, 1 to 32."
    )


class RetentionSettings(Table):
    """How long finished records are kept. Which documents were processed is kept forever."""

    events: values.PositiveDuration = Field(
        timedelta(days=30), description="Timelines of finished jobs."
    )
    results: values.PositiveDuration = Field(
        timedelta(days=90), description="Analyses of documents."
    )
    partial_results: values.PositiveDuration = Field(
        timedelta(days=14),
        description="Results of the chunks of long documents, and raw responses.",
    )
    jobs: values.PositiveDuration = Field(
        timedelta(days=90), description="Finished jobs and scans."
    )
    changes: values.PositiveDuration = Field(
        timedelta(days=365), description="Written changes; they can be undone for this long."
    )


class DaemonSettings(FileSettings):
    """The process-wide settings: the file `daemon.toml`, which is optional."""

    time_zone: values.TimeZone = Field(
        None, description='IANA name such as `"Europe/Berlin"`; empty: the system\'s.'
    )
    database: DatabaseSettings = DatabaseSettings()
    log: LogSettings = LogSettings()
    processor: ProcessorSettings = ProcessorSettings()
    web: WebSettings = WebSettings()
    notify: NotifySettings = NotifySettings()
    retention: RetentionSettings = RetentionSettings()
