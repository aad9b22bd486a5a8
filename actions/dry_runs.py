"""Dry runs: what a scan would write, and what other instructions would change for one document."""

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal

from actions.caller import Caller
from actions.costs import require_documents_consent
from actions.errors import InvalidRequest
from actions.jobs import require_document
from actions.timeline import drop_trivial_suggestions
from core.analysis import Analysis
from core.changes import PlannedSuggestion
from core.documents import DocumentRef
from core.fields import Field
from core.jobs import ANALYZE, DRY_RUN, LIVE, Job, JobStatus, NewJob, Priority
from core.messages import message
from core.scans import Scan
from store import AlreadyQueued, JobFilter, ScanNotFound

_SHOWN_FOR = timedelta(days=1)
_SEARCHED_SCANS = 50
"""Number of scans that are searched for dry runs."""
_MANY = 1_000
_POLL_INTERVAL = timedelta(milliseconds=300)
_SEARCHED_JOBS = 10
"""Jobs of a document that are searched for its last result."""


@dataclass(frozen=True, slots=True)
class TriedDocument:
    """A document of a dry run, with what would be written to it."""

    job: Job
    suggestions: tuple[PlannedSuggestion, ...]
    """Without those that would change nothing."""


@dataclass(frozen=True, slots=True)
class DryRunSummary:
    """A dry run, and how many documents were tried."""

    scan: Scan
    tried: int


@dataclass(frozen=True, slots=True)
class Instructions:
    """Instructions to the model that are not saved."""

    general: str
    by_type: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class ComparedField:
    """The values of one field in the stored result and in the trial; each tag is a value."""

    field: Field
    stored: tuple[str, ...]
    tried: tuple[str, ...]

    @property
    def is_different(self) -> bool:
        return self.stored != self.tried


@dataclass(frozen=True, slots=True)
class Trial:
    """A dry run with instructions, as far as it has come."""

    job: Job
    has_stored: bool
    """Whether the document has a result to compare with."""
    fields: tuple[ComparedField, ...] | None
    """None until the job has completed, and if it failed."""

    @property
    def is_running(self) -> bool:
        return self.job.status in LIVE


async def list_tried_documents(
    caller: Caller, scan_id: int, limit: int, before_id: int | None = None
) -> tuple[Scan, Sequence[TriedDocument]]:
    """Return a dry run with its documents, newest job first; raise ScanNotFound."""
    scan = await caller.get_scan(scan_id)
    if scan.kind != DRY_RUN:
        raise ScanNotFound(scan_id)
    jobs = await caller.store.jobs.list(JobFilter(scan_id=scan_id, before_id=before_id), limit)
    found = await caller.store.changes.list_suggestions_of_jobs([job.id for job in jobs])
    return scan, [TriedDocument(job, drop_trivial_suggestions(found[job.id])) for job in jobs]


async def list_last_dry_runs(caller: Caller, instances: Sequence[str]) -> tuple[DryRunSummary, ...]:
    """Return the last dry run of each instance, if it ended within a day and tried something."""
    since = caller.now() - _SHOWN_FOR
    found = await caller.store.scans.list_for_instances(
        instances=instances, limit=_SEARCHED_SCANS, with_empty=False
    )
    ended = [scan for scan in found if scan.finished_at is not None and scan.finished_at >= since]
    last = _take_last(scan for scan in ended if scan.kind == DRY_RUN)
    if not last:
        return ()
    tallies = await caller.store.jobs.count_for_scans([scan.id for scan in last], most=_MANY)
    return tuple(
        DryRunSummary(scan, tally[JobStatus.COMPLETED])
        for scan in last
        if (tally := tallies[scan.id]).get(JobStatus.COMPLETED) and not LIVE & tally.keys()
    )


async def start_trial(
    caller: Caller, ref: DocumentRef, tried: Instructions, *, up_to: Decimal | None = None
) -> Job:
    """Enqueue a dry run of one document with other instructions; nothing is written to Paperless.

    `up_to` confirms its estimated cost. Raise ConsentRequired, DocumentGone or AlreadyQueued.
    """
    await require_document(caller, ref)
    consents = await require_documents_consent(caller, [ref], up_to)
    wanted = NewJob(
        ref,
        DRY_RUN,
        Priority.BY_HAND,
        asked_by=caller.by,
        # A person waits for it, and can try again.
        max_attempts=1,
        payload={
            "instructions": tried.general,
            "type_instructions": dict(tried.by_type),
        },
        consent=consents.get(ref.instance),
    )
    job = await caller.store.jobs.enqueue(wanted, now=caller.now())
    if job is None:
        raise AlreadyQueued(ref, kind=DRY_RUN)
    return job


async def load_trial(caller: Caller, job_id: int, *, patience: timedelta) -> Trial:
    """Return a trial as soon as it has ended, or when the time is up; raise JobNotFound."""
    job = await caller.get_job(job_id)
    if job.kind != DRY_RUN:
        raise InvalidRequest(message("job {job} is not a dry run", job=str(job.id)))
    try:
        async with asyncio.timeout(patience.total_seconds()):
            while job.status in LIVE:
                await asyncio.sleep(_POLL_INTERVAL.total_seconds())
                job = await caller.get_job(job_id)
    except TimeoutError:
        pass
    stored, tried = await _find_stored(caller, job.document), None
    if job.status is JobStatus.COMPLETED:
        tried = await caller.store.results.get_final(job.id)
    return Trial(
        job,
        has_stored=stored is not None,
        fields=compare(stored, tried.analysis) if tried else None,
    )


async def find_last_document(caller: Caller, instance: str) -> int | None:
    """Return the document of an instance that was analyzed last; None if there is none."""
    done = JobFilter(status=JobStatus.COMPLETED, instance=instance, kind=ANALYZE)
    return next((job.document.id for job in await caller.store.jobs.list(done, limit=1)), None)


def compare(stored: Analysis | None, tried: Analysis) -> tuple[ComparedField, ...]:
    """Return the values of both analyses by field, in the order of the trial."""
    before, after = _values_by_field(stored), _values_by_field(tried)
    return tuple(
        ComparedField(field, tuple(sorted(before[field])), tuple(sorted(after[field])))
        for field in dict.fromkeys((*after, *before))
    )


def _take_last(scans: Iterable[Scan]) -> list[Scan]:
    """Return the newest scan of each instance; `scans` begin with the newest."""
    last: dict[str, Scan] = {}
    for scan in scans:
        last.setdefault(scan.instance, scan)
    return list(last.values())


def _values_by_field(analysis: Analysis | None) -> defaultdict[Field, list[str]]:
    values: defaultdict[Field, list[str]] = defaultdict(list)
    for suggestion in analysis.suggestions if analysis else ():
        values[suggestion.field].append(suggestion.value)
    return values


async def _find_stored(caller: Caller, ref: DocumentRef) -> Analysis | None:
    """Return the last analysis of a document that was not a dry run."""
    jobs = await caller.store.jobs.list(JobFilter(document=ref, kind=ANALYZE), limit=_SEARCHED_JOBS)
    for job in jobs:
        if result := await caller.store.results.get_final(job.id):
            return result.analysis
    return None
