"""`process`, `retry`, `cancel`: put documents and jobs into the queue, or take them out."""

from collections.abc import Iterable, Sequence

from core.documents import DocumentRef
from core.jobs import ANALYZE, Job, JobStatus, NewJob, Priority
from daemon.drain import work_on
from daemon.exits import Exit, UsageError, tell
from daemon.memory import Memory, Options, open_memory
from daemon.output import console
from daemon.wiring import Clerk, open_clerk
from store import JobFilter, NotFound, Refused


async def process(options: Options, ref: DocumentRef) -> Exit:
    """Analyse one document now, also if it was processed before."""
    async with (
        open_memory(options) as memory,
        open_clerk(memory, memory.chosen(ref.instance)) as clerk,
    ):
        # Asked first, so that a number that does not exist leaves no trace in the queue.
        await clerk.instances[ref.instance].paperless.summary(ref.id)
        return await work_on(clerk, [await _enqueue(clerk, ref)])


async def _enqueue(clerk: Clerk, ref: DocumentRef) -> Job:
    attempts = clerk.instances[ref.instance].retry.max_attempts
    wanted = NewJob(ref, ANALYZE, Priority.BY_HAND, asked_by="hand", max_attempts=attempts)
    job = await clerk.store.jobs.enqueue(wanted, now=clerk.memory.clock())
    return job or await _live_twin(clerk, ref)


async def _live_twin(clerk: Clerk, ref: DocumentRef) -> Job:
    """Return the job that stands in the queue for this document already."""
    for status in (JobStatus.PENDING, JobStatus.PROCESSING):
        wanted = JobFilter(status=status, document=ref, kind=ANALYZE)
        for job in await clerk.store.jobs.list(wanted, limit=1):
            return job
    raise UsageError(f"{ref} was just finished by another process; try again")


async def retry(options: Options, ids: Sequence[int], *, name: str | None) -> Exit:
    """Start failed or cancelled jobs again, and work on them; without ids, all failed ones."""
    async with open_memory(options) as memory:
        chosen = memory.chosen(name)
        wanted = list(ids) or [
            job.id
            for one in chosen
            for job in await memory.store.jobs.list(
                JobFilter(status=JobStatus.FAILED, instance=one), limit=10_000
            )
        ]
        if not wanted:
            console().print("nothing has failed")
            return Exit.OK
        jobs = await _restarted(memory, wanted)
        async with open_clerk(memory, {job.document.instance for job in jobs}) as clerk:
            ended = await work_on(clerk, jobs)
        return ended if len(jobs) == len(wanted) else max(ended, Exit.LOOK)


async def _restarted(memory: Memory, ids: Iterable[int]) -> list[Job]:
    """Start jobs again; one that cannot be, such as of an ignored document, stops no other."""
    jobs = []
    for id_ in ids:
        try:
            jobs.append(await memory.store.jobs.restart(id_, by="hand", now=memory.clock()))
        except (NotFound, Refused) as error:
            tell(error)
    return jobs


async def cancel(options: Options, ids: Sequence[int], *, why: str) -> Exit:
    """Cancel jobs; one that is being worked on ends within a second."""
    async with open_memory(options) as memory:
        for id_ in ids:
            by = f"hand: {why}" if why else "hand"
            job = await memory.store.jobs.cancel(id_, by=by, now=memory.clock())
            asked = job.status is JobStatus.PROCESSING
            said = "is asked to end" if asked else f"is {job.status}"
            console().print(f"job {job.id} ({job.document}) {said}")
        return Exit.OK
