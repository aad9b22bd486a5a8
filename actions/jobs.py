"""Enqueue, retry and cancel jobs, and load their details and prompts."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import timedelta
from decimal import Decimal

from actions.caller import Caller
from actions.costs import require_documents_consent
from actions.errors import NothingToAsk
from actions.timeline import load_suggestions
from actions.timeouts import require_document_within
from core.analysis import STARTED, Chunk, ModelCall, RawResponse, Result, ResultKind
from core.changes import Change, PlannedSuggestion
from core.documents import DocumentRef, content_hash
from core.errors import Problem
from core.jobs import (
    ANALYZE,
    LIVE,
    MODEL_KINDS,
    Cancellation,
    Event,
    Job,
    JobStatus,
    NewJob,
    Priority,
)
from core.messages import message
from core.spending import Consent
from paperless_client import Document
from processor.analysis.long_documents import SplitText, split_for_prompt
from processor.analysis.model import JSON_SCHEMA
from processor.analysis.prompt import Prompt, PromptSettings, prompt_version
from processor.analyze import PromptContext, build_document_prompt
from processor.examples import find_examples
from processor.names.catalogue import NamesInUse
from processor.pipeline import fetch_document
from processor.policy import reason_not_to_ask
from store import (
    AlreadyQueued,
    InvalidTransition,
    JobFilter,
    JobNotFound,
    Store,
    StoreError,
)

_TIMEOUT = timedelta(seconds=2)
_PAGE = 1_000
"""Jobs that are read at once."""
_BATCH = 100
"""Jobs that are moved in one transaction, which blocks all other writes."""
_RESTARTABLE = (JobStatus.FAILED, JobStatus.CANCELLED)


@dataclass(frozen=True, slots=True)
class EnqueueResult:
    """Jobs that were enqueued, and the errors of those that were not."""

    jobs: tuple[Job, ...]
    refused: tuple[StoreError, ...]

    def raise_if_refused(self) -> "EnqueueResult":
        """Raise the first error if nothing was enqueued."""
        if self.jobs or not self.refused:
            return self
        raise self.refused[0]


@dataclass(frozen=True, slots=True)
class JobDetails:
    """Everything that is stored about one job."""

    job: Job
    events: tuple[Event, ...]
    calls: tuple[ModelCall, ...]
    result: Result | None
    partial_results: tuple[Result, ...]
    """Of a long document, one for each analyzed chunk, in order."""
    changes: tuple[Change, ...]
    suggestions: tuple[PlannedSuggestion, ...]
    """Of its plan: those that were checked, and those that were left out."""

    @property
    def running_call(self) -> ModelCall | None:
        """Return the model call under way; its tokens and cost are reserved, not used yet."""
        last = self.calls[-1] if self.calls else None
        is_processing = self.job.status is JobStatus.PROCESSING
        return last if last and last.outcome == STARTED and is_processing else None

    @property
    def ended_calls(self) -> tuple[ModelCall, ...]:
        """Return the model calls without the one under way."""
        return self.calls if self.running_call is None else self.calls[:-1]


@dataclass(frozen=True, slots=True)
class PromptPreview:
    """The prompt about a job's document, as it would be sent now."""

    job: Job
    model: str
    prompt: Prompt
    prompt_version: str
    places: tuple[Chunk, ...]
    """The chunks of a long document: each has a prompt of its own."""
    place: Chunk | None
    """The chunk that this prompt is about; None for the whole document."""
    same_prompt: bool | None = None
    """Whether the prompt version is that of the job's result; None without a result."""
    same_text: bool | None = None
    """Whether the text is that of the job's result; None without a result of the whole text."""


async def require_document(caller: Caller, ref: DocumentRef) -> None:
    """Raise DocumentGone if Paperless has no such document; ignore outages and timeouts."""
    await require_document_within(caller.get_instance(ref.instance), ref.id, _TIMEOUT)


async def process_again(
    caller: Caller,
    ref: DocumentRef,
    priority: Priority = Priority.BY_HAND,
    *,
    up_to: Decimal | None = None,
) -> Job:
    """Enqueue an analysis of a document; one that is already queued is made due at once.

    `up_to` confirms its estimated cost. Raise ConsentRequired or DocumentIgnored.
    """
    attempts = caller.max_attempts(ref)
    if (queued := await _find_live_job(caller, ref)) is not None:
        # It costs nothing more, so nobody is asked.
        return await _bring_forward(caller, queued, priority)
    consents = await require_documents_consent(caller, [ref], up_to)
    wanted = NewJob(
        ref,
        ANALYZE,
        priority,
        asked_by=caller.by,
        max_attempts=attempts,
        consent=consents.get(ref.instance),
    )
    # Twice, because the queued job may end between the two queries.
    for _ in range(2):
        job = await caller.store.jobs.enqueue(wanted, now=caller.now())
        if job is not None:
            return job
        if (queued := await _find_live_job(caller, ref)) is not None:
            return await _bring_forward(caller, queued, priority)
    raise AlreadyQueued(ref, kind=ANALYZE)


async def list_failed(
    caller: Caller, instance: str | None = None, cause: str | None = None
) -> tuple[int, ...]:
    """Return the ids of all failed jobs, of one instance or all, with one cause or any."""
    names = [instance] if instance is not None else list(caller.settings)
    for name in names:
        caller.require_instance(name)
    wanted = JobFilter(JobStatus.FAILED, cause=cause, instances=frozenset(names))
    found: list[int] = []
    while page := await caller.store.jobs.list(wanted, limit=_PAGE):
        found += [job.id for job in page]
        wanted = replace(wanted, before_id=page[-1].id)
    return tuple(found)


async def retry(
    caller: Caller, ids: Sequence[int], *, up_to: Decimal | None = None
) -> EnqueueResult:
    """Restart jobs; those that cannot be restarted, such as of ignored documents, are skipped.

    `up_to` confirms the estimated cost of each instance. Raise ConsentRequired.
    """
    consents = await _require_consents(caller, ids, up_to)
    jobs: list[Job] = []
    refused: list[StoreError] = []
    for batch_ids in _batches(ids, _BATCH):
        batch = await _retry_batch(caller, batch_ids, consents)
        jobs += batch.jobs
        refused += batch.refused
    return EnqueueResult(tuple(jobs), tuple(refused))


async def retry_one(caller: Caller, job_id: int, *, up_to: Decimal | None = None) -> Job:
    """Restart a job; raise JobNotFound, InvalidTransition, AlreadyQueued or DocumentIgnored.

    `up_to` confirms its estimated cost. Raise ConsentRequired.
    """
    await caller.get_job(job_id)
    consents = await _require_consents(caller, [job_id], up_to)
    return await caller.store.jobs.restart(
        job_id, by=caller.by, consents=consents, now=caller.now()
    )


async def cancel(caller: Caller, job_id: int, why: str = "") -> Job:
    """Cancel a job; one that is being processed ends within a second."""
    await caller.get_job(job_id)
    return await caller.store.jobs.cancel(job_id, by=caller.by, why=why, now=caller.now())


async def cancel_each(caller: Caller, ids: Sequence[int]) -> tuple[Job, ...]:
    """Cancel jobs; those that have ended or do not exist are skipped."""
    cancelled: list[Job] = []
    for id_ in ids:
        with suppress(JobNotFound):
            if (await caller.get_job(id_)).status in LIVE:
                cancelled.append(await cancel(caller, id_))
    return tuple(cancelled)


async def cancel_scan(caller: Caller, scan_id: int, why: str = "") -> tuple[Job, ...]:
    """Stop a scan that is running, and cancel all unfinished jobs of it."""
    scan = await caller.get_scan(scan_id)
    if scan.finished_at is None:
        problem = Problem("cancelled", message("cancelled by {who}", who=caller.by))
        # It may have ended in the meantime.
        with suppress(InvalidTransition):
            await caller.store.scans.give_up(scan_id, problem=problem, now=caller.now())
    cancelled: list[Job] = []
    while batch := await caller.store.jobs.cancel_of_scan(
        scan_id,
        Cancellation.of_user(caller.by, why),
        now=caller.now(),
        after_id=cancelled[-1].id if cancelled else 0,
        limit=_BATCH,
    ):
        cancelled += batch
    return tuple(cancelled)


async def get_job_details(caller: Caller, job_id: int) -> JobDetails:
    """Load all details of a job; raise JobNotFound."""
    store, job = caller.store, await caller.get_job(job_id)
    results = await store.results.list_for_job(job_id)
    events = await store.jobs.list_events(job_id)
    return JobDetails(
        job=job,
        events=events,
        calls=await store.calls.list_for_job(job_id),
        result=next((result for result in results if result.kind is ResultKind.FINAL), None),
        partial_results=tuple(result for result in results if result.kind is ResultKind.PARTIAL),
        changes=await _list_changes(store, job),
        suggestions=await load_suggestions(store, job_id, events),
    )


async def list_answers(caller: Caller, job_id: int) -> tuple[RawResponse, ...]:
    """Return the raw model responses of a job, as far as retention has kept them."""
    job = await caller.get_job(job_id)
    return await caller.store.calls.list_raw_responses(job.id)


async def preview_prompt(caller: Caller, job_id: int, part: int = 1) -> PromptPreview:
    """Build the prompt about a job's document from what Paperless has now.

    Raise NothingToAsk if the document has no such chunk, or no text at all.
    """
    job = await caller.get_job(job_id)
    instance = await caller.get_instance(job.document.instance).with_custom_fields()
    names = await instance.catalogue.names()
    document = await fetch_document(instance, names, job.document.id)
    split = await asyncio.to_thread(_split, document, names, instance.prompt_settings)
    chunk = next((chunk for chunk in split.texts if chunk.number == part), None)
    if chunk is None:
        raise NothingToAsk(
            message(
                "{document} has no chunk {part}",
                document=str(job.document),
                part=str(part),
            )
        )
    # Only the prompt of a whole document contains examples.
    is_whole = split.is_whole
    examples = await find_examples(document, names, caller.store, instance) if is_whole else ()
    preview = PromptPreview(
        job=job,
        model=instance.model.server.endpoint.model,
        prompt=await asyncio.to_thread(
            build_document_prompt,
            split.texts[chunk],
            instance.prompt_settings,
            PromptContext(names, examples),
            None if is_whole else chunk,
        ),
        prompt_version=prompt_version(instance.prompt_settings),
        places=() if is_whole else tuple(split.texts),
        place=None if is_whole else chunk,
    )
    calls = await caller.store.calls.list_for_job(job.id)
    if calls and calls[-1].mode != JSON_SCHEMA:
        preview = replace(preview, prompt=preview.prompt.with_schema_text())
    result = await caller.store.results.get_latest(job.id)
    return _compare(preview, content_hash(document.content), result)


async def _require_consents(
    caller: Caller, ids: Sequence[int], up_to: Decimal | None
) -> Mapping[str, Consent]:
    """Return the consents to restarting jobs, by instance; raise ConsentRequired."""
    if not any(settings.limits.consent_above for settings in caller.settings.values()):
        return {}
    documents: list[DocumentRef] = []
    for batch_ids in _batches(ids, _PAGE):
        documents += [
            job.document
            for job in await caller.store.jobs.list_by_ids(batch_ids)
            if job.kind in MODEL_KINDS and job.status in _RESTARTABLE
        ]
    return await require_documents_consent(caller, documents, up_to)


def _batches(ids: Sequence[int], size: int) -> Iterator[Sequence[int]]:
    return (ids[first : first + size] for first in range(0, len(ids), size))


async def _retry_batch(
    caller: Caller, ids: Sequence[int], consents: Mapping[str, Consent]
) -> EnqueueResult:
    known = await caller.store.jobs.list_by_ids(ids)
    seen = {job.id for job in known if caller.can_see(job.document.instance)}
    started, refused = await caller.store.jobs.restart_each(
        [id_ for id_ in ids if id_ in seen], by=caller.by, consents=consents, now=caller.now()
    )
    return EnqueueResult(started, (*(JobNotFound(id_) for id_ in ids if id_ not in seen), *refused))


async def _bring_forward(caller: Caller, job: Job, priority: Priority) -> Job:
    return await caller.store.jobs.bring_forward(job.id, priority, by=caller.by, now=caller.now())


async def _find_live_job(caller: Caller, ref: DocumentRef) -> Job | None:
    """Return the pending or running analysis of this document."""
    for status in (JobStatus.PENDING, JobStatus.PROCESSING):
        wanted = JobFilter(status=status, document=ref, kind=ANALYZE)
        for job in await caller.store.jobs.list(wanted, limit=1):
            return job
    return None


async def _list_changes(store: Store, job: Job) -> tuple[Change, ...]:
    """Return the changes that a job planned, wrote or undid.

    Accepted changes belong to the job of their analysis.
    """
    match job.kind, job.payload.get("changes"):
        case "apply", _:
            return await store.changes.list_for_apply_job(job.id)
        case "undo", list(ids):
            return await store.changes.list_by_ids(ids)
        case _:
            return await store.changes.list_for_job(job.id)


def _split(document: Document, names: NamesInUse, settings: PromptSettings) -> SplitText:
    if reason_not_to_ask(document.content) is not None:
        return SplitText({})
    return split_for_prompt(document.content, names=names.offered, settings=settings)


def _compare(preview: PromptPreview, text_hash: str, result: Result | None) -> PromptPreview:
    """Return the preview with what it has in common with the job's result."""
    if result is None:
        return preview
    analysis = result.analysis
    return replace(
        preview,
        same_prompt=analysis.prompt_version == preview.prompt_version,
        same_text=analysis.content_hash == text_hash if analysis.part is None else None,
    )
