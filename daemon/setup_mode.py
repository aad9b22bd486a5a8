"""Setup mode: serve a page about an invalid daemon.toml until it is corrected."""

import asyncio
import os
from datetime import timedelta
from importlib.metadata import version

import structlog
from tzlocal import get_localzone

from core.calendar import utc_now
from core.settings import (
    ConfigError,
    DaemonSettings,
    SettingError,
    get_environment,
    load_setup_settings,
    read_settings,
)
from daemon.cli.exits import print_error
from daemon.cli.options import Options
from daemon.lifecycle import on_signals
from daemon.logs import set_up_logs
from dashboard import WebServer
from dashboard.setup import SetupInfo, build_setup_app

log = structlog.get_logger()

_RELOAD_INTERVAL = timedelta(seconds=2)


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
