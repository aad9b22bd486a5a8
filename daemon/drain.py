"""Process the queue, or some of its jobs, and print the results."""

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
"""Number of job ids in one statement."""


async def drain(
    services: Services, executor: Executor, scopes: Iterable[Scope], *, total: int, show: bool
) -> list[FinishedJob]:
    """Process the jobs in `scopes` until none is due; return each after its attempt."""
    if not show:
        return [job for scope in scopes async for job in executor.work(scope)]
    finished = []
    async with display(services, total=total) as shown:
        for scope in scopes:
            async for job in executor.work(scope):
                await shown.show(job)
                finished.append(job)
    return finished


async def process_jobs(services: Services, jobs: Sequence[Job]) -> Exit:
    """Process these jobs now, or leave them in the queue if another process holds the lock."""
    try:
        async with open_executor(services) as executor:
            scopes = scopes_of([job.id for job in jobs])
            finished = await drain(services, executor, scopes, total=len(jobs), show=True)
            if executor.stopping:
                return Exit.CANCELLED
    except WorkLocked as busy:
        console().print(f"{plural(len(jobs), 'job')} in the queue: {busy}")
        return Exit.OK
    attempted = {attempt.job.id for attempt in finished}
    current = [await services.store.jobs.get(job.id) for job in jobs]
    for job in current:
        if job.id not in attempted and job.status is JobStatus.PENDING:
            console().print(f"{job.document} waits: {await explain_wait(services, job)}")
    return max([await _exit_of(services, job) for job in current], default=Exit.OK)


def scopes_of(numbers: Sequence[int]) -> list[Scope]:
    """Split jobs into scopes of a size that one statement can take."""
    parts = [numbers[first : first + _AT_ONCE] for first in range(0, len(numbers), _AT_ONCE)]
    return [Scope(jobs=frozenset(part)) for part in parts]


async def process_queued(services: Services, queued: EnqueueResult) -> Exit:
    """Process the queued jobs, and print why others could not be queued."""
    for error in queued.refused:
        print_error(error)
    ended = await process_jobs(services, queued.jobs)
    return max(ended, Exit.LOOK) if queued.refused else ended


async def _exit_of(services: Services, job: Job) -> Exit:
    """Return the exit code for a job; that of a hold is more specific than 1."""
    if job.status is JobStatus.COMPLETED:
        return Exit.OK
    if job.status is JobStatus.PENDING:
        active = await services.store.holds.list_active()
        if holds := holds_on(job, services.instances[job.document.instance], active):
            return exit_for_holds(holds)
    return Exit.LOOK
