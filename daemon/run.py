"""The daemon: runs scheduler, processor, dashboard and maintenance until it is stopped."""

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

from actions.health import take_health_snapshot
from core.retention import RetentionPolicy
from core.tasks import run_until
from core.workers import WORKER_TIMEOUT, Heartbeats
from daemon.cli.output import console, format_local
from daemon.health_log import HealthLog
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
from dashboard import AppContext, WebServer
from dashboard.health import TOO_SILENT
from scanner.scheduler import ScanScheduler
from store import StoreUnavailable

log = structlog.get_logger()

_CHANGE_INTERVAL = timedelta(seconds=0.5)
_HOLD_INTERVAL = timedelta(seconds=5)
_HEARTBEAT_INTERVAL = timedelta(seconds=15)
_MAINTENANCE_INTERVAL = timedelta(minutes=1)
_PRUNE_INTERVAL = timedelta(hours=24)
_DESCRIPTORS = 4096
_GRACE = timedelta(seconds=5)
_STOP_TIMEOUT = timedelta(seconds=6.5)
_EXIT_TIMEOUT = timedelta(seconds=9)
"""Docker kills a process ten seconds after asking it to stop. Parts get `_STOP_TIMEOUT` to end by
themselves and are then cancelled; at `_EXIT_TIMEOUT` the process exits. The next start recovers the
rest."""


class Daemon:
    """Builds the parts of the daemon and keeps them running."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._store = services.store
        self._clock = services.context.clock
        self._stop = asyncio.Event()
        self._loops = Loops(self._stop)
        daemon = services.context.settings.daemon
        self._processor = services.processor(parallel=daemon.processor.parallel, grace=_GRACE)
        self._scheduler = ScanScheduler(
            services.scheduled, store=services.store, clock=self._clock, found=self._processor.wake
        )
        self._hold_monitor = build_hold_monitor(services, on_lifted=self._wake_all)
        self._retention = RetentionPolicy(
            events=daemon.retention.events,
            results=daemon.retention.results,
            partial_results=daemon.retention.partial_results,
            jobs=daemon.retention.jobs,
            changes=daemon.retention.changes,
        )
        self._health_log = HealthLog()
        self._app_context: AppContext | None = None
        self._notifier: Notifier | None = None
        self._has_checked_holds = False
        self._web: WebServer | None = None
        self._web_at: datetime | None = None
        """When `/health` last responded; initially the start time. None without a dashboard."""
        self._exit_timer: asyncio.TimerHandle | None = None
        self._name = f"{socket.gethostname()}:{os.getpid()}"
        self._last_beat = monotonic()
        self._beating_since = -WORKER_TIMEOUT.total_seconds()
        """Since when our heartbeats have reached the database, by the monotonic clock."""

    def stop(self) -> None:
        """Stop all parts; exit after a while even if one does not end."""
        log.info("stopping")
        self._processor.stop()
        self._stop.set()
        # A thread that waits for the database cannot be cancelled.
        loop, seconds = asyncio.get_running_loop(), _EXIT_TIMEOUT.total_seconds()
        self._exit_timer = loop.call_later(seconds, _exit_with_running_work)

    async def run(self) -> None:
        """Run until a signal, or until `stop`."""
        with work_lock(self._services.context), on_signals(self.stop, insist=_exit_immediately):
            self._web = self._open_web()
            self._web_at = self._clock() if self._web else None
            # First, so that commands typed from now on leave the work to this process.
            await self._heartbeat()
            await register_instances(self._services)
            await recover(self._services)
            await reschedule_overlong_waits(self._services)
            # Before the start is logged: after it, a database outage does not end the process.
            await self._print_password_link()
            self._log_start()
            await self._run_parts()
            await self._flush()
            with suppress(StoreUnavailable):
                await self._store.workers.remove(self._name)
            if self._exit_timer is not None:
                self._exit_timer.cancel()
            log.info("stopped")

    def _open_web(self) -> WebServer | None:
        context = build_app_context(
            self._services,
            processor_silent=self._silent,
            ring=self._wake_all,
            stopping=self._stop,
        )
        self._app_context = context
        self._notifier = build_notifier(context)
        send_test = self._notifier.test if self._notifier else None
        return open_web_server(replace(context, send_test=send_test))

    def _log_start(self) -> None:
        web = self._web
        log.info(
            "started",
            version=version("paperclerk"),
            instances=",".join(self._services.instances),
            time_zone=str(self._services.context.zone),
            web=f"{web.host}:{web.port}" if web else "off",
            pid=os.getpid(),
        )

    async def _print_password_link(self) -> None:
        """Print the link for choosing the first password.

        The link is printed and not logged: logs are kept, and sent to other machines.
        """
        if self._web is None:
            return
        invited = await issue_password_link(self._services.context, port=self._web.port)
        if invited is None:
            return
        until = format_local(invited.until, self._services.context.zone)
        if invited.link is None:
            hint = f"the link printed at an earlier start is valid until {until}"
            log.warning("no password set", hint=f"{hint}; `paperclerk user link` prints another")
            return
        log.warning("no password set", hint=f"the link printed here is valid until {until}")
        console().print(f"Choose a password for the dashboard: {invited.link}")

    async def _run_parts(self) -> None:
        """Run all parts; after a stop, cancel those that do not end in time."""
        living = asyncio.create_task(self._start_parts())
        stopped = asyncio.create_task(self._stop.wait())
        await asyncio.wait({living, stopped}, return_when=asyncio.FIRST_COMPLETED)
        await asyncio.wait({living}, timeout=_STOP_TIMEOUT.total_seconds())
        if not living.done():
            living.cancel()
            await asyncio.wait({living})
        stopped.cancel()
        if not living.cancelled():
            living.result()

    async def _flush(self) -> None:
        """Store what could not be stored during a database outage: this is the last chance."""
        try:
            await self._processor.flush_unsaved()
        except StoreUnavailable as error:
            log.warning("database unavailable while stopping", error=str(error))

    async def _start_parts(self) -> None:
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._scheduler.run(self._stop))
            for interval, step in self._steps():
                tasks.create_task(self._loops.every(interval, step))

    def _steps(self) -> Iterator[tuple[timedelta, Step]]:
        yield AFTER_TROUBLE, self._processor.run
        if self._web is not None:
            yield AFTER_TROUBLE, self._serve
            yield _HEARTBEAT_INTERVAL, self._probe_web
        yield _CHANGE_INTERVAL, self._wake_on_changes
        yield _HOLD_INTERVAL, self._check_holds
        yield _HEARTBEAT_INTERVAL, self._heartbeat
        yield _MAINTENANCE_INTERVAL, self._run_maintenance
        yield _MAINTENANCE_INTERVAL, self._log_health
        yield _PRUNE_INTERVAL, self._prune
        if self._notifier is not None:
            yield _MAINTENANCE_INTERVAL, self._send_notifications

    async def _wake_on_changes(self) -> None:
        """Wake the parts if another process has changed the store."""
        if await self._store.has_changed():
            self._wake_all()

    def _wake_all(self) -> None:
        self._processor.wake()
        self._scheduler.wake()

    async def _check_holds(self) -> None:
        """Check the holds that are due; at the start all, because much may have changed."""
        check = (
            self._hold_monitor.check_due
            if self._has_checked_holds
            else self._hold_monitor.check_all
        )
        await run_until(self._stop, check())
        self._has_checked_holds = True

    async def _run_maintenance(self) -> None:
        """Recover from clock jumps, a replaced database and dead processes, once a minute."""
        # First: by a clock that has jumped, living processes would seem dead.
        await self._store.synchronize_clock()
        await self._register_instances()
        await reschedule_overlong_waits(self._services)
        # During a database outage no process could store a heartbeat, so silence proves nothing.
        if monotonic() - self._beating_since > WORKER_TIMEOUT.total_seconds():
            await recover_silent(self._services, own_traces=self._processor.own_traces)
        self._wake_all()

    async def _log_health(self) -> None:
        """Log a long queue, many failures and late scans."""
        if self._app_context is not None:
            figures = await take_health_snapshot(self._app_context, self._clock())
            self._health_log.record(figures)

    async def _send_notifications(self) -> None:
        """Send due notifications; a stop does not wait for a service that does not answer."""
        if self._notifier is not None:
            await run_until(self._stop, self._notifier.send_due())

    async def _register_instances(self) -> None:
        """Store the instances again if the database was replaced."""
        known = {instance.name for instance in await self._store.instances.list_all()}
        if not known >= set(self._services.instances):
            await register_instances(self._services)

    async def _heartbeat(self) -> None:
        """Store a heartbeat, while the processor is alive and the schema is the expected one."""
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
        if monotonic() - self._last_beat > 2 * _HEARTBEAT_INTERVAL.total_seconds():
            self._beating_since = monotonic()
        self._last_beat = monotonic()

    def _signs(self) -> Heartbeats:
        now = self._clock()
        return Heartbeats(
            processor_at=now - self._silent(),
            scheduler_at=now - _since(self._scheduler.last_heartbeat),
            web_at=self._web_at,
        )

    async def _serve(self) -> None:
        """Serve the dashboard; an error restarts it and stops nothing else."""
        if self._web is not None:
            await self._web.serve(self._stop)

    async def _probe_web(self) -> None:
        """Record when `/health` responds; `healthcheck` reads this time from the store."""
        settings = self._services.context.settings.daemon.web
        address = settings.local_address(self._web.port if self._web else None)
        if await run_until(self._stop, is_health_reachable(address)):
            self._web_at = self._clock()

    def _silent(self) -> timedelta:
        """Return how long the processor has shown no sign of life."""
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


def _exit_with_running_work() -> None:
    """Exit although work is still running."""
    log.warning("exited with running work", hint="the next start recovers it")
    os._exit(0)


def _exit_immediately() -> None:
    """Exit at once; the next start recovers what was running."""
    os._exit(130)
