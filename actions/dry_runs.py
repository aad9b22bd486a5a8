"""Results of dry runs: what a scan would write."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta

from actions.caller import Caller
from actions.plan_events import drop_trivial_suggestions
from core.changes import PlannedSuggestion
from core.jobs import DRY_RUN, LIVE, Job, JobStatus
from core.scans import Scan
from store import JobFilter, ScanNotFound

_SHOWN_FOR = timedelta(days=1)
_SEARCHED = 50
"""Number of scans that are searched for dry runs."""
_MANY = 1_000


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
        instances=instances, limit=_SEARCHED, with_empty=False
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


def _take_last(scans: Iterable[Scan]) -> list[Scan]:
    """Return the newest scan of each instance; `scans` begin with the newest."""
    last: dict[str, Scan] = {}
    for scan in scans:
        last.setdefault(scan.instance, scan)
    return list(last.values())
