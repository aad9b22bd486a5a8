"""A process that works on the queue: the processor, its heartbeat and the recovery of others.

Its steps are repeated until it stops, despite database outages and unexpected errors.
"""

import asyncio
import ctypes
import os
import socket
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import suppress
from datetime import timedelta
from importlib.metadata import version
from time import monotonic
from typing import ClassVar, TypeAlias

import structlog

from actions.health import TOO_SILENT
from core.settings import fingerprint
from core.tasks import cancel_and_wait, run_until
from core.workers import ONLY_PROCESSES, WORKER_TIMEOUT, Heartbeats
from daemon.lifecycle import on_signals, recover, recover_silent, work_lock
from daemon.reload import POLL_INTERVAL, SettingsReloader
from daemon.services import ConnectedInstance, Services, process_name
from processor.verdict import problem_of
from store import LeaseLost, StoreUnavailable

log = structlog.get_logger()

_CHANGE_INTERVAL = timedelta(seconds=0.5)
HEARTBEAT_INTERVAL = timedelta(seconds=15)
MAINTENANCE_INTERVAL = timedelta(minutes=1)
_GRACE = timedelta(seconds=5)
_STOP_TIMEOUT = timedelta(seconds=6.5)
_EXIT_TIMEOUT = timedelta(seconds=9)
"""Docker kills a process ten seconds after asking it to stop. Parts get `_STOP_TIMEOUT` to end by
themselves and are then cancelled; at `_EXIT_TIMEOUT` the process exits. The next start recovers the
rest."""
Step: TypeAlias = Callable[[], Awaitable[None]]
RETRY_DELAY = timedelta(seconds=5)
"""How long to wait after a database outage or an unexpected error."""
_HEALTHY_AFTER = timedelta(seconds=11)
"""A step that runs this long has reached the database: even waiting for a lock takes less."""

_LIBC = ctypes.CDLL(None)


class Worker:
    """Processes jobs until it is stopped, and recovers those of dead processes."""

    role: ClassVar[str] = ONLY_PROCESSES

    def __init__(self, services: Services, *, lease: timedelta = WORKER_TIMEOUT) -> None:
        self._services = services
        self._store = services.store
        self._clock = services.context.clock
        self._stop = asyncio.Event()
        self._loops = Loops(self._stop)
        daemon = services.context.settings.daemon
        self._processor = services.processor(parallel=daemon.processor.parallel, grace=_GRACE)
        self._reloader = self._build_reloader()
        self._lease = lease
        """A process without a heartbeat for this long is dead; all processes must agree on it."""
        self._heartbeat_interval = min(HEARTBEAT_INTERVAL, lease / 4)
        self._exit_timer: asyncio.TimerHandle | None = None
        self._name = process_name()
        self._last_beat = monotonic()
        self._beating_since = -lease.total_seconds()
        """Since when our heartbeats have reached the database, by the monotonic clock."""

    def _build_reloader(self) -> SettingsReloader | None:
        """Return None if the settings are not from files."""
        options = self._services.context.options
        if options is None:
            return None
        return SettingsReloader(
            self._services,
            options,
            prepare=self._prepare_instances,
            on_change=self._apply_settings,
        )

    async def _prepare_instances(self, connected: Mapping[str, ConnectedInstance]) -> None:
        """Store what must be stored before instances are used."""

    def _apply_settings(self) -> None:
        """Let every part use the current settings."""
        parallel = self._services.context.settings.daemon.processor.parallel
        self._processor.set_instances(self._services.instances, parallel=parallel)

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
            await self._prepare()
            log.info("started", version=version("paperclerk"), pid=os.getpid(), **self._facts())
            await self._run_parts()
            await self._finish()
            if self._exit_timer is not None:
                self._exit_timer.cancel()
            log.info("stopped")

    async def _prepare(self) -> None:
        """Do what must succeed before the start; afterwards no database outage ends the process."""
        await self._heartbeat()
        await recover(self._services, timeout=self._lease)

    def _facts(self) -> dict[str, object]:
        """Return what the log says about the start."""
        return {"role": self.role, "instances": ",".join(self._services.instances)}

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

    async def _start_parts(self) -> None:
        async with asyncio.TaskGroup() as tasks:
            for interval, step in self._steps():
                tasks.create_task(self._loops.every(interval, step))

    def _steps(self) -> Iterator[tuple[timedelta, Step]]:
        yield RETRY_DELAY, self._processor.run
        if self._store.shared:
            yield RETRY_DELAY, self._listen
        else:
            yield _CHANGE_INTERVAL, self._wake_on_changes
        yield self._heartbeat_interval, self._heartbeat
        yield min(MAINTENANCE_INTERVAL, self._lease / 2), self._run_maintenance
        yield MAINTENANCE_INTERVAL, self._release_memory
        if self._reloader is not None:
            yield POLL_INTERVAL, self._reloader.poll

    async def _finish(self) -> None:
        """Store what a database outage has left over, and remove our entry: the last chance."""
        try:
            await self._processor.flush_unsaved()
        except StoreUnavailable as error:
            log.warning("database unavailable while stopping", error=str(error))
        with suppress(StoreUnavailable):
            await self._store.workers.remove(self._name)

    async def _wake_on_changes(self) -> None:
        """Wake the parts if another process has changed the store."""
        if await self._store.has_changed():
            self._wake_all()

    async def _listen(self) -> None:
        """Wake the parts when another process announces work."""
        await run_until(self._stop, self._store.listen(self._wake_all))

    def _wake_all(self) -> None:
        self._processor.wake()

    async def _run_maintenance(self) -> None:
        """Recover from clock jumps and dead processes."""
        # First: by a clock that has jumped, living processes would seem dead.
        await self._store.synchronize_clock()
        if self._proves_silence():
            await recover_silent(
                self._services, own_traces=self._processor.own_traces, timeout=self._lease
            )
        await self._services.close_retired(in_use=self._processor.instances_in_use)
        self._wake_all()

    async def _release_memory(self) -> None:
        """Return freed memory to the system: a page or a document needs some for a moment."""
        await asyncio.to_thread(release_memory)

    def _proves_silence(self) -> bool:
        """Return whether others could have sent heartbeats: during an outage none can.

        A process that was frozen does not know what happened meanwhile, until its next heartbeat.
        """
        now = monotonic()
        is_recent = now - self._last_beat <= 2 * self._heartbeat_interval.total_seconds()
        return is_recent and now - self._beating_since > self._lease.total_seconds()

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
            role=self.role,
            now=self._clock(),
            signs=self._signs(),
            settings=fingerprint(self._services.context.settings),
        )
        if monotonic() - self._last_beat > 2 * self._heartbeat_interval.total_seconds():
            self._beating_since = monotonic()
        self._last_beat = monotonic()

    def _signs(self) -> Heartbeats:
        return Heartbeats(processor_at=self._clock() - self._silent())

    def _silent(self) -> timedelta:
        """Return how long the processor has shown no sign of life."""
        return since(self._processor.last_sign)


class Loops:
    """Repeats steps until the stop.

    A database outage is logged once when the first step fails, and once when no step fails any
    more. Skipped steps do no harm: what they would have read is still there later.

    An unexpected error is logged once for each step and never ends the others.
    """

    def __init__(self, stop: asyncio.Event) -> None:
        self._stop = stop
        self._without_database: set[Step] = set()
        self._failing: dict[Step, str] = {}

    async def every(
        self, interval: timedelta, step: Step, *, stop: asyncio.Event | None = None
    ) -> None:
        """Run `step`, and again after each interval, until the stop; ours unless given another."""
        stop = stop or self._stop
        while not stop.is_set():
            try:
                await self._run(step)
            except StoreUnavailable as error:
                self._record_outage(step, error)
                await wait_or_stop(min(interval, RETRY_DELAY), stop=stop)
            except LeaseLost:
                # Logged once, by whoever renews it.
                await wait_or_stop(min(interval, RETRY_DELAY), stop=stop)
            except Exception as error:  # noqa: BLE001 - one part's fault must not end the others
                self._record_failure(step, error)
                await wait_or_stop(min(interval, RETRY_DELAY), stop=stop)
            else:
                self._record_success(step)
                await wait_or_stop(interval, stop=stop)

    async def _run(self, step: Step) -> None:
        """Run a step; one that never ends counts as recovered after a while."""
        task = asyncio.ensure_future(step())
        try:
            await asyncio.wait({task}, timeout=_HEALTHY_AFTER.total_seconds())
            if not task.done():
                self._record_success(step)
            await task
        except asyncio.CancelledError:
            error = await cancel_and_wait(task)
            if error is not None:
                message = str(problem_of(error).message)
                log.warning("part failed while being ended", part=_name_of(step), error=message)
            raise

    def _record_outage(self, step: Step, error: StoreUnavailable) -> None:
        if not self._without_database:
            log.error("database unavailable", error=str(error), hint=error.hint)
        self._without_database.add(step)

    def _record_failure(self, step: Step, error: Exception) -> None:
        message = str(problem_of(error).message)
        if self._failing.get(step) != message:
            log.error("part failed", part=_name_of(step), error=message)
        self._failing[step] = message

    def _record_success(self, step: Step) -> None:
        if self._failing.pop(step, None):
            log.info("part works again", part=_name_of(step))
        if step in self._without_database:
            self._without_database.remove(step)
            if not self._without_database:
                log.info("database available again")


def since(sign: float) -> timedelta:
    """Return the time since a moment of the monotonic clock."""
    return timedelta(seconds=monotonic() - sign)


async def wait_or_stop(interval: timedelta, *, stop: asyncio.Event) -> None:
    """Wait for the interval, or until the stop."""
    with suppress(TimeoutError):
        await asyncio.wait_for(stop.wait(), interval.total_seconds())


def _exit_with_running_work() -> None:
    """Exit although work is still running."""
    log.warning("exited with running work", hint="the next start recovers it")
    os._exit(0)


def _exit_immediately() -> None:
    """Exit at once; the next start recovers what was running."""
    os._exit(130)


def _name_of(step: Step) -> str:
    return getattr(step, "__qualname__", repr(step))


def release_memory() -> None:
    """Return freed memory to the system. glibc keeps it; other C libraries have no such call."""
    trim = getattr(_LIBC, "malloc_trim", None)
    if trim is not None:
        trim(0)
