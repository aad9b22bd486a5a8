"""The queue, as people steer it: process again, retry, cancel."""

import asyncio
from collections.abc import Iterable
from contextlib import suppress
from datetime import timedelta

from core.documents import DocumentRef
from core.jobs import ANALYZE, Job, JobStatus, NewJob, Priority
from paperless_client import OutageSuspected
from processor.actions.caller import Caller
from processor.actions.queued import Queued
from store import AlreadyQueued, JobFilter, NotFound, Refused, StoreError

_PATIENCE = timedelta(seconds=2)
_MOST = 10_000
_LIVE = (JobStatus.PENDING, JobStatus.PROCESSING)


async def require_document(caller: Caller, ref: DocumentRef) -> None:
    """Raise DocumentGone if Paperless has no such document; one that is away is not waited for."""
    paperless = caller.instance(ref.instance).paperless
    with suppress(OutageSuspected, TimeoutError):
        async with asyncio.timeout(_PATIENCE.total_seconds()):
            await paperless.summary(ref.id)


async def process_again(
    caller: Caller, ref: DocumentRef, priority: Priority = Priority.BY_HAND
) -> Job:
    """Have a document analysed, also if it was before; if it is in the queue, that job is returned.

    Raise DocumentIgnored.
    """
    attempts = caller.attempts(ref)
    wanted = NewJob(ref, ANALYZE, priority, asked_by=caller.by, max_attempts=attempts)
    # Twice, for a live twin may end between the two questions.
    for _ in range(2):
        job = await caller.store.jobs.enqueue(wanted, now=caller.now())
        if job := job or await _live_twin(caller, ref):
            return job
    raise AlreadyQueued(ref, kind=ANALYZE)


async def failed(
    caller: Caller, instance: str | None = None, cause: str | None = None
) -> tuple[int, ...]:
    """Return the jobs that failed, of one instance or all, for one cause or any."""
    names = [instance] if instance is not None else list(caller.settings)
    found: list[int] = []
    for name in names:
        caller.require(name)
        wanted = JobFilter(status=JobStatus.FAILED, instance=name, cause=cause)
        found += [job.id for job in await caller.store.jobs.list(wanted, limit=_MOST)]
    return tuple(found)


async def retry(caller: Caller, ids: Iterable[int]) -> Queued:
    """Start jobs again; one that cannot be, such as of an ignored document, stops no other."""
    jobs: list[Job] = []
    refused: list[StoreError] = []
    for id_ in ids:
        try:
            jobs.append(await retry_one(caller, id_))
        except (NotFound, Refused) as error:
            refused.append(error)
    return Queued(tuple(jobs), tuple(refused))


async def retry_one(caller: Caller, job_id: int) -> Job:
    """Start a job again; raise JobNotFound, WrongMove, AlreadyQueued or DocumentIgnored."""
    await caller.job(job_id)
    return await caller.store.jobs.restart(job_id, by=caller.by, now=caller.now())


async def cancel(caller: Caller, job_id: int, why: str = "") -> Job:
    """Cancel a job; one that is worked on is asked to end, and does so within a second."""
    await caller.job(job_id)
    by = f"{caller.by}: {why}" if why else caller.by
    return await caller.store.jobs.cancel(job_id, by=by, now=caller.now())


async def cancel_scan(caller: Caller, scan_id: int, why: str = "") -> tuple[Job, ...]:
    """Cancel what a scan has put into the queue and is not finished yet."""
    await caller.scan(scan_id)
    found: list[Job] = []
    for status in _LIVE:
        wanted = JobFilter(status=status, scan_id=scan_id)
        found += await caller.store.jobs.list(wanted, limit=_MOST)
    return tuple([await cancel(caller, job.id, why) for job in found])


async def _live_twin(caller: Caller, ref: DocumentRef) -> Job | None:
    """Return the job that stands in the queue for this document already."""
    for status in _LIVE:
        wanted = JobFilter(status=status, document=ref, kind=ANALYZE)
        for job in await caller.store.jobs.list(wanted, limit=1):
            return job
    return None
