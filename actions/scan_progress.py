"""How far running scans are: documents done, speed, when they end, and what they cost."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal

from actions.caller import Caller
from actions.forecasts import estimate_work
from core.pace import HoursFor, Pace
from core.scans import Scan

_RECENT = timedelta(minutes=10)
"""The speed is that of the documents that ended since then."""


@dataclass(frozen=True, slots=True)
class ScanProgress:
    """A scan that still reads documents, or whose jobs are not all finished."""

    scan: Scan
    left: int
    """Its jobs that are not finished."""
    per_minute: float
    """Documents that the instance finished lately."""
    cost: Decimal
    """What the instance has spent since the scan started."""
    currency: str
    pace: Pace = field(default_factory=Pace)
    work: timedelta | None = None
    """Estimated time for the rest, from earlier documents; None if there are none."""

    @property
    def done(self) -> int:
        return max(0, self.scan.enqueued - self.left)

    @property
    def percent(self) -> int:
        return 100 * self.done // self.scan.enqueued if self.scan.enqueued else 0

    @property
    def is_listing(self) -> bool:
        """Whether it still reads the list of documents, so that there may be more to do."""
        return self.scan.finished_at is None

    @property
    def cost_to_come(self) -> Decimal | None:
        """Return the forecast for the rest; None before the first document is done."""
        return self.cost / self.done * self.left if self.done else None

    def ends_at(self, now: datetime) -> datetime | None:
        """Return the forecast of the end; None while nothing is finished.

        Documents that wait for the model's rate or hours have a forecast before that.
        """
        if self.is_listing or not self.left:
            return None
        if not self.per_minute:
            return self.pace.ends_at(now, self.work) if self.pace and self.work else None
        work = timedelta(minutes=self.left / self.per_minute)
        # New documents need not wait for the hours, and these do not.
        is_free = self.pace.hours_for is HoursFor.BACKLOG and self.pace.opens_at(now) > now
        return now + work if is_free else self.pace.ends_at(now, work)


async def list_scan_progress(caller: Caller, instances: Sequence[str]) -> list[ScanProgress]:
    """Return the progress of each running scan of these instances, the newest first."""
    store = caller.store
    left = await store.scans.count_live_jobs(instances)
    unfinished = [
        scan for scan in await store.scans.list_unfinished() if scan.instance in instances
    ]
    if not left and not unfinished:
        return []
    queued = await store.scans.list_by_ids(left.keys() - {scan.id for scan in unfinished})
    found = sorted([*unfinished, *queued], key=lambda scan: scan.id, reverse=True)
    return [await _build_progress(caller, scan, left.get(scan.id, 0)) for scan in found]


async def _build_progress(caller: Caller, scan: Scan, left: int) -> ScanProgress:
    store, now, began = caller.store, caller.now(), scan.started_at or scan.requested_at
    since = max(began, now - _RECENT)
    finished = await store.scans.count_finished_jobs(scan.instance, since=since)
    spent = await store.calls.sum_spending(scan.instance, since=began)
    settings = caller.require_instance(scan.instance)
    pace = settings.ai.pace(caller.zone)
    return ScanProgress(
        scan=scan,
        left=left,
        # The first documents say little: a shorter time counts as a minute.
        per_minute=finished / max(1, (now - since) / timedelta(minutes=1)),
        cost=spent.cost,
        currency=settings.limits.currency,
        pace=pace,
        work=await estimate_work(caller, scan.instance, left) if pace else None,
    )
