"""Keep every instance looked through: at its times, and whenever someone asks."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from time import monotonic

import structlog

from core.clock import Clock
from core.holds import LONGEST_WAIT, HoldCause, filter_holds, paperless_target, targets_of
from core.scans import KnownInstance
from core.schedule import Schedule
from core.tasks import run_until
from paperless_client import OutageSuspected
from scanner.scan import Scanner, ScanOrder
from scanner.timers import Timers
from store import ScanRunning, Store, StoreUnavailable

log = structlog.get_logger()

BY_TIMER = "timer"
_AFTER_TROUBLE = timedelta(seconds=5)


@dataclass(frozen=True, slots=True)
class ScheduledInstance:
    """One instance that is kept looked through."""

    scanner: Scanner
    schedule: Schedule | None
    """None: only when someone asks."""


@dataclass(frozen=True, slots=True)
class _ScanFailure:
    """Why the last scans of an instance failed."""

    message: str
    times: int
    not_before: datetime
    """A scan at its time waits until then."""


def next_scan_time(known: KnownInstance, schedule: Schedule, *, now: datetime) -> datetime:
    """Return when the next scan is due.

    A stored time stays, also one that was missed meanwhile: that scan is due at once. Another
    expression than the one it was stored for makes a new plan, and so does a time that lies beyond
    the next two: it was planned by a clock that was ahead.
    """
    stored = known.next_scan_at
    coming = schedule.next_after(now)
    if stored is None or known.cron != schedule.expression:
        return coming
    return stored if stored <= schedule.next_after(coming) else coming


class ScanScheduler:
    """One timer and one task per instance: none of them can hold up another."""

    def __init__(
        self,
        watched: Mapping[str, ScheduledInstance],
        *,
        store: Store,
        clock: Clock,
        found: Callable[[], None],
    ) -> None:
        self._watched = watched
        self._store = store
        self._clock = clock
        self._found = found
        self._signals = {name: asyncio.Event() for name in watched}
        self._troubles: dict[str, _ScanFailure] = {}
        self._signs = dict.fromkeys(watched, monotonic())
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
        return min(
            (
                now if self._watched[name].scanner.current_scan else sign
                for name, sign in self._signs.items()
            ),
            default=now,
        )

    def wake(self) -> None:
        """Look at all instances again: someone may have asked, or the clock has jumped."""
        self._timers.recheck()
        for signal in self._signals.values():
            signal.set()

    async def run(self, stop: asyncio.Event) -> None:
        """Watch until the stop."""
        self._timers.start()
        try:
            async with asyncio.TaskGroup() as tasks:
                for name in self._watched:
                    tasks.create_task(self._run_instance(name, stop))
        finally:
            self._timers.stop()

    async def scan_if_due(self, name: str) -> None:
        """Scan an instance if someone asked for it, or if its time has come; plan the next."""
        now = self._clock()
        due = await self._next_due(name, now)
        asked = await self._store.scans.find_requested(name)
        if asked is not None:
            order = ScanOrder(asked.asked_by, asked.kind, asked.limit)
        elif due is not None and await self._is_time(name, due, now):
            order = ScanOrder(BY_TIMER)
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
            # A dry run, or a few documents, do not stand for the scan that is due.
            self._signals[name].set()

    async def _run_instance(self, name: str, stop: asyncio.Event) -> None:
        signal = self._signals[name]
        while not stop.is_set():
            # Clear first, then look: a signal that comes later sets it again.
            signal.clear()
            self._signs[name] = monotonic()
            try:
                await run_until(stop, self.scan_if_due(name))
            except StoreUnavailable:
                # Told by whoever else needs the database; here it is only tried again.
                await run_until(stop, asyncio.sleep(_AFTER_TROUBLE.total_seconds()))
            except Exception:
                # One instance's trouble stays its own, also one that nobody foresaw.
                log.exception("instance could not be looked at", instance=name)
                await run_until(stop, asyncio.sleep(_AFTER_TROUBLE.total_seconds()))
            else:
                await run_until(stop, signal.wait())

    async def _next_due(self, name: str, now: datetime) -> datetime | None:
        """Return when the instance is to be scanned, and see to it that someone looks then.

        None: only when asked for. So it is also while the store does not know the instance, as
        after its file was replaced.
        """
        schedule, known = self._watched[name].schedule, await self._store.instances.get(name)
        if schedule is None or known is None:
            return None
        due = next_scan_time(known, schedule, now=now)
        if (known.cron, known.next_scan_at) != (schedule.expression, due):
            await self._plan(name, schedule, due)
        trouble = self._troubles.get(name)
        # A time further ahead than the maximum: the clock has been set back since.
        if trouble and trouble.not_before <= now + LONGEST_WAIT:
            due = max(due, trouble.not_before)
        # Armed for what is past, a timer would fire at once, and again for as long as that rests.
        if due > now:
            night = self._watched[name].scanner.watermark.next_night(now)
            self._timers.set(name, min(due, night))
        return due

    async def _plan_after(self, name: str, due: datetime) -> None:
        """Plan the scan after this one.

        After the slot, not just after now: a timer that comes early must not get it twice.
        """
        schedule = self._watched[name].schedule
        assert schedule is not None
        at = schedule.next_after(max(due, self._clock()))
        await self._plan(name, schedule, at)
        night = self._watched[name].scanner.watermark.next_night(self._clock())
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
        horizon, trouble = self._watched[name].scanner.watermark, self._troubles.get(name)
        if trouble is not None and now < trouble.not_before:
            return False
        scanned = self._scanned_at.get(name)
        if scanned is not None and horizon.is_in_latest_night(scanned, now=now):
            return False
        return await horizon.is_daily_pass_missing(now=now)

    async def _is_on_hold(self, name: str) -> bool:
        """Return whether a scan at its time waits: it stays due and is made up for later."""
        return bool(filter_holds(await self._store.holds.list_active(), targets_of(name).all_jobs))

    async def _scan(self, name: str, order: ScanOrder) -> bool:
        """Scan, and tell whether that is done with; after an outage it is still due."""
        try:
            scan = await self._watched[name].scanner.scan(order)
        except StoreUnavailable:
            raise
        except ScanRunning:
            # Of another process; if it died at it, this scan is still due when that is found out.
            return False
        except Exception as error:  # noqa: BLE001 - one instance's trouble stays its own
            return await self._handle_failure(name, error)
        if self._troubles.pop(name, None):
            log.info("scan works again", instance=name)
        if scan.enqueued:
            self._found()
        return True

    async def _handle_failure(self, name: str, error: Exception) -> bool:
        """Tell of a trouble once; tell whether the scan is done with all the same.

        If Paperless does not answer at all, the instance rests; if it does, the scan is tried
        again by and by. Any other trouble, such as a missing tag, comes up again at the next time.
        """
        former, now = self._troubles.get(name), self._clock()
        trouble = _ScanFailure(str(error), 1 + (former.times if former else 0), not_before=now)
        self._troubles[name] = trouble
        if former is None or former.message != trouble.message:
            log.warning("scan failed", instance=name, error=trouble.message)
        if not isinstance(error, OutageSuspected):
            return True
        asked, cause = error.retry_after, HoldCause(error.reason)
        again = now + cause.wait_before_probe(trouble.times, retry_after=asked)
        if await self._watched[name].scanner.is_reachable():
            self._troubles[name] = replace(trouble, not_before=again)
            self._signals[name].set()
        else:
            first = now + cause.wait_before_probe(1, retry_after=asked)
            await self._store.holds.place(
                paperless_target(name), cause, next_probe_at=first, now=now
            )
        return False
