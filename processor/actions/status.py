"""How an instance stands: its timer, its queue, what waits, what was spent."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from core.days import start_of
from core.errors import Problem
from core.jobs import JobStatus
from processor.actions.caller import Caller


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
    next_scan_at: datetime | None
    """None: it is scanned only when asked for."""
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


async def instance_status(caller: Caller, name: str) -> InstanceStatus:
    """Tell how an instance stands, with as many questions however much it has."""
    settings, store, today = caller.require(name), caller.store, caller.today()
    known = await store.instances.get(name)
    last = await store.scans.latest_finished(name)
    failed = last if last is not None and last.problem is not None else None
    tally = await store.jobs.tally_all(name)
    day, month = (start_of(one, caller.zone) for one in (today, today.replace(day=1)))
    return InstanceStatus(
        instance=name,
        last_scan_at=known.last_scan_at if known else None,
        last_failure_at=failed.finished_at if failed else None,
        last_failure=failed.problem if failed else None,
        next_scan_at=known.next_scan_at if known and settings.scan.enabled else None,
        pending=tally[JobStatus.PENDING],
        processing=tally[JobStatus.PROCESSING],
        failed=tally[JobStatus.FAILED],
        held=await store.jobs.held(name),
        for_review=await store.changes.documents_waiting(name),
        documents_today=(await store.calls.spent(name, since=day)).documents,
        cost_this_month=(await store.calls.spent(name, since=month)).cost,
        currency=settings.limits.currency,
    )
