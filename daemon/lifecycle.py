"""Start and stop of a worker process: signals, lock, registration, recovery, leadership.

Of several daemons on one database, only the leader scans and does the maintenance.
"""

import asyncio
import os
import signal
import socket
from collections.abc import (
    AsyncIterator,
    Callable,
    Collection,
    Coroutine,
    Iterable,
    Iterator,
    Mapping,
)
from contextlib import (
    AbstractContextManager,
    ExitStack,
    asynccontextmanager,
    contextmanager,
    nullcontext,
)
from datetime import timedelta

import structlog

from core.calendar import Clock
from core.jobs import Job
from core.tasks import run_until
from core.workers import WORKER_TIMEOUT
from daemon.context import Context, find_daemon
from daemon.executor import DaemonExecutor, Executor, LocalExecutor
from daemon.services import ConnectedInstance, Services, configured_targets
from processor.holds import HoldMonitor, hold_for_address
from store import HeldLease, LeaseLost, Store, WorkLocked

log = structlog.get_logger()

_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_BUSY_HINT = (
    "It is another command, or a daemon that is just starting: type this again when it has ended."
    " With a daemon (`paperclerk run`) commands wait for each other by themselves."
)
RENEW_INTERVAL = timedelta(seconds=5)
"""Several tries before the lease ends; a daemon on standby takes an expired one after this long."""


class Leadership:
    """Holds the scanner's lease if possible, and runs the leader's parts meanwhile.

    Without a lease, on SQLite, this is the only daemon and it always leads.
    """

    def __init__(self, lease: HeldLease | None, store: Store, clock: Clock) -> None:
        self._lease = lease
        self._store = store
        """Fenced by the lease."""
        self._clock = clock
        self._ended: asyncio.Event | None = asyncio.Event() if lease is None else None
        """Set when our term is over; None while another daemon leads."""
        self._begun = asyncio.Event()

    @property
    def is_leading(self) -> bool:
        return self._ended is not None and not self._ended.is_set()

    async def renew(self) -> None:
        """Renew the lease, or take it if no other daemon holds it."""
        if self._lease is None:
            return
        if self._ended is None:
            await self._try_to_begin(self._lease)
        elif not self._ended.is_set() and not await self._lease.renew():
            log.warning("another daemon scans now")
            self._ended.set()

    async def run(
        self,
        lead: Callable[[asyncio.Event], Coroutine[object, object, None]],
        *,
        stop: asyncio.Event,
    ) -> None:
        """Run `lead` during each term, with the event that ends it, until the stop."""
        while not stop.is_set():
            if self._ended is None:
                await run_until(stop, self._wait_for_term())
                continue
            await run_until(stop, lead(self._ended))
            if self._ended.is_set():
                self._ended = None

    async def resign(self) -> None:
        """Let another daemon take over at once."""
        if self._lease is not None:
            await self._lease.release()

    async def _try_to_begin(self, lease: HeldLease) -> None:
        if lease.term is None and not await lease.acquire():
            return
        assert lease.term is not None
        try:
            # They cannot end by themselves: each of their writes is refused.
            await self._store.scans.close_of_former_terms(term=lease.term, now=self._clock())
        except LeaseLost:
            lease.term = None
            return
        log.info("this daemon scans", term=lease.term)
        self._ended = asyncio.Event()
        self._begun.set()

    async def _wait_for_term(self) -> None:
        await self._begun.wait()
        self._begun.clear()


@contextmanager
def on_signals(ask: Callable[[], object], insist: Callable[[], object]) -> Iterator[None]:
    """Call `ask` at the first signal and `insist` at any later one."""
    loop = asyncio.get_running_loop()
    asked = False

    def handle() -> None:
        nonlocal asked
        (insist if asked else ask)()
        asked = True

    for number in _SIGNALS:
        loop.add_signal_handler(number, handle)
    try:
        yield
    finally:
        for number in _SIGNALS:
            loop.remove_signal_handler(number)


@asynccontextmanager
async def open_executor(services: Services) -> AsyncIterator[Executor]:
    """Yield an executor: through the running daemon, or else in this process.

    Raise WorkLocked if another process that is not a daemon holds the lock.
    """
    if await find_daemon(services.context) is not None:
        yield DaemonExecutor(services)
        return
    with _hold_work_lock(services.context):
        await register_instances(services)
        await recover_orphans(services)
        processor, this, stop = services.processor(), asyncio.current_task(), asyncio.Event()
        assert this is not None

        def ask() -> None:
            stop.set()
            processor.stop()

        with on_signals(ask, insist=this.cancel):
            yield LocalExecutor(services, processor, stop)


def work_lock(context: Context) -> AbstractContextManager[object]:
    """Return the lock for the process that works on the queue; PostgreSQL needs none."""
    return context.store.lock or nullcontext()


async def register_instances(services: Services) -> None:
    """Store the instances, each with the model endpoint whose holds apply to its jobs.

    Only the process that works on the queue calls this. A command may have loaded newer settings;
    storing their endpoint would release the jobs that a running daemon holds for its own.
    """
    await register(services, services.connected)


async def register(services: Services, connected: Mapping[str, ConnectedInstance]) -> None:
    """Store instances as `register_instances` does, before or after they are used."""
    for name, known in connected.items():
        key = known.instance.model.server.endpoint.key
        url = known.instance.url
        stored = await services.store.instances.register(
            name, endpoint=key, url=url, now=known.since
        )
        await hold_for_address(services.store, stored, url, now=services.context.clock())


async def remove_unused_indexes(services: Services, *, keep: Collection[str] = ()) -> None:
    """Remove instances from the archive index that are not in the settings any more.

    `keep` are those whose files cannot be loaded at present.
    """
    index = services.store.index
    known = {*services.context.settings.instances, *keep}
    for name in (await index.list_excluded_tags()).keys() - known:
        await index.remove_instance(name)
        await services.store.learnt.forget_instance(name)
        log.info("archive index removed", instance=name)


async def recover_orphans(services: Services) -> None:
    """Recover the jobs and scans of a process that has ended, and check the holds."""
    await recover(services)
    await reschedule_overlong_waits(services)
    await build_hold_monitor(services).check_all()


async def recover(services: Services, *, timeout: timedelta = WORKER_TIMEOUT) -> None:
    """Recover jobs and scans that no process works on any more.

    All running jobs are orphans only at the start, while this process holds the lock of SQLite.
    """
    if services.store.shared:
        await recover_silent(services, timeout=timeout)
        return
    now, jobs = services.context.clock(), services.store.jobs
    found = await jobs.recover_orphans(now=now)
    await services.store.scans.close_orphans(now=now)
    await services.store.workers.remove_others(pid=os.getpid(), host=socket.gethostname())
    _log_recovered(found)


async def recover_silent(
    services: Services, *, own_traces: Collection[str] = (), timeout: timedelta = WORKER_TIMEOUT
) -> None:
    """Recover jobs and scans without a heartbeat, except those of this process.

    Their process has died, or they come from a backup that replaced the database. Our own jobs can
    seem silent too, when the clock jumps, as after a laptop wakes up.
    """
    now = services.context.clock()
    since = now - timeout
    _log_recovered(
        await services.store.jobs.recover(silent_since=since, now=now, own_traces=own_traces)
    )
    if services.store.shared:
        await services.store.scans.close_abandoned(silent_since=since, now=now)
    else:
        ours = [scan.id for scan in services.running_scans]
        await services.store.scans.close_silent(silent_since=since, under_way=ours, now=now)


async def reschedule_overlong_waits(services: Services) -> None:
    """Reschedule jobs that were scheduled by a clock that was ahead and would wait too long."""
    waits = services.scan_store.waits
    now = await waits.read_time(services.context.clock())
    await waits.pull_in_heartbeats(sorted(services.instances), now=now)
    settings = services.context.waits
    ours = {name: settings[name] for name in services.instances}
    count = 0
    while pulled := await waits.pull_in_jobs(ours, now=now):
        count += len(pulled)
    if count:
        log.warning(
            "jobs rescheduled", jobs=count, hint="they were planned by a clock that was ahead"
        )
    await build_hold_monitor(services).pull_in(now=now)


def build_hold_monitor(
    services: Services, *, on_lifted: Callable[[], None] = lambda: None
) -> HoldMonitor:
    """Build a monitor for the holds of all configured instances."""
    return HoldMonitor(
        services.scan_store,
        services.instances,
        clock=services.context.clock,
        on_lifted=on_lifted,
        configured=configured_targets(services.context.settings),
    )


@contextmanager
def _hold_work_lock(context: Context) -> Iterator[None]:
    """Hold the lock; raise WorkLocked with a hint for a person who typed a command."""
    with ExitStack() as stack:
        try:
            stack.enter_context(work_lock(context))
        except WorkLocked as busy:
            raise WorkLocked(busy.pid, hint=_BUSY_HINT) from busy
        yield


def _log_recovered(recovered: Iterable[Job]) -> None:
    for job in recovered:
        log.warning("job recovered", job=job.id, document=str(job.document), status=job.status)
