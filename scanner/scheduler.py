"""Schedule the scans of all instances: at their times, and on request.

This is the only module that imports APScheduler. Its timers get computed times, so that they cannot
differ from the "next scan" on pages.
"""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from time import monotonic

import structlog
from apscheduler.executors.asyncio import AsyncIOExecutor
from apscheduler.schedulers.asyncio import AsyncIOScheduler
from apscheduler.triggers.date import DateTrigger

from core.calendar import Clock
from core.cron import Schedule
from core.holds import MAX_WAIT, HoldCause, filter_holds, paperless_target, targets_of
from core.jobs import TIMER
from core.scans import KnownInstance
from core.tasks import run_until
from paperless_client import OutageSuspected
from scanner.scan import Scanner, ScanOrder
from store import LeaseLost, ScanRunning, Store, StoreUnavailable

log = structlog.get_logger()

_AFTER_ERROR = timedelta(seconds=5)


@dataclass(frozen=True, slots=True)
class ScheduledInstance:
    """An instance with its scanner and schedule."""

    scanner: Scanner
    schedule: Schedule | None
    """None: only on request."""


@dataclass(frozen=True, slots=True)
class _ScanFailure:
    """Why the last scans of an instance failed."""

    message: str
    times: int
    not_before: datetime
    """A scheduled scan waits until then."""


def next_scan_time(known: KnownInstance, schedule: Schedule, *, now: datetime) -> datetime:
    """Return when the next scan is due.

    An instance without a stored time is new, and due at once. A stored time stays, even if it was
    missed: then the scan is due at once, too. A new time is planned if the expression has changed,
    or if the stored time is beyond the next two: it was planned by a clock that was ahead.
    """
    stored = known.next_scan_at
    if stored is None:
        return now
    coming = schedule.next_after(now)
    if known.cron != schedule.expression:
        return coming
    return stored if stored <= schedule.next_after(coming) else coming


class ScanScheduler:
    """Runs one timer and one task per instance, so that none can delay another."""

    def __init__(
        self,
        instances: Mapping[str, ScheduledInstance],
        *,
        store: Store,
        clock: Clock,
        found: Callable[[], None],
    ) -> None:
        self._instances = instances
        self._changed = asyncio.Event()
        """Set when the instances were replaced."""
        self._tasks: dict[str, asyncio.Task[None]] = {}
        """The loops of the instances."""
        self._scanning: set[str] = set()
        self._store = store
        self._clock = clock
        self._found = found
        self._signals = {name: asyncio.Event() for name in instances}
        self._failures: dict[str, _ScanFailure] = {}
        self._heartbeats = dict.fromkeys(instances, monotonic())
        """When the loop of each instance last ran, by the monotonic clock."""
        self._scanned_at: dict[str, datetime] = {}
        """When the last scan of each instance began that did not fail because of an outage."""
        self._timers = Timers(lambda name: self._signals[name].set())

    @property
    def last_heartbeat(self) -> float:
        """Return the oldest time at which an instance last reported, by the monotonic clock.

        A running scan counts as alive: it may take long, but each of its requests has a timeout.
        """
        now = monotonic()
        beats = self._heartbeats.items()
        return min((now if name in self._scanning else beat for name, beat in beats), default=now)

    def set_instances(self, instances: Mapping[str, ScheduledInstance]) -> None:
        """Replace the instances; timers follow at once.

        The scan of a removed instance is interrupted. That of a changed one goes on: what it
        enqueues is judged again when it is processed.
        """
        for name in self._instances.keys() - instances:
            if name in self._tasks:
                self._tasks.pop(name).cancel()
            self._timers.remove(name)
            self._failures.pop(name, None)
            self._heartbeats.pop(name, None)
        for name in instances.keys() - self._instances:
            self._signals.setdefault(name, asyncio.Event())
            self._heartbeats[name] = monotonic()
        self._instances = instances
        self._changed.set()
        self.wake()

    def wake(self) -> None:
        """Check all instances now: a scan may have been requested, or the clock may have jumped."""
        self._timers.recheck()
        for signal in self._signals.values():
            signal.set()

    async def run(self, stop: asyncio.Event) -> None:
        """Run scans when they are due, until the stop."""
        self._heartbeats = dict.fromkeys(self._instances, monotonic())
        self._tasks = {}
        self._timers.start()
        try:
            async with asyncio.TaskGroup() as tasks:
                while not stop.is_set():
                    self._changed.clear()
                    for name in self._instances.keys() - self._tasks:
                        self._tasks[name] = tasks.create_task(self._run_instance(name, stop))
                    await run_until(stop, self._changed.wait())
        finally:
            self._timers.stop()

    async def scan_if_due(self, name: str) -> None:
        """Scan an instance if a scan was requested or is due; plan the next one."""
        now = self._clock()
        due = await self._next_due(name, now)
        requested = await self._store.scans.find_requested(name)
        if requested is not None:
            order = ScanOrder(requested.asked_by, requested.kind, requested.limit)
        elif due is not None and await self._is_time(name, due, now):
            order = ScanOrder(TIMER)
        else:
            return
        if not await self._scan(name, order):
            return
        if order.is_full_scan:
            self._scanned_at[name] = now
        if due is None or due > now:
            return
        if order.is_full_scan:
            await self._plan_after(name, due)
        else:
            # A dry run or a limited scan does not replace the scan that is due.
            self._signals[name].set()

    async def _run_instance(self, name: str, stop: asyncio.Event) -> None:
        signal = self._signals[name]
        while not stop.is_set():
            # Cleared before the check, so that a later signal is not lost.
            signal.clear()
            self._heartbeats[name] = monotonic()
            try:
                await run_until(stop, self.scan_if_due(name))
            except (StoreUnavailable, LeaseLost):
                # Logged by others; here it is only retried, until the stop.
                await run_until(stop, asyncio.sleep(_AFTER_ERROR.total_seconds()))
            except Exception:
                # An unexpected error of one instance must not stop the others.
                log.exception("instance check failed", instance=name)
                await run_until(stop, asyncio.sleep(_AFTER_ERROR.total_seconds()))
            else:
                await run_until(stop, signal.wait())

    async def _next_due(self, name: str, now: datetime) -> datetime | None:
        """Return when the next scan is due, and set the timer for it.

        None: only on request, or the store does not know the instance, as after its file was
        replaced.
        """
        schedule, known = self._instances[name].schedule, await self._store.instances.get(name)
        if schedule is None or known is None:
            return None
        due = next_scan_time(known, schedule, now=now)
        if (known.cron, known.next_scan_at) != (schedule.expression, due):
            await self._plan(name, schedule, due)
        failure = self._failures.get(name)
        # A time further ahead than the maximum: the clock has been set back since.
        if failure and failure.not_before <= now + MAX_WAIT:
            due = max(due, failure.not_before)
        # A timer for the past would fire at once, again and again while the instance is on hold.
        if due > now:
            night = self._instances[name].scanner.watermark.next_night(now)
            self._timers.set(name, min(due, night))
        return due

    async def _plan_after(self, name: str, due: datetime) -> None:
        """Plan the scan after this one.

        Computed from the slot, not from now: a timer that fires early must not scan twice.
        """
        schedule = self._instances[name].schedule
        if schedule is None:
            # Switched off during the scan.
            return
        at = schedule.next_after(max(due, self._clock()))
        await self._plan(name, schedule, at)
        night = self._instances[name].scanner.watermark.next_night(self._clock())
        self._timers.set(name, min(at, night))

    async def _plan(self, name: str, schedule: Schedule, at: datetime) -> None:
        await self._store.instances.plan_scan(name, cron=schedule.expression, next_scan_at=at)

    async def _is_time(self, name: str, due: datetime, now: datetime) -> bool:
        """Return whether the timer must scan: by the schedule, or for the daily pass."""
        is_time = due <= now or await self._is_time_for_the_daily_pass(name, now)
        return is_time and not await self._is_on_hold(name)

    async def _is_time_for_the_daily_pass(self, name: str, now: datetime) -> bool:
        """Return whether it is night and no scan of this night has made the pass yet.

        There is one attempt per night: a scan that failed without an outage would fail again.
        """
        watermark, failure = self._instances[name].scanner.watermark, self._failures.get(name)
        if failure is not None and now < failure.not_before:
            return False
        scanned = self._scanned_at.get(name)
        if scanned is not None and watermark.is_in_latest_night(scanned, now=now):
            return False
        return await watermark.is_daily_pass_missing(now=now)

    async def _is_on_hold(self, name: str) -> bool:
        """Return whether a scheduled scan must wait; it stays due and runs later."""
        return bool(filter_holds(await self._store.holds.list_active(), targets_of(name).all_jobs))

    async def _scan(self, name: str, order: ScanOrder) -> bool:
        """Scan; return whether it is done. After an outage it is still due."""
        self._scanning.add(name)
        try:
            scan = await self._instances[name].scanner.scan(order)
        except (StoreUnavailable, LeaseLost):
            raise
        except ScanRunning:
            # In another process. If that process died, this scan is still due later.
            return False
        except Exception as error:  # noqa: BLE001 - must not stop the other instances
            return await self._handle_failure(name, error)
        finally:
            self._scanning.discard(name)
        if self._failures.pop(name, None):
            log.info("scan recovered", instance=name)
        if scan.enqueued:
            self._found()
        return True

    async def _handle_failure(self, name: str, error: Exception) -> bool:
        """Log a failure once; return whether the scan is done all the same.

        If Paperless does not answer at all, the instance is put on hold; if it does, the scan is
        retried with a delay. Any other failure, such as a missing tag, waits for the next scan.
        """
        former, now = self._failures.get(name), self._clock()
        failure = _ScanFailure(str(error), 1 + (former.times if former else 0), not_before=now)
        self._failures[name] = failure
        if former is None or former.message != failure.message:
            log.warning("scan failed", instance=name, error=failure.message)
        if not isinstance(error, OutageSuspected):
            return True
        wait, cause = error.retry_after, HoldCause(error.reason)
        not_before = now + cause.wait_before_probe(failure.times, retry_after=wait)
        if await self._instances[name].scanner.is_reachable():
            self._failures[name] = replace(failure, not_before=not_before)
            self._signals[name].set()
        else:
            first = now + cause.wait_before_probe(1, retry_after=wait)
            await self._store.holds.place(
                paperless_target(name), cause, next_probe_at=first, now=now
            )
        return False


class Timers:
    """One timer per instance; calls `due` with its name when its time has come."""

    def __init__(self, due: Callable[[str], None]) -> None:
        self._due = due
        # By default APScheduler would drop a late timer, and one that is set again while its
        # callback is running.
        defaults = {"misfire_grace_time": None, "coalesce": True, "max_instances": 2}
        # Given here: APScheduler would import its executor at the start, which fails without a free
        # file descriptor.
        executors = {"default": AsyncIOExecutor()}
        self._scheduler = AsyncIOScheduler(timezone=UTC, job_defaults=defaults, executors=executors)

    def start(self) -> None:
        self._scheduler.start()

    def stop(self) -> None:
        self._scheduler.shutdown(wait=False)

    def set(self, instance: str, at: datetime) -> None:
        """Set the timer of an instance, replacing the previous one."""
        self._scheduler.add_job(
            self._fire,
            DateTrigger(at.astimezone(UTC)),
            args=[instance],
            id=instance,
            replace_existing=True,
        )

    def remove(self, instance: str) -> None:
        """Remove the timer of an instance, if it has one."""
        if self._scheduler.get_job(instance) is not None:
            self._scheduler.remove_job(instance)

    def recheck(self) -> None:
        """Compare all timers with the clock; after a jump they would fire too late."""
        if self._scheduler.running:
            self._scheduler.wakeup()

    async def _fire(self, instance: str) -> None:
        # A coroutine runs in the thread of the event loop; a plain function would not.
        self._due(instance)
