"""The health of the daemon: figures, warnings, and what each process is doing."""

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Protocol

from core.calendar import Clock
from core.holds import filter_holds, targets_of
from core.settings import Settings
from core.workers import WorkerStatus
from store import Store

TOO_SILENT = timedelta(minutes=5)
TOO_LATE = timedelta(minutes=5)
MANY_WAITING = 100
MANY_FAILED = 10
"""In an hour."""
_FRESH_FOR = timedelta(seconds=5)
_SHOWN_FOR = timedelta(hours=1)
"""A process that ended without removing its entry is shown for this long."""


class HealthWarning(StrEnum):
    """Something that needs attention; nothing is lost in the meantime."""

    MANY_WAITING = "many_waiting"
    MANY_FAILED = "many_failed"
    SCAN_LATE = "scan_late"
    PROCESSOR_SILENT = "processor_silent"


@dataclass(frozen=True, slots=True)
class Liveness:
    """Signs of life of the daemon process."""

    started_at: datetime
    processor_silent: Callable[[], timedelta]
    """Returns how long the processor has shown no sign of life; an idle one shows some."""


class Monitored(Protocol):
    """A running daemon whose health is checked."""

    @property
    def settings(self) -> Settings: ...
    @property
    def store(self) -> Store: ...
    @property
    def clock(self) -> Clock: ...
    @property
    def liveness(self) -> Liveness: ...


@dataclass(frozen=True, slots=True)
class HealthSnapshot:
    """The health figures at one moment."""

    at: datetime
    waiting: int
    """Jobs in the queue."""
    failed_last_hour: int
    failed_last_day: int
    mean_time: timedelta | None
    """Mean time of the latest analyses; None before the first."""
    late_scans: tuple[str, ...]
    """Instances whose scan is overdue, although they are not on hold and no scan is running."""
    silent: timedelta
    """How long the processor has shown no sign of life."""


class HealthSnapshotCache:
    """Caches the figures for a few seconds, because health checks may be frequent."""

    def __init__(self, get_daemon: Callable[[], Monitored]) -> None:
        self._get_daemon = get_daemon
        self._last: HealthSnapshot | None = None

    async def get(self) -> HealthSnapshot:
        """Return figures that are at most a few seconds old; raise StoreUnavailable."""
        daemon = self._get_daemon()
        now = daemon.clock()
        if self._last is None or not timedelta() <= now - self._last.at < _FRESH_FOR:
            self._last = await take_health_snapshot(daemon, now)
        return self._last


def list_warnings(figures: HealthSnapshot) -> tuple[HealthWarning, ...]:
    """Return the warnings for these figures."""
    return tuple(_warnings(figures))


async def take_health_snapshot(
    daemon: Monitored, now: datetime, instances: Collection[str] | None = None
) -> HealthSnapshot:
    """Load the figures of some or all instances; the number of queries is fixed."""
    since = (now - timedelta(hours=1), now - timedelta(days=1))
    figures = await daemon.store.health.get_health_figures(failed_since=since, instances=instances)
    last_hour, last_day = figures.failed
    late = await _list_late_scans(daemon, now)
    return HealthSnapshot(
        at=now,
        waiting=figures.waiting,
        failed_last_hour=last_hour,
        failed_last_day=last_day,
        mean_time=figures.mean_time,
        late_scans=tuple(name for name in late if instances is None or name in instances),
        silent=daemon.liveness.processor_silent(),
    )


async def list_workers(store: Store, *, now: datetime) -> tuple[WorkerStatus, ...]:
    """List the processes that sent a heartbeat within the last hour, by name."""
    return await store.workers.list_with_jobs(since=now - _SHOWN_FOR)


def _warnings(figures: HealthSnapshot) -> Iterator[HealthWarning]:
    if figures.silent >= TOO_SILENT:
        yield HealthWarning.PROCESSOR_SILENT
    if figures.late_scans:
        yield HealthWarning.SCAN_LATE
    if figures.waiting >= MANY_WAITING:
        yield HealthWarning.MANY_WAITING
    if figures.failed_last_hour >= MANY_FAILED:
        yield HealthWarning.MANY_FAILED


async def _list_late_scans(daemon: Monitored, now: datetime) -> tuple[str, ...]:
    holds = await daemon.store.holds.list_active()
    scanning = {scan.instance for scan in await daemon.store.scans.list_unfinished()}
    return tuple(
        known.name
        for known in await daemon.store.instances.list_all()
        if known.name in daemon.settings.instances
        and daemon.settings.instances[known.name].scan.enabled
        and known.name not in scanning
        and not filter_holds(holds, targets_of(known.name).all_jobs)
        and known.next_scan_at is not None
        and now - known.next_scan_at > TOO_LATE
    )
