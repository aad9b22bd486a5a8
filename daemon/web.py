"""Build the dashboard of a daemon: its app context, server and first password link.

If daemon.toml is invalid, serve the setup page until it is corrected.
"""

import asyncio
import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from importlib.metadata import version

import structlog
from tzlocal import get_localzone

from core.calendar import utc_now
from core.settings import (
    ConfigError,
    DaemonSettings,
    SettingError,
    SettingsStatus,
    get_environment,
    load_setup_settings,
    read_settings,
)
from daemon.check import build_connection_tests, check_reachability
from daemon.cli.arguments import Options
from daemon.cli.exits import print_error
from daemon.context import Context
from daemon.lifecycle import on_signals
from daemon.logs import set_up_logs
from daemon.services import Services
from dashboard import AppContext, Liveness, WebServer, build_app
from dashboard.auth.login import create_first_link
from dashboard.auth.sessions import Authenticator
from dashboard.context import StartCheck
from dashboard.invalid_settings import SetupInfo, build_setup_app

log = structlog.get_logger()

_RELOAD_INTERVAL = timedelta(seconds=2)


@dataclass(frozen=True, slots=True)
class PasswordLink:
    """The link for choosing the first password."""

    link: str | None
    """None if it was printed at an earlier start: only its hash is stored."""
    until: datetime


class _SetupMode:
    """Serves the page and reloads the settings until they are valid."""

    def __init__(self, options: Options, daemon: DaemonSettings, error: ConfigError) -> None:
        self._options = options
        self._errors = error.errors
        self._stop = asyncio.Event()
        self._is_valid = False
        info = SetupInfo(
            folder=str(options.config),
            errors=lambda: self._errors,
            clock=utc_now,
            zone=daemon.time_zone or get_localzone(),
            version=version("paperclerk"),
        )
        app = build_setup_app(info, base_path=daemon.web.base_path)
        # Printed before the port is opened: if that fails too, both errors are shown.
        print_error(error)
        self._web = WebServer(app, host=daemon.web.host, port=daemon.web.port)

    async def wait(self) -> bool:
        log.warning(
            "settings cannot be used",
            mistakes=len(self._errors),
            web=f"{self._web.host}:{self._web.port}",
            hint="the daemon starts by itself once they are corrected",
        )
        with on_signals(self._stop.set, insist=lambda: os._exit(130)):
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self._web.serve(self._stop))
                tasks.create_task(self._reload())
        return self._is_valid

    async def _reload(self) -> None:
        while not self._stop.is_set():
            # In a thread, because a network disk may be slow.
            self._errors = await asyncio.to_thread(_find_errors, self._options)
            if not self._errors:
                self._is_valid = True
                self._stop.set()
            try:
                async with asyncio.timeout(_RELOAD_INTERVAL.total_seconds()):
                    await self._stop.wait()
            except TimeoutError:
                continue


def build_app_context(
    services: Services,
    *,
    processor_silent: Callable[[], timedelta],
    ring: Callable[[], None],
    stopping: asyncio.Event,
    start_check: StartCheck | None = None,
) -> AppContext:
    """Build the context that the dashboard and the notifier share."""
    context = services.context
    return AppContext(
        settings=context.settings,
        store=context.store,
        instances=services.instances,
        clock=context.clock,
        zone=context.zone,
        version=version("paperclerk"),
        liveness=Liveness(context.clock(), processor_silent),
        wake=ring,
        scanners=services.scanners,
        connection_tests=build_connection_tests(services),
        check_reachability=partial(check_reachability, services),
        stopping=stopping,
        start_check=start_check,
    )


def update_app_context(
    former: AppContext, services: Services, status: SettingsStatus
) -> AppContext:
    """Return the context by the current settings."""
    return replace(
        former,
        settings=services.context.settings,
        instances=services.instances,
        zone=services.context.zone,
        scanners=services.scanners,
        settings_status=status,
    )


def open_web_server(context: AppContext, current: Callable[[], AppContext]) -> WebServer | None:
    """Open the dashboard's port; return None if the dashboard is off. Raise CannotListen.

    `current` returns the context by the current settings.
    """
    web = context.settings.daemon.web
    if not web.enabled:
        return None
    app = build_app(context, Authenticator(context), current=current)
    return WebServer(app, host=web.host, port=web.port)


async def issue_password_link(context: Context, *, port: int) -> PasswordLink | None:
    """Return the link for choosing a password; issue one only if no link is valid.

    Return None if a password is set or not needed.
    """
    settings = context.settings.daemon.web
    if not settings.login or settings.user_header:
        return None
    if await context.store.access.get_password_hash() is not None:
        return None
    link, until = await create_first_link(
        context.store, settings.public_address(port), now=context.clock()
    )
    return PasswordLink(link, until)


async def wait_for_valid_settings(options: Options) -> bool:
    """Wait until daemon.toml and the environment are valid; return False if stopped before.

    Meanwhile, serve a page that lists the errors; while daemon.toml is invalid, at the default
    address or that of the environment. Errors in the files of instances do not stop the start:
    the dashboard shows them. Raise ConfigError if the dashboard is off; raise CannotListen if the
    port is taken.
    """
    errors = _find_errors(options)
    if not errors:
        return True
    error = ConfigError(errors)
    try:
        daemon = load_setup_settings(options.config, get_environment())
    except ConfigError:
        raise error from None
    if not daemon.web.enabled:
        raise error
    set_up_logs(daemon.log, at_least=options.log_at_least)
    return await _SetupMode(options, daemon, error).wait()


def _find_errors(options: Options) -> tuple[SettingError, ...]:
    """Return all errors if they prevent the start; without a dashboard, every error does."""
    try:
        reading = read_settings(options.config, get_environment())
        settings = reading.without_invalid()
        if settings.daemon.web.enabled:
            # An instance can be set up or corrected while the daemon runs.
            return ()
        if not reading.errors:
            settings.require_instances()
    except ConfigError as error:
        return error.errors
    return reading.errors
