"""How an instance stands: its timer, its queue, what waits, what was spent."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING

from core.errors import Problem
from core.holds import PAUSE_ALL, Hold, limit_target, pause_target
from core.jobs import JobStatus
from processor.actions.caller import Caller

if TYPE_CHECKING:
    from processor.instance import Instance


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
    settings, store = caller.require(name), caller.store
    known = await store.instances.get(name)
    last = await store.scans.latest_finished(name)
    failed = last if last is not None and last.problem is not None else None
    tally = await store.jobs.tally_all(name)
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
        documents_today=(await store.calls.spent(name, since=caller.day_begins())).documents,
        cost_this_month=(await store.calls.spent(name, since=caller.month_begins())).cost,
        currency=settings.limits.currency,
    )


def holds_on(instance: "Instance", holds: Iterable[Hold]) -> tuple[Hold, ...]:
    """Return what some or all jobs of an instance rest for."""
    every = {instance.paperless_target, pause_target(instance.name), PAUSE_ALL}
    analyses = {instance.model_target, limit_target(instance.name)}
    return tuple(hold for hold in holds if hold.target in every | analyses)
