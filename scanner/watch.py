"""Keep every instance looked through: at its times, and whenever someone asks."""

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from datetime import datetime

import structlog

from core.clock import Clock
from core.holds import PAUSE_ALL, next_probe_after, paperless_target, pause_target
from core.scans import KnownInstance
from core.schedule import Schedule
from paperless_client import OutageSuspected
from scanner.scan import Scanner, ScanOrder
from scanner.timers import Timers
from store import Store

log = structlog.get_logger()

BY_TIMER = "timer"


@dataclass(frozen=True, slots=True)
class Watched:
    """One instance that is kept looked through."""

    scanner: Scanner
    schedule: Schedule | None
    """None: only when someone asks."""


def planned_scan(known: KnownInstance | None, schedule: Schedule, *, now: datetime) -> datetime:
    """Return when the next scan is due.

    A stored time stays, also one that was missed meanwhile: that scan is due at once. Another
    expression than the one it was stored for makes a new plan.
    """
    if known and known.next_scan_at and known.cron == schedule.expression:
        return known.next_scan_at
    return schedule.next_after(now)


class Watch:
    """One timer and one task per instance: none of them can hold up another."""

    def __init__(
        self,
        watched: Mapping[str, Watched],
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
        self._problems: dict[str, str] = {}
        self._timers = Timers(lambda name: self._signals[name].set())

    def look(self) -> None:
        """Look at all instances again: someone may have asked, or the clock has jumped."""
        self._timers.look_again()
        for signal in self._signals.values():
            signal.set()

    async def run(self, stop: asyncio.Event) -> None:
        """Watch until the stop."""
        self._timers.start()
        try:
            async with asyncio.TaskGroup() as tasks:
                for name in self._watched:
                    tasks.create_task(self._watch(name, stop))
        finally:
            self._timers.stop()

    async def look_at(self, name: str) -> None:
        """Scan an instance if someone asked for it, or if its time has come; plan the next."""
        now = self._clock()
        schedule = self._watched[name].schedule
        due = await self._planned(name, schedule, now) if schedule else None
        asked = await self._store.scans.requested(name)
        if asked is not None:
            looked = await self._scan(name, ScanOrder(asked.asked_by, asked.kind, asked.limit))
        elif due is not None and due <= now and not await self._rests(name):
            looked = await self._scan(name, ScanOrder(BY_TIMER))
        else:
            return
        if looked and schedule and due is not None and due <= now:
            # After the slot, not just after now: a timer that comes early must not get it twice.
            await self._plan(name, schedule, schedule.next_after(max(due, self._clock())))

    async def _watch(self, name: str, stop: asyncio.Event) -> None:
        signal = self._signals[name]
        while not stop.is_set():
            # Clear first, then look: a signal that comes later sets it again.
            signal.clear()
            await _unless(stop, self.look_at(name))
            await _unless(stop, signal.wait())

    async def _planned(self, name: str, schedule: Schedule, now: datetime) -> datetime:
        known = await self._store.instances.get(name)
        due = planned_scan(known, schedule, now=now)
        if known is None or (known.cron, known.next_scan_at) != (schedule.expression, due):
            await self._plan(name, schedule, due)
        else:
            self._timers.set(name, due)
        return due

    async def _plan(self, name: str, schedule: Schedule, at: datetime) -> None:
        await self._store.instances.plan_scan(name, cron=schedule.expression, next_scan_at=at)
        self._timers.set(name, at)

    async def _rests(self, name: str) -> bool:
        """Tell whether a scan at its time waits: it stays due and is made up for later."""
        held = {hold.target for hold in await self._store.holds.active()}
        return bool(held & {paperless_target(name), pause_target(name), PAUSE_ALL})

    async def _scan(self, name: str, order: ScanOrder) -> bool:
        """Scan, and tell whether that is done with; after an outage it is still due."""
        try:
            scan = await self._watched[name].scanner.scan(order)
        except Exception as error:  # noqa: BLE001 - one instance's trouble stays its own
            await self._note_failure(name, error)
            return not isinstance(error, OutageSuspected)
        if self._problems.pop(name, None):
            log.info("scan works again", instance=name)
        if scan.enqueued:
            self._found()
        return True

    async def _note_failure(self, name: str, error: Exception) -> None:
        """Tell of a trouble once, and let the instance rest if it looks like an outage."""
        if self._problems.get(name) != str(error):
            log.warning("scan failed", instance=name, error=str(error))
        self._problems[name] = str(error)
        if isinstance(error, OutageSuspected):
            now = self._clock()
            await self._store.holds.place(
                paperless_target(name), str(error), next_probe_at=now + next_probe_after(1), now=now
            )


async def _unless(stop: asyncio.Event, work: Coroutine[object, object, object]) -> None:
    """Do `work` to its end, or until the stop."""
    task, stopped = asyncio.ensure_future(work), asyncio.ensure_future(stop.wait())
    try:
        await asyncio.wait({task, stopped}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for one in (task, stopped):
            if not one.done():
                one.cancel()
        await asyncio.wait({task, stopped})
    if not task.cancelled():
        task.result()
