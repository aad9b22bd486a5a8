"""Be at work: hold the lock, take back what a dead process left, and stop when asked to."""

import asyncio
import signal
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, nullcontext
from datetime import timedelta

import structlog

from daemon.wiring import Clerk
from processor.outage import probe_model, probe_paperless
from processor.processor import Processor
from store import WorkLock

log = structlog.get_logger()

_SILENT = timedelta(minutes=2)
"""A worker on another machine that has shown no life for so long is dead."""


@asynccontextmanager
async def at_work(clerk: Clerk) -> AsyncIterator[Processor]:
    """Yield a processor that may drain the queue; raise WorkLocked if another process does."""
    with nullcontext() if clerk.store.shared else WorkLock(clerk.memory.data):
        await _recover(clerk)
        await _end_holds(clerk)
        processor = clerk.processor()
        with stopped_by_signal(processor):
            yield processor


@contextmanager
def stopped_by_signal(processor: Processor) -> Iterator[None]:
    """Stop the processor at the first signal; at the second, leave at once."""
    loop = asyncio.get_running_loop()
    this = asyncio.current_task()

    def stop() -> None:
        if processor.stopping and this is not None:
            this.cancel()
        processor.stop()

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop)
    try:
        yield
    finally:
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)


async def _recover(clerk: Clerk) -> None:
    now, jobs = clerk.memory.clock(), clerk.store.jobs
    if clerk.store.shared:
        found = await jobs.recover(silent_since=now - _SILENT, now=now)
    else:
        found = await jobs.recover_orphans(now=now)
        await clerk.store.scans.close_orphans(now=now)
    for job in found:
        log.warning("job recovered", job=job.id, document=str(job.document), status=job.status)


async def _end_holds(clerk: Clerk) -> None:
    """Ask what rests whether it works again."""
    held = {hold.target for hold in await clerk.store.holds.active()}
    now = clerk.memory.clock()
    for instance in clerk.instances.values():
        if instance.paperless_target in held and await probe_paperless(instance) is None:
            await clerk.store.holds.lift(instance.paperless_target, now=now)
        if instance.model_target in held and await probe_model(instance) is None:
            await clerk.store.holds.lift(instance.model_target, now=now)
