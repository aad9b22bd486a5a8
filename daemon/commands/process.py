"""`process`, `retry`, `cancel`: put documents and jobs into the queue, or take them out."""

from collections.abc import Sequence

from actions import jobs
from core.documents import DocumentRef
from core.jobs import JobStatus
from daemon.cli.exits import Exit
from daemon.cli.options import Options
from daemon.cli.output import console
from daemon.context import open_context
from daemon.drain import process_jobs, process_queued
from daemon.services import open_services


async def process(options: Options, ref: DocumentRef) -> Exit:
    """Analyse one document now, also if it was processed before."""
    async with (
        open_context(options) as memory,
        open_services(memory, memory.select_instances(ref.instance)) as services,
    ):
        # Asked first, so that a number that does not exist leaves no trace in the queue.
        await jobs.require_document(services.caller, ref)
        return await process_jobs(services, [await jobs.process_again(services.caller, ref)])


async def retry(options: Options, ids: Sequence[int], *, name: str | None) -> Exit:
    """Start failed or cancelled jobs again, and work on them; without ids, all failed ones."""
    async with open_context(options) as memory:
        memory.select_instances(name)
        wanted = ids or await jobs.list_failed(memory.caller, name)
        if not wanted:
            console().print("nothing has failed")
            return Exit.OK
        started = await jobs.retry(memory.caller, wanted)
        async with open_services(
            memory, {job.document.instance for job in started.jobs}
        ) as services:
            return await process_queued(services, started)


async def cancel(options: Options, ids: Sequence[int], *, why: str) -> Exit:
    """Cancel jobs; one that is being worked on ends within a second."""
    async with open_context(options) as memory:
        for id_ in ids:
            job = await jobs.cancel(memory.caller, id_, why)
            asked = job.status is JobStatus.PROCESSING
            said = "is asked to end" if asked else f"is {job.status}"
            console().print(f"job {job.id} ({job.document}) {said}")
        return Exit.OK
