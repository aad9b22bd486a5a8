"""Help while the settings cannot be used: a page that tells what is wrong, until it is mended."""

import asyncio
import os
from datetime import timedelta
from importlib.metadata import version

import structlog
from tzlocal import get_localzone

from core.clock import utc_now
from core.settings import (
    ConfigError,
    DaemonSettings,
    SettingError,
    get_environment,
    load_daemon_settings,
    load_settings,
)
from daemon.cli.exits import print_error
from daemon.cli.options import Options
from daemon.lifecycle import on_signals
from daemon.logs import set_up_logs
from dashboard import WebServer
from dashboard.setup import SetupInfo, build_setup_app

log = structlog.get_logger()

_LOOK_AGAIN = timedelta(seconds=2)


async def wait_for_valid_settings(options: Options) -> bool:
    """Wait until the settings can be used; False if we were told to stop before.

    Meanwhile a page tells what is wrong with them. Raise ConfigMistakes if no page can be served:
    the owner wants none, or does not say rightly where; CannotListen if the port is taken.
    """
    wrong = _look(options)
    if not wrong:
        return True
    error = ConfigError(wrong)
    try:
        daemon = load_daemon_settings(options.config, get_environment())
    except ConfigError:
        raise error from None
    if not daemon.web.enabled:
        raise error
    set_up_logs(daemon.log, at_least=options.log_at_least)
    return await _Waiting(options, daemon, error).until_right()


class _Waiting:
    """Serves the page, and looks at the files again and again."""

    def __init__(self, options: Options, daemon: DaemonSettings, error: ConfigError) -> None:
        self._options = options
        self._mistakes = error.errors
        self._stop = asyncio.Event()
        self._is_right = False
        told = SetupInfo(
            folder=str(options.config),
            mistakes=lambda: self._mistakes,
            clock=utc_now,
            zone=daemon.time_zone or get_localzone(),
            version=version("paperclerk"),
        )
        app = build_setup_app(told, base_path=daemon.web.base_path)
        # Told first: should the port be taken, both are to be mended.
        print_error(error)
        self._web = WebServer(app, host=daemon.web.host, port=daemon.web.port)

    async def until_right(self) -> bool:
        log.warning(
            "settings cannot be used",
            mistakes=len(self._mistakes),
            web=f"{self._web.host}:{self._web.port}",
            hint="mend them, and the daemon starts by itself",
        )
        with on_signals(self._stop.set, insist=lambda: os._exit(130)):
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self._web.serve(self._stop))
                tasks.create_task(self._look_again())
        return self._is_right

    async def _look_again(self) -> None:
        while not self._stop.is_set():
            # Files are read in a thread: a network's disk may take its time.
            self._mistakes = await asyncio.to_thread(_look, self._options)
            if not self._mistakes:
                self._is_right = True
                self._stop.set()
            try:
                async with asyncio.timeout(_LOOK_AGAIN.total_seconds()):
                    await self._stop.wait()
            except TimeoutError:
                continue


def _look(options: Options) -> tuple[SettingError, ...]:
    try:
        load_settings(options.config, get_environment())
    except ConfigError as error:
        return error.errors
    return ()
