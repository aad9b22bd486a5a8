"""How an instance stands: its timer, its queue, what waits, what was spent."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from actions.caller import Caller
from core.calendar import day_start, month_start
from core.errors import Problem
from core.jobs import JobStatus
from core.scans import NextScan, next_scan_of
from store import Standing


@dataclass(frozen=True, slots=True)
class InstanceStatus:
    """How one instance stands."""

    instance: str
    last_scan_at: datetime | None
    """When its last scan ended that went through."""
    last_failure_at: datetime | None
    """When the last scan ended, if it did not go through."""
    last_failure: Problem | None
    """Why it did not."""
    next_scan: NextScan
    next_scan_at: datetime | None
    """When the next scan is planned, never in the past; None if `next_scan` is not planned."""
    pending: int
    processing: int
    failed: int
    held: int
    """How many of the pending jobs rest."""
    for_review: int
    """Documents with something that waits for a person."""
    documents_today: int
    cost_this_month: Decimal
    currency: str


async def statuses(caller: Caller, names: Sequence[str]) -> tuple[InstanceStatus, ...]:
    """Tell how instances stand; raise InstanceUnknown."""
    for name in names:
        caller.require(name)
    seen = await look_at(caller, names)
    return tuple(status_of(caller, name, one) for name, one in seen.items())


async def look_at(caller: Caller, names: Sequence[str]) -> Mapping[str, Standing]:
    """See how instances stand, with as many questions however many they are."""
    day, month = day_start(caller.now(), caller.zone), month_start(caller.now(), caller.zone)
    return await caller.store.instances.standings(names, day=day, month=month)


def status_of(caller: Caller, name: str, seen: Standing) -> InstanceStatus:
    """Tell of an instance what was seen of it, and what its settings say."""
    settings, known, last = caller.require(name), seen.known, seen.last_ended_scan
    failed = last if last is not None and last.problem is not None else None
    planned_at = known.next_scan_at if known and settings.scan.enabled else None
    newest = seen.newest_scan
    next_scan = next_scan_of(
        planned_at,
        stopped_by=seen.stopped_by,
        running=newest is not None and newest.finished_at is None,
        now=caller.now(),
    )
    return InstanceStatus(
        instance=name,
        last_scan_at=known.last_scan_at if known else None,
        last_failure_at=failed.finished_at if failed else None,
        last_failure=failed.problem if failed else None,
        next_scan=next_scan,
        next_scan_at=planned_at if next_scan is NextScan.PLANNED else None,
        pending=seen.jobs[JobStatus.PENDING],
        processing=seen.jobs[JobStatus.PROCESSING],
        failed=seen.jobs[JobStatus.FAILED],
        held=seen.held,
        for_review=seen.for_review,
        documents_today=seen.documents_today,
        cost_this_month=seen.cost_this_month,
        currency=settings.limits.currency,
    )
