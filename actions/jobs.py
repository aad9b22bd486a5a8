"""What became of several jobs that a person wanted in the queue at once."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from actions.caller import Caller
from actions.errors import NothingToAsk
from actions.soon import require_document_within
from core.analysis import Chunk, ModelCall, RawResponse, Result, ResultKind
from core.changes import Change
from core.documents import DocumentRef, content_hash
from core.jobs import ANALYZE, Event, Job, JobStatus, NewJob, Priority
from core.messages import message
from paperless_client import Document
from processor.analysis.long_documents import SplitText, split_for_prompt
from processor.analysis.prompt import Prompt, PromptSettings, prompt_version
from processor.analyze import PromptContext, build_document_prompt
from processor.examples import find_examples
from processor.names.catalogue import NamesInUse
from processor.pipeline import fetch_document
from processor.plan import reason_not_to_ask
from store import AlreadyQueued, JobFilter, JobNotFound, Store, StoreError


@dataclass(frozen=True, slots=True)
class EnqueueResult:
    """Jobs that were put into the queue, and why others were not."""

    jobs: tuple[Job, ...]
    refused: tuple[StoreError, ...]

    def raise_if_refused(self) -> "EnqueueResult":
        """Raise the first refusal if nothing was put into the queue."""
        if self.jobs or not self.refused:
            return self
        raise self.refused[0]


_TIMEOUT = timedelta(seconds=2)
_PAGE = 1_000
"""Jobs that are looked at at once."""
_AT_ONCE = 100
"""Jobs that are moved in one transaction: nobody else writes meanwhile."""
_LIVE = (JobStatus.PENDING, JobStatus.PROCESSING)


async def require_document(caller: Caller, ref: DocumentRef) -> None:
    """Raise DocumentGone if Paperless has no such document; one that is away is not waited for."""
    await require_document_within(caller.get_instance(ref.instance), ref.id, _TIMEOUT)


async def process_again(
    caller: Caller, ref: DocumentRef, priority: Priority = Priority.BY_HAND
) -> Job:
    """Have a document analysed, also if it was before; if it is in the queue, that job is returned.

    Raise DocumentIgnored.
    """
    attempts = caller.max_attempts(ref)
    wanted = NewJob(ref, ANALYZE, priority, asked_by=caller.by, max_attempts=attempts)
    # Twice, for a live twin may end between the two questions.
    for _ in range(2):
        job = await caller.store.jobs.enqueue(wanted, now=caller.now())
        if job := job or await _find_live_job(caller, ref):
            return job
    raise AlreadyQueued(ref, kind=ANALYZE)


async def list_failed(
    caller: Caller, instance: str | None = None, cause: str | None = None
) -> tuple[int, ...]:
    """Return all jobs that failed, of one instance or all, for one cause or any."""
    names = [instance] if instance is not None else list(caller.settings)
    for name in names:
        caller.require_instance(name)
    wanted = JobFilter(JobStatus.FAILED, cause=cause, instances=frozenset(names))
    found: list[int] = []
    while page := await caller.store.jobs.list(wanted, limit=_PAGE):
        found += [job.id for job in page]
        wanted = replace(wanted, before_id=page[-1].id)
    return tuple(found)


async def retry(caller: Caller, ids: Sequence[int]) -> EnqueueResult:
    """Start jobs again; one that cannot be, such as of an ignored document, stops no other."""
    jobs: list[Job] = []
    refused: list[StoreError] = []
    for first in range(0, len(ids), _AT_ONCE):
        some = await _retry_some(caller, ids[first : first + _AT_ONCE])
        jobs += some.jobs
        refused += some.refused
    return EnqueueResult(tuple(jobs), tuple(refused))


async def retry_one(caller: Caller, job_id: int) -> Job:
    """Start a job again; raise JobNotFound, WrongMove, AlreadyQueued or DocumentIgnored."""
    await caller.get_job(job_id)
    return await caller.store.jobs.restart(job_id, by=caller.by, now=caller.now())


async def cancel(caller: Caller, job_id: int, why: str = "") -> Job:
    """Cancel a job; one that is worked on is asked to end, and does so within a second."""
    await caller.get_job(job_id)
    return await caller.store.jobs.cancel(job_id, by=_by(caller, why), now=caller.now())


async def cancel_scan(caller: Caller, scan_id: int, why: str = "") -> tuple[Job, ...]:
    """Cancel all that a scan has put into the queue and is not finished yet."""
    await caller.get_scan(scan_id)
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


async def _retry_some(caller: Caller, ids: Sequence[int]) -> EnqueueResult:
    known = await caller.store.jobs.list_by_ids(ids)
    seen = {job.id for job in known if caller.can_see(job.document.instance)}
    started, refused = await caller.store.jobs.restart_each(
        [id_ for id_ in ids if id_ in seen], by=caller.by, now=caller.now()
    )
    return EnqueueResult(started, (*(JobNotFound(id_) for id_ in ids if id_ not in seen), *refused))


def _by(caller: Caller, why: str) -> str:
    return f"{caller.by}: {why}" if why else caller.by


async def _find_live_job(caller: Caller, ref: DocumentRef) -> Job | None:
    """Return the job that stands in the queue for this document already."""
    for status in _LIVE:
        wanted = JobFilter(status=status, document=ref, kind=ANALYZE)
        for job in await caller.store.jobs.list(wanted, limit=1):
            return job
    return None


@dataclass(frozen=True, slots=True)
class JobDetails:
    """Everything that is known of one job."""

    job: Job
    events: tuple[Event, ...]
    calls: tuple[ModelCall, ...]
    result: Result | None
    partial_results: tuple[Result, ...]
    """Of a long document one for each pass that was read, in order."""
    changes: tuple[Change, ...]


async def get_job_details(caller: Caller, job_id: int) -> JobDetails:
    """Tell a job from first to last; raise JobNotFound."""
    store, job = caller.store, await caller.get_job(job_id)
    results = await store.results.list_for_job(job_id)
    return JobDetails(
        job=job,
        events=await store.jobs.list_events(job_id),
        calls=await store.calls.list_for_job(job_id),
        result=next((one for one in results if one.kind is ResultKind.FINAL), None),
        partial_results=tuple(one for one in results if one.kind is ResultKind.PARTIAL),
        changes=await _changes_of(store, job),
    )


async def _changes_of(store: Store, job: Job) -> tuple[Change, ...]:
    """List what a job planned, wrote or undid; accepted changes belong to their analysis."""
    match job.kind, job.payload.get("changes"):
        case "apply", _:
            return await store.changes.list_for_apply_job(job.id)
        case "undo", list(ids):
            return await store.changes.list_by_ids(ids)
        case _:
            return await store.changes.list_for_job(job.id)


@dataclass(frozen=True, slots=True)
class PromptPreview:
    """The question about a job's document, as it would be asked today."""

    job: Job
    model: str
    prompt: Prompt
    prompt_version: str
    places: tuple[Chunk, ...]
    """Of a long document, its passes: each has a question of its own."""
    place: Chunk | None
    """The pass that this one is about; None: the whole document."""
    same_prompt: bool | None = None
    """Whether its words are those of the job's result; None if there is none."""
    same_text: bool | None = None
    """Whether the text is the one of the job's result; None if there is none of the whole text."""


async def list_answers(caller: Caller, job_id: int) -> tuple[RawResponse, ...]:
    """Tell word by word what the model wrote to a job, as far as it is kept."""
    job = await caller.get_job(job_id)
    return await caller.store.calls.list_raw_responses(job.id)


async def preview_prompt(caller: Caller, job_id: int, part: int = 1) -> PromptPreview:
    """Put the question about a job's document together anew, from Paperless as it is now.

    Raise NothingToAsk if the document has no such part, or no text at all.
    """
    job = await caller.get_job(job_id)
    instance = await caller.get_instance(job.document.instance).with_custom_fields()
    names = await instance.catalogue.names()
    document = await fetch_document(instance, names, job.document.id)
    cut = await asyncio.to_thread(_cut, document, names, instance.prompt_settings)
    place = next((one for one in cut.texts if one.number == part), None)
    if place is None:
        raise NothingToAsk(
            message(
                "{document} has no chunk {part}",
                document=str(job.document),
                part=str(part),
            )
        )
    # Only a document that is asked about at once is shown with others beside it.
    alike = await find_examples(document, names, caller.store, instance) if cut.is_whole else ()
    told = PromptPreview(
        job=job,
        model=instance.model.server.endpoint.model,
        prompt=await asyncio.to_thread(
            build_document_prompt,
            cut.texts[place],
            instance.prompt_settings,
            PromptContext(names, alike),
            None if cut.is_whole else place,
        ),
        prompt_version=prompt_version(instance.prompt_settings),
        places=() if cut.is_whole else tuple(cut.texts),
        place=None if cut.is_whole else place,
    )
    result = await caller.store.results.get_latest(job.id)
    return _compared(told, content_hash(document.content), result)


def _cut(document: Document, names: NamesInUse, brief: PromptSettings) -> SplitText:
    if reason_not_to_ask(document.content) is not None:
        return SplitText({})
    return split_for_prompt(document.content, names=names.offered, brief=brief)


def _compared(told: PromptPreview, text_hash: str, result: Result | None) -> PromptPreview:
    if result is None:
        return told
    said = result.analysis
    same_text = said.content_hash == text_hash if said.part is None else None
    return replace(
        told, same_prompt=said.prompt_version == told.prompt_version, same_text=same_text
    )
