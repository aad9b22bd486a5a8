"""Open the settings and the store, and find the processes that use them.

Nothing here connects to Paperless or to a model.
"""

import os
import socket
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import tzinfo
from pathlib import Path

import structlog
from tzlocal import get_localzone

from actions.caller import BY_HAND, Caller
from core.calendar import Clock, utc_now
from core.jobs import WaitsByInstance, WaitSettings
from core.settings import Settings, get_environment, load_settings, read_settings
from core.workers import WORKER_TIMEOUT, Worker
from daemon.cli.arguments import Options
from daemon.cli.exits import UsageError, list_choices
from daemon.logs import set_up_logs
from store import OpenMode, Store, open_store

log = structlog.get_logger()

DAEMON = "daemon"
"""Role of a process that scans, processes and serves the dashboard."""


@dataclass(frozen=True, slots=True)
class Context:
    """The settings, the store and the clock of a process."""

    settings: Settings
    store: Store
    data: Path
    clock: Clock = utc_now
    options: Options | None = None
    """Where the settings were loaded from; None if they are not those of the files."""

    @property
    def zone(self) -> tzinfo:
        """The owner's time zone: the one that is set, or the system's."""
        return zone_of(self.settings)

    @property
    def caller(self) -> Caller:
        """Return the caller for commands that need no connection to Paperless."""
        return Caller(BY_HAND, self.store, self.clock, self.zone, self.settings.instances)

    @property
    def waits(self) -> WaitsByInstance:
        """Return how long jobs may wait, for each instance."""
        return {
            name: WaitSettings(instance.retry.step, instance.scan.min_age)
            for name, instance in self.settings.instances.items()
        }

    def select_instances(self, name: str | None) -> tuple[str, ...]:
        """Return the named instance, or all if `name` is None.

        Raise UsageError if there is no such instance, and ConfigError if there is none at all.
        """
        self.settings.require_instances()
        known = self.settings.instances
        if name is not None and name not in known:
            raise UsageError(f'there is no instance "{name}"; {list_choices(known)}')
        return (name,) if name is not None else tuple(known)


def zone_of(settings: Settings) -> tzinfo:
    """Return the owner's time zone: the one that is set, or the system's."""
    return settings.daemon.time_zone or get_localzone()


def load(options: Options) -> Settings:
    """Load the settings and set up the logs; raise ConfigError if they are invalid."""
    return _set_up(load_settings(options.config, get_environment()), options)


def load_valid(options: Options) -> Settings:
    """Load the settings for a daemon or a worker, without the instances whose files have errors.

    Raise ConfigError if daemon.toml or the environment has an error.
    """
    reading = read_settings(options.config, get_environment())
    return _set_up(reading.without_invalid(), options)


@asynccontextmanager
async def open_context(
    options: Options,
    *,
    opening: OpenMode = OpenMode.WORK,
    clock: Clock = utc_now,
    load: Callable[[Options], Settings] = load,
) -> AsyncIterator[Context]:
    """Load the settings and open the store; only OpenMode.WORK creates or migrates a database."""
    settings = load(options)
    url = settings.daemon.database.url.get_secret_value() or None
    async with open_store(url, options.data, opening=opening, clock=clock) as store:
        await store.synchronize_clock()
        yield Context(settings, store, options.data, store.clock, options)


async def find_daemon(context: Context) -> Worker | None:
    """Return the running daemon; None if there is none."""
    running = await list_running(context)
    return next((worker for worker in running if worker.role == DAEMON), None)


async def list_local(context: Context) -> Sequence[Worker]:
    """List the processes of this data folder, or, if the database is shared, of this machine.

    A process on another machine does not prove that the one in this container is alive.
    """
    here, shared = socket.gethostname(), context.store.shared
    running = await list_running(context)
    return [worker for worker in running if worker.host == here or not shared]


async def list_running(context: Context) -> Sequence[Worker]:
    """List the running daemons and workers, by name."""
    alive = await context.store.workers.list_alive(since=context.clock() - WORKER_TIMEOUT)
    return [worker for worker in alive if not _is_known_dead(worker)]


def _set_up(settings: Settings, options: Options) -> Settings:
    set_up_logs(settings.daemon.log, at_least=options.log_at_least)
    for warning in settings.warnings:
        log.warning("setting should be changed", place=warning.place, error=str(warning))
    return settings


def _is_known_dead(worker: Worker) -> bool:
    """Return whether a process of this machine has ended without removing its entry."""
    if worker.host != socket.gethostname():
        return False
    try:
        os.kill(worker.pid, 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        # The process is alive and belongs to another user.
        return False
    return False
