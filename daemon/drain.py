"""Drain the queue, or some jobs of it, and show how it goes."""

from collections.abc import Iterable, Sequence

from actions.jobs import EnqueueResult
from core.jobs import Job, JobStatus, Scope
from daemon.cli.exits import Exit, print_error
from daemon.cli.holds import exit_for_holds, explain_wait, holds_on
from daemon.cli.output import console, plural
from daemon.cli.progress import display
from daemon.executor import Executor
from daemon.lifecycle import open_executor
from daemon.services import Services
from processor.processor import FinishedJob
from store import WorkLocked

_AT_ONCE = 1_000
"""Jobs that are claimed among by their numbers."""


async def drain(
    services: Services, hands: Executor, scopes: Iterable[Scope], *, total: int, show: bool
) -> list[FinishedJob]:
    """Have the jobs in `scopes` worked on until none is due; return each after its attempt."""
    if not show:
        return [one for scope in scopes async for one in hands.work(scope)]
    finished = []
    async with display(services, total=total) as shown:
        for scope in scopes:
            async for one in hands.work(scope):
                await shown.show(one)
                finished.append(one)
    return finished


async def process_jobs(services: Services, jobs: Sequence[Job]) -> Exit:
    """Work on these jobs and no others, at once; or leave them to the process that is at work."""
    try:
        async with open_executor(services) as hands:
            scopes = scopes_of([job.id for job in jobs])
            finished = await drain(services, hands, scopes, total=len(jobs), show=True)
            if hands.stopping:
                return Exit.CANCELLED
    except WorkLocked as busy:
        console().print(f"{plural(len(jobs), 'job')} in the queue: {busy}")
        return Exit.OK
    ended = {one.job.id for one in finished}
    left = [await services.store.jobs.get(job.id) for job in jobs]
    for job in left:
        if job.id not in ended and job.status is JobStatus.PENDING:
            console().print(f"{job.document} waits: {await explain_wait(services, job)}")
    return max([await _exit_of(services, job) for job in left], default=Exit.OK)


def scopes_of(numbers: Sequence[int]) -> list[Scope]:
    """Name jobs by the thousand: a statement takes only so many numbers."""
    parts = [numbers[first : first + _AT_ONCE] for first in range(0, len(numbers), _AT_ONCE)]
    return [Scope(jobs=frozenset(part)) for part in parts]


async def process_queued(services: Services, queued: EnqueueResult) -> Exit:
    """Work on what was put into the queue, and tell why the rest was not."""
    for error in queued.refused:
        print_error(error)
    ended = await process_jobs(services, queued.jobs)
    return max(ended, Exit.LOOK) if queued.refused else ended


async def _exit_of(services: Services, job: Job) -> Exit:
    """Return what a command ends with because of a job: what it rests for tells more than 1."""
    if job.status is JobStatus.COMPLETED:
        return Exit.OK
    if job.status is JobStatus.PENDING:
        active = await services.store.holds.list_active()
        if holds := holds_on(job, services.instances[job.document.instance], active):
            return exit_for_holds(holds)
    return Exit.LOOK
