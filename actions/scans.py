"""Request a scan, report the progress of running scans, and forecast when the queue is empty."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal

from actions.caller import Caller
from actions.instances import InstanceOverview
from core.calendar import start_of
from core.jobs import ANALYZE
from core.pace import HoursFor, Pace
from core.scans import Scan
from core.spending import Consent, TypicalUsage, count_days_needed
from store import ScanRunning

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


@dataclass(frozen=True, slots=True)
class QueueForecast:
    """When the queue of an instance will be empty."""

    instance: str
    documents: int
    ends_at: datetime


async def request_scan(
    caller: Caller,
    instance: str,
    *,
    kind: str = ANALYZE,
    limit: int | None = None,
    consent: Consent | None = None,
) -> Scan:
    """Request a scan; if one is already requested or running, return that one.

    Raise ScanRunning if that one is of another kind, such as a dry run.
    """
    caller.require_instance(instance)
    scan = await caller.store.scans.request(
        instance, asked_by=caller.by, kind=kind, limit=limit, consent=consent, now=caller.now()
    )
    if not scan.satisfies(kind, limit):
        raise ScanRunning(scan)
    return scan


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


async def list_queue_forecasts(
    caller: Caller, overviews: tuple[InstanceOverview, ...]
) -> tuple[QueueForecast, ...]:
    """Return the forecasts of the instances whose model has a rate or hours, and whose jobs wait.

    A model that has not been called yet has no forecast.
    """
    forecasts = []
    for overview in overviews:
        settings = caller.require_instance(overview.instance)
        pace, documents = settings.ai.pace(caller.zone), overview.pending
        work = await estimate_work(caller, overview.instance, documents) if pace else None
        if work is None or not documents:
            continue
        ends_at = max(
            pace.ends_at(caller.now(), work),
            _begin_of_last_day(caller, pace, overview, settings.limits.documents_per_day),
        )
        forecasts.append(QueueForecast(overview.instance, documents, ends_at))
    return tuple(forecasts)


async def estimate_work(caller: Caller, instance: str, documents: int) -> timedelta | None:
    """Return how long the model takes for so many documents; None if it has not been called yet."""
    ai = caller.require_instance(instance).ai
    usage = await caller.store.calls.get_typical_usage(
        instance, endpoint=ai.base_url, model=ai.model
    )
    return None if usage is None else _work_of(usage, ai.pace(caller.zone)) * documents


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


def _work_of(usage: TypicalUsage, pace: Pace) -> timedelta:
    """Return the time of one document: its calls, or the wait that the rate demands."""
    tokens = usage.tokens_in + usage.tokens_out
    by_rate = pace.rate.least_time(requests=usage.calls, tokens=tokens)
    return max(timedelta(milliseconds=usage.took_ms), by_rate)


def _begin_of_last_day(
    caller: Caller, pace: Pace, overview: InstanceOverview, per_day: int
) -> datetime:
    """Return when the last of the days begins that the daily limit makes necessary."""
    used = overview.documents_today
    days = count_days_needed(overview.pending, per_day=per_day, used_today=used) or 1
    if days == 1:
        return caller.now()
    return pace.opens_at(start_of(caller.today() + timedelta(days=days - 1), caller.zone))
