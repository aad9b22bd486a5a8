"""Read the state that notifications are about."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta, tzinfo

from actions.health import HealthSnapshot, take_health_snapshot
from core.calendar import day_at
from core.holds import Hold, HoldKind
from core.notifications import Notification, NotificationKind, parse_moment
from dashboard import AppContext
from store.notifications import ActivityCounts, FailureGroup, Span

FAILED = "failed"
UNTIL = "until"
"""Key of the fact up to when failures were reported."""
_SETTLED_AFTER = timedelta(minutes=2)
"""After a start, late scans are caught up; until then there are no health warnings."""
_RECORDING_DELAY = timedelta(seconds=30)
"""A failure may take this long to reach the store; later ones count the next time."""


@dataclass(frozen=True, slots=True)
class Outage:
    """A Paperless or a model that is unreachable."""

    target: str
    is_model: bool
    instances: tuple[str, ...]
    since: datetime
    waiting: int
    """Number of jobs on hold because of it."""


@dataclass(frozen=True, slots=True)
class LimitReached:
    """A limit that is reached."""

    instance: str
    since: datetime
    goes_on_at: datetime


@dataclass(frozen=True, slots=True)
class Day:
    """What happened between two digests."""

    span: Span
    happened: ActivityCounts


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Everything that a notification may be about, at one time."""

    at: datetime
    for_review: int
    newest_waiting: int
    failures: tuple[FailureGroup, ...]
    """From the last notification about failures to `failures_until`."""
    failures_until: datetime
    outages: tuple[Outage, ...]
    limits: tuple[LimitReached, ...]
    figures: HealthSnapshot | None
    """None shortly after a start."""
    day: Day | None
    """The day that ended last, if its digest has not been sent yet."""


async def read_snapshot(
    context: AppContext, latest: Mapping[str, Notification], now: datetime
) -> Snapshot:
    """Read the state from the store, in a fixed number of queries per hold."""
    store, names = context.store, tuple(context.settings.instances)
    holds, until = await store.holds.list_active(), now - _RECORDING_DELAY
    settled = now - context.liveness.started_at >= _SETTLED_AFTER
    return Snapshot(
        at=now,
        for_review=sum((await store.statistics.count_for_review(names)).values()),
        newest_waiting=await store.activity.get_newest_for_review(names),
        failures=await _failures(context, latest.get(FAILED), until),
        failures_until=until,
        outages=tuple([await _outage(context, hold) for hold in holds if hold.is_outage]),
        limits=tuple(_build_limit(hold) for hold in holds if hold.kind is HoldKind.LIMIT),
        figures=await take_health_snapshot(context, now) if settled else None,
        day=await _day(context, latest.get(NotificationKind.DIGEST), now),
    )


async def _day(context: AppContext, last: Notification | None, now: datetime) -> Day | None:
    notify = context.settings.daemon.notify
    span = day_before(now, notify.digest_at, context.zone)
    if NotificationKind.DIGEST not in notify.about or (
        last and parse_moment(last.facts[UNTIL]) >= span[1]
    ):
        return None
    return Day(
        span, await context.store.activity.count_activity(tuple(context.settings.instances), span)
    )


def day_before(now: datetime, at: str, zone: tzinfo | None) -> Span:
    """Return the day that ended when the local time was last `at`."""
    shown, today = time.fromisoformat(at), day_at(now, zone)
    ends = [datetime.combine(today - timedelta(days=ago), shown, tzinfo=zone) for ago in range(3)]
    past = [end.astimezone(UTC) for end in ends if end <= now]
    return past[1], past[0]


async def _failures(
    context: AppContext, last: Notification | None, until: datetime
) -> tuple[FailureGroup, ...]:
    if last is None:
        return ()
    span = (parse_moment(last.facts[UNTIL]), until)
    return await context.store.activity.list_failures(tuple(context.settings.instances), span)


async def _outage(context: AppContext, hold: Hold) -> Outage:
    affected = [
        name
        for name, instance in context.instances.items()
        if hold.target in instance.targets.all_targets
    ]
    return Outage(
        target=hold.target,
        is_model=hold.kind is HoldKind.MODEL,
        instances=tuple(affected),
        since=hold.since,
        waiting=sum([await context.store.jobs.count_held(name) for name in affected]),
    )


def _build_limit(hold: Hold) -> LimitReached:
    goes_on_at = hold.next_probe_at or hold.since
    return LimitReached(hold.subject, hold.since, goes_on_at)
