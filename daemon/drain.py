"""Drain the queue, or some jobs of it, and show how it goes."""

from collections.abc import Collection

from core.jobs import Job, JobStatus, Scope
from daemon.exits import Exit
from daemon.progress import display
from daemon.wiring import Clerk
from daemon.work import at_work
from processor.processor import Finished, Processor


async def drain(
    clerk: Clerk, processor: Processor, scope: Scope, *, total: int, show: bool
) -> list[Finished]:
    """Work on the jobs in `scope` until none is due; return each after its attempt."""
    if not show:
        return [one async for one in processor.drain(scope)]
    finished = []
    async with display(clerk, total=total) as shown:
        async for one in processor.drain(scope):
            await shown.show(one)
            finished.append(one)
    return finished


async def work_on(clerk: Clerk, jobs: Collection[Job]) -> Exit:
    """Work on these jobs and no others, at once."""
    async with at_work(clerk) as processor:
        scope = Scope(jobs=frozenset(job.id for job in jobs))
        finished = await drain(clerk, processor, scope, total=len(jobs), show=True)
        if processor.stopping:
            return Exit.CANCELLED
    done = [one for one in finished if one.job.status is JobStatus.COMPLETED]
    return Exit.OK if len(done) == len(jobs) else Exit.LOOK
