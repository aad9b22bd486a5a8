"""The queue, as people steer it: process again, retry, cancel."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

from actions.caller import Caller
from actions.queued import Queued
from actions.soon import require_soon
from core.documents import DocumentRef
from core.jobs import ANALYZE, Job, JobStatus, NewJob, Priority
from store import AlreadyQueued, JobFilter, JobNotFound, StoreError

_PATIENCE = timedelta(seconds=2)
_PAGE = 1_000
"""Jobs that are looked at at once."""
_AT_ONCE = 100
"""Jobs that are moved in one transaction: nobody else writes meanwhile."""
_LIVE = (JobStatus.PENDING, JobStatus.PROCESSING)


async def require_document(caller: Caller, ref: DocumentRef) -> None:
    """Raise DocumentGone if Paperless has no such document; one that is away is not waited for."""
    await require_soon(caller.instance(ref.instance), ref.id, _PATIENCE)


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
    """Return all jobs that failed, of one instance or all, for one cause or any."""
    names = [instance] if instance is not None else list(caller.settings)
    for name in names:
        caller.require(name)
    wanted = JobFilter(JobStatus.FAILED, cause=cause, instances=frozenset(names))
    found: list[int] = []
    while page := await caller.store.jobs.list(wanted, limit=_PAGE):
        found += [job.id for job in page]
        wanted = replace(wanted, before_id=page[-1].id)
    return tuple(found)


async def retry(caller: Caller, ids: Sequence[int]) -> Queued:
    """Start jobs again; one that cannot be, such as of an ignored document, stops no other."""
    jobs: list[Job] = []
    refused: list[StoreError] = []
    for first in range(0, len(ids), _AT_ONCE):
        some = await _retry_some(caller, ids[first : first + _AT_ONCE])
        jobs += some.jobs
        refused += some.refused
    return Queued(tuple(jobs), tuple(refused))


async def retry_one(caller: Caller, job_id: int) -> Job:
    """Start a job again; raise JobNotFound, WrongMove, AlreadyQueued or DocumentIgnored."""
    await caller.job(job_id)
    return await caller.store.jobs.restart(job_id, by=caller.by, now=caller.now())


async def cancel(caller: Caller, job_id: int, why: str = "") -> Job:
    """Cancel a job; one that is worked on is asked to end, and does so within a second."""
    await caller.job(job_id)
    return await caller.store.jobs.cancel(job_id, by=_by(caller, why), now=caller.now())


async def cancel_scan(caller: Caller, scan_id: int, why: str = "") -> tuple[Job, ...]:
    """Cancel all that a scan has put into the queue and is not finished yet."""
    await caller.scan(scan_id)
    cancelled: list[Job] = []
    while some := await caller.store.jobs.cancel_of_scan(
        scan_id,
        by=_by(caller, why),
        now=caller.now(),
        after_id=cancelled[-1].id if cancelled else 0,
        limit=_AT_ONCE,
    ):
        cancelled += some
    return tuple(cancelled)


async def _retry_some(caller: Caller, ids: Sequence[int]) -> Queued:
    known = await caller.store.jobs.listed(ids)
    seen = {job.id for job in known if caller.sees(job.document.instance)}
    started, refused = await caller.store.jobs.restart_each(
        [id_ for id_ in ids if id_ in seen], by=caller.by, now=caller.now()
    )
    return Queued(started, (*(JobNotFound(id_) for id_ in ids if id_ not in seen), *refused))


def _by(caller: Caller, why: str) -> str:
    return f"{caller.by}: {why}" if why else caller.by


async def _live_twin(caller: Caller, ref: DocumentRef) -> Job | None:
    """Return the job that stands in the queue for this document already."""
    for status in _LIVE:
        wanted = JobFilter(status=status, document=ref, kind=ANALYZE)
        for job in await caller.store.jobs.list(wanted, limit=1):
            return job
    return None
