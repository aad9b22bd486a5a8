"""Apply changed settings while the process is running."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import replace
from datetime import timedelta
from typing import TypeAlias

import structlog

from core.settings import (
    ConfigError,
    SettingError,
    Settings,
    SettingsDiff,
    SettingsReading,
    SettingsStatus,
    compare_settings,
    get_environment,
    keep_until_restart,
    merge_reading,
    read_settings,
)
from core.settings.files import describe_missing_instance
from core.settings.instance import DAEMON
from daemon.cli.arguments import Options
from daemon.logs import set_up_logs
from daemon.services import ConnectedInstance, Services, close_all, connect

log = structlog.get_logger()

POLL_INTERVAL = timedelta(seconds=2)
_SETTLE_TIME = timedelta(seconds=0.5)
_TIME_ZONE = "time_zone"
_HINT = "until it is corrected, the previous settings of this file stay in effect"

Prepare: TypeAlias = Callable[[Mapping[str, ConnectedInstance]], Awaitable[None]]
"""Store what must be stored before instances are used."""


class SettingsReloader:
    """Reads the files again and again, and applies a valid change in one step.

    The files are polled: a bind mount often delivers no file events.
    """

    def __init__(
        self,
        services: Services,
        options: Options,
        *,
        prepare: Prepare,
        on_change: Callable[[], None],
    ) -> None:
        self._services = services
        self._options = options
        self._prepare = prepare
        self._on_change = on_change
        """Called after the services or the status have changed."""
        self._handled: SettingsReading | None = None
        self._one_at_a_time = asyncio.Lock()
        self.status = SettingsStatus()

    async def poll(self) -> None:
        """Apply a change as soon as two readings agree: a file may be half written."""
        reading = await self._read()
        if reading == self._handled:
            return
        await asyncio.sleep(_SETTLE_TIME.total_seconds())
        if reading == await self._read():
            await self._handle(reading)

    async def reload(self) -> SettingsStatus:
        """Apply the files as they are now; for the one who has just written one."""
        await self._handle(await self._read())
        return self.status

    async def _read(self) -> SettingsReading:
        # In a thread, because a network disk may be slow.
        return await asyncio.to_thread(self._read_files)

    def _read_files(self) -> SettingsReading:
        folder, known = self._options.config, self._services.context.settings.instances
        if known and not folder.exists():
            # A folder that has vanished is an error, and not the removal of all files.
            return self._unreadable([describe_missing_instance(folder)])
        try:
            return read_settings(folder, get_environment())
        except ConfigError as error:
            return self._unreadable(error.errors)

    def _unreadable(self, errors: Iterable[SettingError]) -> SettingsReading:
        """Return a reading that leaves everything as it is."""
        known = self._services.context.settings.instances
        return SettingsReading(
            {},
            None,
            {},
            self._options.config,
            errors=tuple(errors),
            invalid=frozenset({*known, DAEMON}),
        )

    async def _handle(self, reading: SettingsReading) -> None:
        """Apply what is valid and report the rest; if that fails, nothing has changed."""
        async with self._one_at_a_time:
            current = self._services.context.settings
            wanted = merge_reading(reading, current)
            diff = compare_settings(current, wanted)
            await self._apply(keep_until_restart(current, wanted), diff)
            self._handled = reading
            self._report(reading, diff)
            self._on_change()

    async def _apply(self, settings: Settings, diff: SettingsDiff) -> None:
        services = self._services
        everything = _TIME_ZONE in diff.daemon
        names = [
            name
            for name in settings.instances
            if everything or name in diff.added or name in diff.changed
        ]
        built = await connect(
            replace(services.context, settings=settings), names, services.scan_store
        )
        try:
            await self._prepare(built)
        except BaseException:
            await close_all(built.values())
            raise
        connected = {
            name: built.get(name) or services.connected[name] for name in settings.instances
        }
        services.replace_all(settings, connected)
        if any(key.startswith("log.") for key in diff.daemon):
            set_up_logs(settings.daemon.log, at_least=self._options.log_at_least)

    def _report(self, reading: SettingsReading, diff: SettingsDiff) -> None:
        """Log what is news, and keep it for the pages."""
        if not diff.is_empty:
            log.info(
                "settings changed",
                added=",".join(diff.added) or None,
                removed=",".join(diff.removed) or None,
                settings=",".join(diff.keys) or None,
            )
            now = self._services.context.clock()
            self.status = replace(self.status, last=diff, last_at=now)
        for error in reading.errors:
            if error not in self.status.errors:
                log.error("settings invalid", place=error.place, error=str(error), hint=_HINT)
        if self.status.errors and not reading.errors:
            log.info("settings valid again")
        if diff.needs_restart and diff.needs_restart != self.status.needs_restart:
            log.warning("settings need a restart", settings=",".join(diff.needs_restart))
        self.status = replace(
            self.status,
            errors=reading.errors,
            invalid=reading.invalid,
            needs_restart=diff.needs_restart,
        )
