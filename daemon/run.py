"""The daemon: timers, processor and what looks after them, until it is told to stop."""

import asyncio
import os
import resource
import socket
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from importlib.metadata import version
from time import monotonic

import structlog

from core.retention import RetentionPolicy
from core.tasks import run_until
from core.workers import WORKER_TIMEOUT, Heartbeats
from daemon.cli.output import console, format_local
from daemon.healthcheck import is_health_reachable
from daemon.lifecycle import (
    build_hold_monitor,
    on_signals,
    recover,
    recover_silent,
    register_instances,
    reschedule_overlong_waits,
    work_lock,
)
from daemon.loops import AFTER_TROUBLE, Loops, Step
from daemon.notify.notifier import Notifier, build_notifier
from daemon.running import DAEMON
from daemon.services import Services
from daemon.web import build_app_context, issue_password_link, open_web_server
from dashboard import WebServer
from dashboard.health import TOO_SILENT
from scanner.scheduler import ScanScheduler
from store import StoreUnavailable

log = structlog.get_logger()

_NOTICE = timedelta(seconds=0.5)
_PROBE = timedelta(seconds=5)
_BEAT = timedelta(seconds=15)
_LOOK = timedelta(minutes=1)
_PRUNE = timedelta(hours=24)
_DESCRIPTORS = 4096
_GRACE = timedelta(seconds=5)
_AT_MOST = timedelta(seconds=6.5)
_AT_THE_VERY_MOST = timedelta(seconds=9)
"""After a stop everything ends within ten seconds, which is when Docker would kill us: first of
itself, then because it must. What has not ended by then the next start takes back."""


class Daemon:
    """Puts the living parts together and keeps them alive."""

    def __init__(self, services: Services) -> None:
        self._clerk = services
        self._store = services.store
        self._clock = services.context.clock
        self._stop = asyncio.Event()
        self._loops = Loops(self._stop)
        daemon = services.context.settings.daemon
        self._processor = services.processor(parallel=daemon.processor.parallel, grace=_GRACE)
        self._watch = ScanScheduler(
            services.scheduled, store=services.store, clock=self._clock, found=self._processor.wake
        )
        self._keeper = build_hold_monitor(services, on_lifted=self._wake_all)
        self._retention = RetentionPolicy(
            events=daemon.retention.events,
            results=daemon.retention.results,
            partial_results=daemon.retention.partial_results,
            jobs=daemon.retention.jobs,
            changes=daemon.retention.changes,
        )
        self._notifier: Notifier | None = None
        self._has_seen_holds = False
        self._web: WebServer | None = None
        self._web_at: datetime | None = None
        """When `/health` last responded; initially the start time. None without a dashboard."""
        self._leaving: asyncio.TimerHandle | None = None
        self._name = f"{socket.gethostname()}:{os.getpid()}"
        self._last_beat = monotonic()
        self._beating_since = -WORKER_TIMEOUT.total_seconds()
        """Since when our heartbeats have reached the database, by the monotonic clock."""

    def stop(self) -> None:
        """Put everything down."""
        log.info("stopping")
        self._processor.stop()
        self._stop.set()
        # A thread that waits for the database cannot be told to give up.
        loop, seconds = asyncio.get_running_loop(), _AT_THE_VERY_MOST.total_seconds()
        self._leaving = loop.call_later(seconds, _leave_behind)

    async def run(self) -> None:
        """Work until a signal, or until `stop`."""
        with work_lock(self._clerk.context), on_signals(self.stop, insist=_leave_at_once):
            self._web = self._open_web()
            self._web_at = self._clock() if self._web else None
            # Before all else, so that whoever types a command leaves the work to us.
            await self._heartbeat()
            await register_instances(self._clerk)
            await recover(self._clerk)
            await reschedule_overlong_waits(self._clerk)
            # Before it is told: a database that goes away after the start is waited for.
            await self._print_password_link()
            self._log_start()
            await self._live()
            await self._put_down()
            with suppress(StoreUnavailable):
                await self._store.workers.remove(self._name)
            if self._leaving is not None:
                self._leaving.cancel()
            log.info("stopped")

    def _open_web(self) -> WebServer | None:
        context = build_app_context(
            self._clerk,
            processor_silent=self._silent,
            ring=self._wake_all,
            stopping=self._stop,
        )
        self._notifier = build_notifier(context)
        send_test = self._notifier.test if self._notifier else None
        return open_web_server(replace(context, send_test=send_test))

    def _log_start(self) -> None:
        web = self._web
        log.info(
            "started",
            version=version("paperclerk"),
            instances=",".join(self._clerk.instances),
            time_zone=str(self._clerk.context.zone),
            web=f"{web.host}:{web.port}" if web else "off",
            pid=os.getpid(),
        )

    async def _print_password_link(self) -> None:
        """Tell the owner how to come in for the first time.

        The link is printed and not logged: logs are kept, and sent to other machines.
        """
        if self._web is None:
            return
        invited = await issue_password_link(self._clerk.context, port=self._web.port)
        if invited is None:
            return
        until = format_local(invited.until, self._clerk.context.zone)
        if invited.link is None:
            hint = f"the link printed at an earlier start is valid until {until}"
            log.warning("no password set", hint=f"{hint}; `paperclerk user link` prints another")
            return
        log.warning("no password set", hint=f"the link printed here is valid until {until}")
        console().print(f"Choose a password for the dashboard: {invited.link}")

    async def _live(self) -> None:
        """Keep all parts going; after a stop, wait for them only so long."""
        living = asyncio.create_task(self._parts())
        stopped = asyncio.create_task(self._stop.wait())
        await asyncio.wait({living, stopped}, return_when=asyncio.FIRST_COMPLETED)
        await asyncio.wait({living}, timeout=_AT_MOST.total_seconds())
        if not living.done():
            living.cancel()
            await asyncio.wait({living})
        stopped.cancel()
        if not living.cancelled():
            living.result()

    async def _put_down(self) -> None:
        """Store what could not be stored during a database outage: this is the last chance."""
        try:
            await self._processor.flush_unsaved()
        except StoreUnavailable as error:
            log.warning("database away at the end", error=str(error))

    async def _parts(self) -> None:
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._watch.run(self._stop))
            for interval, step in self._steps():
                tasks.create_task(self._loops.every(interval, step))

    def _steps(self) -> Iterator[tuple[timedelta, Step]]:
        yield AFTER_TROUBLE, self._processor.run
        if self._web is not None:
            yield AFTER_TROUBLE, self._serve
            yield _BEAT, self._ask_web
        yield _NOTICE, self._notice
        yield _PROBE, self._check_holds
        yield _BEAT, self._heartbeat
        yield _LOOK, self._run_maintenance
        yield _PRUNE, self._prune
        if self._notifier is not None:
            yield _LOOK, self._send_notifications

    async def _notice(self) -> None:
        """See whether another process put something into the store."""
        if await self._store.has_changed():
            self._wake_all()

    def _wake_all(self) -> None:
        self._processor.wake()
        self._watch.wake()

    async def _check_holds(self) -> None:
        """See to the holds whose time has come; at the start to all, for much may have changed."""
        look = self._keeper.check_due if self._has_seen_holds else self._keeper.check_all
        await run_until(self._stop, look())
        self._has_seen_holds = True

    async def _run_maintenance(self) -> None:
        """Look slowly at what should not happen."""
        # First: whoever believes a clock that has jumped takes the living for dead.
        await self._store.synchronize_clock()
        await self._register_instances()
        await reschedule_overlong_waits(self._clerk)
        # During a database outage no process could store a heartbeat, so silence proves nothing.
        if monotonic() - self._beating_since > WORKER_TIMEOUT.total_seconds():
            await recover_silent(self._clerk, in_hand=self._processor.own_traces)
        self._wake_all()

    async def _send_notifications(self) -> None:
        """Send messages; at the stop nobody waits for a service that does not answer."""
        if self._notifier is not None:
            await run_until(self._stop, self._notifier.send_due())

    async def _register_instances(self) -> None:
        """Make the instances known to a database that was put in the place of another."""
        known = {one.name for one in await self._store.instances.list_all()}
        if not known >= set(self._clerk.instances):
            await register_instances(self._clerk)

    async def _heartbeat(self) -> None:
        """Show that we live, as long as the processor does and the database is one we know."""
        silent = self._silent()
        if silent > TOO_SILENT:
            log.error("processor silent", seconds=round(silent.total_seconds()))
            return
        await self._store.check_schema()
        await self._store.synchronize_clock()
        await self._store.workers.record_heartbeat(
            self._name,
            pid=os.getpid(),
            host=socket.gethostname(),
            role=DAEMON,
            now=self._clock(),
            signs=self._signs(),
        )
        if monotonic() - self._last_beat > 2 * _BEAT.total_seconds():
            self._beating_since = monotonic()
        self._last_beat = monotonic()

    def _signs(self) -> Heartbeats:
        now = self._clock()
        return Heartbeats(
            processor_at=now - self._silent(),
            scheduler_at=now - _since(self._watch.last_heartbeat),
            web_at=self._web_at,
        )

    async def _serve(self) -> None:
        """Serve the dashboard; an error restarts it and stops nothing else."""
        if self._web is not None:
            await self._web.serve(self._stop)

    async def _ask_web(self) -> None:
        """Record when `/health` responds; `healthcheck` reads this time from the store."""
        settings = self._clerk.context.settings.daemon.web
        address = settings.local_address(self._web.port if self._web else None)
        if await run_until(self._stop, is_health_reachable(address)):
            self._web_at = self._clock()

    def _silent(self) -> timedelta:
        """Tell how long the processor has shown no sign of life."""
        return _since(self._processor.last_sign)

    async def _prune(self) -> None:
        pruned = await self._store.retention.prune(self._retention, now=self._clock())
        log.debug("old rows deleted", jobs=pruned.jobs, events=pruned.events)


def raise_descriptor_limit() -> None:
    """Raise the soft limit for file descriptors: the usual one is small for a server."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _DESCRIPTORS if hard == resource.RLIM_INFINITY else min(hard, _DESCRIPTORS)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        # macOS may enforce a lower limit than the one it reports.
        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def _since(sign: float) -> timedelta:
    return timedelta(seconds=monotonic() - sign)


def _leave_behind() -> None:
    """End though something is still under way."""
    log.warning("left at work", hint="the next start takes back what was under way")
    os._exit(0)


def _leave_at_once() -> None:
    """End without a word: whatever is under way, the next start takes it back."""
    os._exit(130)
