"""Listen to SIGINT and SIGTERM: the first asks, the second insists."""

import asyncio
import signal
from collections.abc import AsyncIterator, Callable, Collection, Iterable, Iterator
from contextlib import (
    AbstractContextManager,
    ExitStack,
    asynccontextmanager,
    contextmanager,
    nullcontext,
)

import structlog

from core.jobs import Job
from core.workers import WORKER_TIMEOUT
from daemon.context import Context
from daemon.executor import DaemonExecutor, Executor, LocalExecutor
from daemon.running import find_daemon
from daemon.services import Services, configured_targets
from processor.outages import HoldMonitor
from store import WorkLocked

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def on_signals(ask: Callable[[], object], insist: Callable[[], object]) -> Iterator[None]:
    """Call `ask` at the first signal and `insist` at any later one."""
    loop = asyncio.get_running_loop()
    asked = False

    def heard() -> None:
        nonlocal asked
        (insist if asked else ask)()
        asked = True

    for number in _SIGNALS:
        loop.add_signal_handler(number, heard)
    try:
        yield
    finally:
        for number in _SIGNALS:
            loop.remove_signal_handler(number)


log = structlog.get_logger()

_LATER = (
    "It is another command, or a daemon that is just starting: type this again when it has ended."
    " With a daemon (`paperclerk run`) commands wait for each other by themselves."
)


@asynccontextmanager
async def open_executor(services: Services) -> AsyncIterator[Executor]:
    """Yield the hands that do the work: a running daemon's, or else our own.

    Raise WorkLocked if another process that is no daemon is at work.
    """
    if await find_daemon(services.context) is not None:
        yield DaemonExecutor(services)
        return
    with _own_work(services.context):
        await register_instances(services)
        await recover_orphans(services)
        processor, this, stop = services.processor(), asyncio.current_task(), asyncio.Event()
        assert this is not None

        def ask() -> None:
            stop.set()
            processor.stop()

        with on_signals(ask, insist=this.cancel):
            yield LocalExecutor(services, processor, stop)


@contextmanager
def _own_work(memory: Context) -> Iterator[None]:
    """Hold the lock; who cannot have it is another command, or a daemon without a heartbeat yet."""
    with ExitStack() as stack:
        try:
            stack.enter_context(work_lock(memory))
        except WorkLocked as busy:
            raise WorkLocked(busy.pid, hint=_LATER) from busy
        yield


def work_lock(memory: Context) -> AbstractContextManager[object]:
    """Return the lock that who drains the queue must hold; PostgreSQL needs none."""
    return memory.store.lock or nullcontext()


async def register_instances(services: Services) -> None:
    """Make the instances known, each with the endpoint that its jobs rest for.

    Only for who does the work: were a command to write down what the settings say by now, the jobs
    of a running daemon would not rest any more for the endpoint that it uses.
    """
    for name, instance in services.instances.items():
        key = instance.model.server.endpoint.key
        await services.store.instances.register(name, endpoint=key, now=services.since)


async def recover_orphans(services: Services) -> None:
    """Begin where the last process ended: its jobs and scans come back, holds are looked at."""
    await recover(services)
    await reschedule_overlong_waits(services)
    await build_hold_monitor(services).check_all()


async def recover(services: Services) -> None:
    """Take back what no living process works on.

    Only at a start, with the lock of a SQLite store in hand, are all jobs known to be orphans.
    """
    if services.store.shared:
        await recover_silent(services)
        return
    now, jobs = services.context.clock(), services.store.jobs
    found = await jobs.recover_orphans(now=now)
    await services.store.scans.close_orphans(now=now)
    _log_recovered(found)


async def recover_silent(services: Services, *, in_hand: Collection[str] = ()) -> None:
    """Take back what has been silent for long, and is not in our own hands.

    Another process died at it; or it was under way in a backup that was put in the place of the
    database. Our own seems silent as well when the clock jumps, as when a laptop wakes up.
    """
    now = services.context.clock()
    since = now - WORKER_TIMEOUT
    _log_recovered(await services.store.jobs.recover(silent_since=since, now=now, in_hand=in_hand))
    if services.store.shared:
        await services.store.scans.close_abandoned(silent_since=since, now=now)
    else:
        ours = [one.current_scan.id for one in services.scanners.values() if one.current_scan]
        await services.store.scans.close_silent(silent_since=since, under_way=ours, now=now)


async def reschedule_overlong_waits(services: Services) -> None:
    """Reschedule what was planned by a clock that was ahead: it would wait too long."""
    waits = services.store.waits
    now = await waits.read_time(services.context.clock())
    await waits.pull_in_heartbeats(sorted(services.instances), now=now)
    steps, count = {name: one.retry.step for name, one in services.instances.items()}, 0
    while pulled := await waits.pull_in_jobs(steps, now=now):
        count += len(pulled)
    if count:
        log.warning(
            "jobs pulled in", jobs=count, hint="they were planned by a clock that was ahead"
        )
    await build_hold_monitor(services).pull_in(now=now)


def _log_recovered(recovered: Iterable[Job]) -> None:
    for job in recovered:
        log.warning("job recovered", job=job.id, document=str(job.document), status=job.status)


def build_hold_monitor(
    services: Services, *, on_lifted: Callable[[], None] = lambda: None
) -> HoldMonitor:
    return HoldMonitor(
        services.store,
        services.instances,
        clock=services.context.clock,
        on_lifted=on_lifted,
        configured=configured_targets(services.context.settings),
    )
