"""The daemon: a worker that also scans, serves the dashboard and does the maintenance."""

import asyncio
import resource
from collections.abc import Coroutine, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from typing import ClassVar

import structlog

from actions.health import take_health_snapshot
from core.holds import filter_holds
from core.names import TagMissing
from core.settings import SettingsStatus
from core.tasks import run_until
from core.workers import WORKER_TIMEOUT, Heartbeats
from daemon.backup import DailyBackup
from daemon.check import list_suggesting_workflows
from daemon.cli.terminal import console, format_local
from daemon.context import DAEMON
from daemon.draft_check import DraftChecks
from daemon.health import HealthLog, is_health_reachable
from daemon.lifecycle import (
    RENEW_INTERVAL,
    Leadership,
    build_hold_monitor,
    register,
    register_instances,
    remove_unused_indexes,
    reschedule_overlong_waits,
)
from daemon.notify.notifier import Notifier, build_notifier
from daemon.services import ConnectedInstance, Services
from daemon.web import (
    build_app_context,
    issue_password_link,
    open_web_server,
    update_app_context,
)
from daemon.worker import (
    HEARTBEAT_INTERVAL,
    MAINTENANCE_INTERVAL,
    RETRY_DELAY,
    Step,
    Worker,
    since,
    wait_or_stop,
)
from dashboard import AppContext, WebServer
from paperless_client import PaperlessError
from scanner.scheduler import ScanScheduler
from scanner.webhooks import HintQueue
from store import StoreUnavailable
from store.retention import RetentionPolicy

log = structlog.get_logger()

_HOLD_INTERVAL = timedelta(seconds=5)
_PRUNE_INTERVAL = timedelta(hours=24)
_BACKUP_INTERVAL = timedelta(hours=1)
_BACKUP_DELAY = timedelta(minutes=2)
_INDEX_INTERVAL = timedelta(minutes=10)
_WORKFLOWS_INTERVAL = timedelta(hours=6)
_INDEX_DELAY = timedelta(seconds=30)
_DESCRIPTORS = 4096


class Daemon(Worker):
    """Builds the parts of the daemon and keeps them running."""

    role: ClassVar[str] = DAEMON

    def __init__(
        self,
        services: Services,
        *,
        lease: timedelta = WORKER_TIMEOUT,
        backup_delay: timedelta = _BACKUP_DELAY,
    ) -> None:
        super().__init__(services, lease=lease)
        self._scheduler = ScanScheduler(
            services.scheduled,
            store=services.scan_store,
            clock=self._clock,
            found=self._processor.wake,
        )
        self._hints = HintQueue(
            services.scanners,
            store=services.store,
            clock=self._clock,
            found=self._processor.wake,
        )
        self._leadership = Leadership(services.lease, services.scan_store, self._clock)
        self._hold_monitor = build_hold_monitor(services, on_lifted=self._wake_all)
        self._settings_changed = asyncio.Event()
        """Set, and replaced by another, when the settings have changed."""
        self._health_log = HealthLog()
        self._draft_checks = DraftChecks(services.context.settings.folder, self._stop)
        self._app_context: AppContext | None = None
        self._notifier: Notifier | None = None
        self._has_checked_holds = False
        self._has_waited_for_index = False
        context = services.context
        self._daily_backup = None if self._store.shared else DailyBackup(context.data, self._clock)
        self._backup_delay: timedelta | None = backup_delay
        """None once the daemon has waited."""
        self._web: WebServer | None = None
        self._web_at: datetime | None = None
        """When `/health` last responded; initially the start time. None without a dashboard."""
        self.password_link = ""
        """The link for choosing the first password; empty if none was printed."""

    async def _prepare(self) -> None:
        self._web = self._open_web()
        self._web_at = self._clock() if self._web else None
        # Before all else, so that commands typed from now on leave the work to this process.
        await super()._prepare()
        await register_instances(self._services)
        if not self._services.instances:
            hint = "set one up in the dashboard or with `paperclerk init`"
            log.warning(
                "no instance", folder=str(self._services.context.settings.folder), hint=hint
            )
        await self._print_password_link()

    def _open_web(self) -> WebServer | None:
        context = build_app_context(
            self._services,
            processor_silent=self._silent,
            ring=self._wake_all,
            stopping=self._stop,
            start_check=self._draft_checks.start,
        )
        reload = self._reloader.reload if self._reloader else None
        self._app_context = self._with_notifier(
            replace(context, reload=reload, hint=self._hints.add)
        )
        return open_web_server(self._app_context, self._get_app_context)

    def _get_app_context(self) -> AppContext:
        assert self._app_context is not None
        return self._app_context

    def _with_notifier(self, context: AppContext) -> AppContext:
        """Build the notifier, and return the context with its test."""
        self._notifier = build_notifier(replace(context, store=self._services.scan_store))
        return replace(context, send_test=self._notifier.test if self._notifier.can_send else None)

    async def _prepare_instances(self, connected: Mapping[str, ConnectedInstance]) -> None:
        await register(self._services, connected)

    def _apply_settings(self) -> None:
        super()._apply_settings()
        services, former = self._services, self._get_app_context()
        status = self._reloader.status if self._reloader else SettingsStatus()
        self._app_context = update_app_context(former, services, status)
        if former.settings == services.context.settings:
            return
        self._app_context = self._with_notifier(self._app_context)
        self._scheduler.set_instances(services.scheduled)
        self._hints.set_scanners(services.scanners)
        self._hold_monitor = build_hold_monitor(services, on_lifted=self._wake_all)
        # A limit may have been raised, or a server corrected.
        self._has_checked_holds = False
        self._settings_changed.set()
        self._settings_changed = asyncio.Event()

    def _facts(self) -> dict[str, object]:
        web = self._web
        return {
            "instances": ",".join(self._services.instances),
            "time_zone": str(self._services.context.zone),
            "web": f"{web.host}:{web.port}" if web else "off",
        }

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
        self.password_link = invited.link
        console().print(f"Choose a password for the dashboard: {invited.link}")

    async def _start_parts(self) -> None:
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._draft_checks.run())
            tasks.create_task(self._leadership.run(self._lead, stop=self._stop))
            tasks.create_task(super()._start_parts())

    async def _lead(self, ended: asyncio.Event) -> None:
        """Run what only one daemon may do, until our term has ended."""
        self._has_checked_holds = False
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._scheduler.run(ended))
            for interval, step in self._leading_steps():
                tasks.create_task(self._loops.every(interval, step, stop=ended))

    def _steps(self) -> Iterator[tuple[timedelta, Step]]:
        yield from super()._steps()
        if self._web is not None:
            yield RETRY_DELAY, self._serve
            yield HEARTBEAT_INTERVAL, self._probe_web
            yield RETRY_DELAY, self._follow_hints
        yield RENEW_INTERVAL, self._leadership.renew

    def _leading_steps(self) -> Iterator[tuple[timedelta, Step]]:
        yield _HOLD_INTERVAL, self._check_holds
        yield MAINTENANCE_INTERVAL, self._log_health
        yield MAINTENANCE_INTERVAL, self._reschedule_overlong_waits
        yield _PRUNE_INTERVAL, self._prune
        if self._daily_backup is not None:
            yield _BACKUP_INTERVAL, self._back_up
        yield _INDEX_INTERVAL, self._update_index
        yield _WORKFLOWS_INTERVAL, self._read_workflows
        yield MAINTENANCE_INTERVAL, self._notify

    async def _back_up(self) -> None:
        """Write the backup of the day; a daemon that has just started has more urgent work."""
        if self._backup_delay is not None:
            await wait_or_stop(self._backup_delay, stop=self._stop)
            self._backup_delay = None
        if self._daily_backup is not None and not self._stop.is_set():
            await self._daily_backup.write_if_due()

    async def _update_index(self) -> None:
        """Bring the archive index up to date, and learn from it.

        An instance on hold or paused is left out.
        """
        if not self._has_waited_for_index:
            # The first scan, which people wait for, comes first.
            await wait_or_stop(_INDEX_DELAY, stop=self._stop)
            self._has_waited_for_index = True
            # Once: a file that is removed meanwhile may come back.
            status = self._get_app_context().settings_status
            await remove_unused_indexes(self._services, keep=status.invalid)
        for name, known in self._services.connected.items():
            targets = known.instance.targets.all_jobs
            if filter_holds(await self._store.holds.list_active(), targets):
                continue
            try:
                await self._run_with_settings(known.index_filler.update())
                await self._run_with_settings(known.learner.update())
            except (PaperlessError, TagMissing) as error:
                log.warning("archive index not updated", instance=name, error=str(error))

    async def _run_with_settings(self, work: Coroutine[object, object, None]) -> None:
        """Run until the stop, or until the settings change: a tag may have been excluded."""
        await run_until(self._stop, run_until(self._settings_changed, work))

    def _wake_all(self) -> None:
        super()._wake_all()
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

    async def _read_workflows(self) -> None:
        """Read which workflows of Paperless apply its own AI suggestions, for the overview."""
        if self._app_context is None:
            return
        # The first scan, which people wait for, comes first.
        await wait_or_stop(_INDEX_DELAY, stop=self._stop)
        for name, instance in self._services.instances.items():
            found = await list_suggesting_workflows(instance)
            self._app_context.suggesting_workflows[name] = found

    async def _run_maintenance(self) -> None:
        """Recover also from a replaced database."""
        await self._register_instances()
        await super()._run_maintenance()

    async def _log_health(self) -> None:
        """Log a long queue, many failures and late scans."""
        if self._app_context is not None:
            figures = await take_health_snapshot(self._app_context, self._clock())
            self._health_log.record(figures)

    async def _reschedule_overlong_waits(self) -> None:
        await self._store.synchronize_clock()
        await reschedule_overlong_waits(self._services)
        self._wake_all()

    async def _notify(self) -> None:
        """Record and send notifications; a stop does not wait for a service without an answer."""
        if self._notifier is not None:
            await run_until(self._stop, self._notifier.run_once())

    async def _register_instances(self) -> None:
        """Store the instances again if the database was replaced."""
        known = {instance.name for instance in await self._store.instances.list_all()}
        if not known >= set(self._services.instances):
            await register_instances(self._services)

    def _signs(self) -> Heartbeats:
        return replace(
            super()._signs(),
            scheduler_at=self._scheduler_at(),
            web_at=self._web_at,
        )

    def _scheduler_at(self) -> datetime | None:
        """Return when the scheduler last reported; None while another daemon scans."""
        if not self._leadership.is_leading:
            return None
        return self._clock() - since(self._scheduler.last_heartbeat)

    async def _finish(self) -> None:
        with suppress(StoreUnavailable):
            await self._leadership.resign()
        await super()._finish()

    async def _serve(self) -> None:
        """Serve the dashboard; an error restarts it and stops nothing else."""
        if self._web is not None:
            await self._web.serve(self._stop)

    async def _follow_hints(self) -> None:
        """Look up the documents that webhooks name."""
        await self._hints.run(self._stop)

    async def _probe_web(self) -> None:
        """Record when `/health` responds; `healthcheck` reads this time from the store."""
        settings = self._services.context.settings.daemon.web
        address = settings.local_address(self._web.port if self._web else None)
        if await run_until(self._stop, is_health_reachable(address)):
            self._web_at = self._clock()

    async def _prune(self) -> None:
        retention = self._services.scan_store.retention
        kept = self._services.context.settings.daemon.retention
        policy = RetentionPolicy(
            events=kept.events,
            results=kept.results,
            partial_results=kept.partial_results,
            jobs=kept.jobs,
            changes=kept.changes,
        )
        pruned = await retention.prune(policy, now=self._clock())
        log.debug("old rows deleted", jobs=pruned.jobs, events=pruned.events)


def raise_descriptor_limit() -> None:
    """Raise the soft limit for file descriptors: the usual one is small for a server."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _DESCRIPTORS if hard == resource.RLIM_INFINITY else min(hard, _DESCRIPTORS)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        # macOS may enforce a lower limit than the one it reports.
        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
