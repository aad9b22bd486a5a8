"""The daemon: timers, processor and what looks after them, until it is told to stop."""

import asyncio
import os
import socket
from collections.abc import Awaitable, Callable
from datetime import timedelta
from importlib.metadata import version
from time import monotonic

import structlog

from core.retention import RetentionPolicy
from daemon.alive import DAEMON, SILENT
from daemon.loops import every
from daemon.signals import on_signals
from daemon.wiring import Clerk
from daemon.work import take_over, work_lock
from processor.keeper import HoldKeeper
from processor.processor import Manner
from scanner.watch import Watch

log = structlog.get_logger()

_NOTICE = timedelta(seconds=0.5)
_PROBE = timedelta(seconds=5)
_BEAT = timedelta(seconds=15)
_LOOK = timedelta(minutes=1)
_PRUNE = timedelta(hours=24)
_AFTER_TROUBLE = timedelta(seconds=5)
_GRACE = timedelta(seconds=5)
_AT_MOST = timedelta(seconds=9)
"""After a stop everything ends within ten seconds, or is left for the next start to take back."""
_TOO_SILENT = timedelta(minutes=5)


class Daemon:
    """Puts the living parts together and keeps them alive."""

    def __init__(self, clerk: Clerk) -> None:
        self._clerk = clerk
        self._store = clerk.store
        self._clock = clerk.memory.clock
        self._stop = asyncio.Event()
        daemon = clerk.memory.settings.daemon
        self._processor = clerk.processor(Manner(daemon.processor.parallel, _GRACE))
        self._watch = Watch(
            clerk.watched, store=clerk.store, clock=self._clock, found=self._processor.wake
        )
        self._keeper = HoldKeeper(
            clerk.store, clerk.instances, clock=self._clock, lifted=self._look_around
        )
        self._retention = RetentionPolicy(
            events=daemon.retention.events,
            results=daemon.retention.results,
            jobs=daemon.retention.jobs,
            changes=daemon.retention.changes,
        )
        self._name = f"{socket.gethostname()}:{os.getpid()}"

    def stop(self) -> None:
        """Put everything down."""
        log.info("stopping")
        self._processor.stop()
        self._stop.set()

    async def run(self) -> None:
        """Work until a signal, or until `stop`."""
        with work_lock(self._clerk.memory), on_signals(self.stop, insist=_leave_at_once):
            await take_over(self._clerk)
            await self._beat()
            self._tell_of_start()
            await self._live()
            await self._store.workers.gone(self._name)
            log.info("stopped")

    def _tell_of_start(self) -> None:
        log.info(
            "started",
            version=version("paperclerk"),
            instances=",".join(self._clerk.instances),
            time_zone=str(self._clerk.memory.zone),
            pid=os.getpid(),
        )

    async def _live(self) -> None:
        """Keep all parts going; after a stop, wait for them only so long."""
        living = asyncio.create_task(self._parts())
        stopped = asyncio.create_task(self._stop.wait())
        await asyncio.wait({living, stopped}, return_when=asyncio.FIRST_COMPLETED)
        await asyncio.wait({living}, timeout=_AT_MOST.total_seconds())
        if not living.done():
            log.warning("left at work", hint="the next start takes the job back")
            living.cancel()
            await asyncio.wait({living}, timeout=1)
        stopped.cancel()
        if living.done() and not living.cancelled():
            living.result()

    async def _parts(self) -> None:
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._watch.run(self._stop))
            tasks.create_task(self._every(_AFTER_TROUBLE, self._processor.run))
            tasks.create_task(self._every(_NOTICE, self._notice))
            tasks.create_task(self._every(_PROBE, self._keeper.look))
            tasks.create_task(self._every(_BEAT, self._beat))
            tasks.create_task(self._every(_LOOK, self._minute))
            tasks.create_task(self._every(_PRUNE, self._prune))

    async def _every(self, interval: timedelta, step: Callable[[], Awaitable[None]]) -> None:
        await every(interval, step, stop=self._stop)

    async def _notice(self) -> None:
        """See whether another process put something into the store."""
        if await self._store.changed():
            self._look_around()

    def _look_around(self) -> None:
        self._processor.wake()
        self._watch.look()

    async def _minute(self) -> None:
        """Look slowly at what should not happen: dead workers, and a clock that jumped."""
        now = self._clock()
        for job in await self._store.jobs.recover(silent_since=now - SILENT, now=now):
            log.warning("job recovered", job=job.id, document=str(job.document))
        self._look_around()

    async def _beat(self) -> None:
        """Show that we live, as long as the processor does."""
        silent = timedelta(seconds=monotonic() - self._processor.last_sign)
        if silent > _TOO_SILENT:
            log.error("processor silent", seconds=round(silent.total_seconds()))
            return
        await self._store.workers.beat(
            self._name,
            pid=os.getpid(),
            host=socket.gethostname(),
            role=DAEMON,
            now=self._clock(),
        )

    async def _prune(self) -> None:
        pruned = await self._store.retention.prune(self._retention, now=self._clock())
        log.debug("old rows deleted", jobs=pruned.jobs, events=pruned.events)


def _leave_at_once() -> None:
    """End without a word: whatever is under way, the next start takes it back."""
    os._exit(130)
