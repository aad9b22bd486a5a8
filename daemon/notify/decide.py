"""Load the state that notifications report, and decide which are due."""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta, tzinfo
from typing import TypeAlias

from pydantic import JsonValue

from actions.health import HealthSnapshot, HealthWarning, list_warnings, take_health_snapshot
from core.calendar import day_at
from core.holds import Hold, HoldKind
from core.notifications import NewNotification, Notification, NotificationKind, parse_moment
from dashboard import AppContext
from store.notifications import ActivityCounts, FailureGroup, Span

MANY_WAITING = 5
AT_MOST_EVERY = timedelta(hours=1)
COLLECTED_FOR = timedelta(minutes=5)
"""Failures often come together: a notification waits this long to collect them."""
OUTAGE_AFTER = timedelta(minutes=15)
ALERT_AGAIN_AFTER = timedelta(days=1)
DAY_LIMIT_AGAIN_AFTER = timedelta(days=7)
"""A large archive reaches the limit of a day every day."""
_A_DAY = timedelta(hours=25)
_MAX_CAUSES = 5
_MAX_DOCUMENTS = 5
"""Number of documents listed; the count covers all."""
LastNotifications: TypeAlias = Mapping[str, Notification]
"""The latest notification of each topic."""
Facts: TypeAlias = dict[str, JsonValue]
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


def decide(
    snapshot: Snapshot, latest: LastNotifications, about: Collection[NotificationKind]
) -> tuple[NewNotification, ...]:
    """Return the new notifications of the kinds that the owner has chosen."""
    return tuple(notification for kind in about for notification in _RULES[kind](snapshot, latest))


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


def day_before(now: datetime, at: str, zone: tzinfo | None) -> Span:
    """Return the day that ended when the local time was last `at`."""
    shown, today = time.fromisoformat(at), day_at(now, zone)
    ends = [datetime.combine(today - timedelta(days=ago), shown, tzinfo=zone) for ago in range(3)]
    past = [end.astimezone(UTC) for end in ends if end <= now]
    return past[1], past[0]


def _review(snapshot: Snapshot, latest: LastNotifications) -> Iterator[NewNotification]:
    """Yield one when enough documents are for review; again only if there are newer ones."""
    last, newest = latest.get(NotificationKind.REVIEW), snapshot.newest_waiting
    is_news = last is None or (
        last.facts["newest"] != newest and _is_over(AT_MOST_EVERY, last, snapshot)
    )
    if snapshot.for_review >= MANY_WAITING and is_news:
        facts: Facts = {"documents": snapshot.for_review, "newest": newest}
        yield _new(NotificationKind.REVIEW, NotificationKind.REVIEW, str(newest), facts)


def _failed(snapshot: Snapshot, latest: LastNotifications) -> Iterator[NewNotification]:
    """Yield one notification about all failures since the last one."""
    last = latest.get(FAILED)
    if last is None:
        # Failures from before notifications were turned on are not reported.
        yield _counted_until(snapshot, {}, is_silent=True)
        return
    if not snapshot.failures:
        return
    if not last.is_silent and not _is_over(AT_MOST_EVERY, last, snapshot):
        return
    if snapshot.at - min(failure.first_at for failure in snapshot.failures) < COLLECTED_FOR:
        return
    causes: list[JsonValue] = [
        {
            "why": failure.user_message,
            "count": len(failure.documents),
            "documents": [str(ref) for ref in failure.documents[:_MAX_DOCUMENTS]],
        }
        for failure in snapshot.failures[:_MAX_CAUSES]
    ]
    yield _counted_until(snapshot, {"causes": causes})


def _counted_until(snapshot: Snapshot, facts: Facts, *, is_silent: bool = False) -> NewNotification:
    until = snapshot.failures_until.isoformat()
    facts = {UNTIL: until, **facts}
    return _new(NotificationKind.FAILED, FAILED, until, facts, is_silent=is_silent)


def _connection(snapshot: Snapshot, latest: LastNotifications) -> Iterator[NewNotification]:
    """Yield one for each outage that lasts, and one when it is over."""
    down = {_topic(outage): outage for outage in snapshot.outages}
    for topic, outage in down.items():
        if snapshot.at - outage.since >= OUTAGE_AFTER and not _was_sent(latest.get(topic), outage):
            yield _build_outage(outage, topic)
    for topic, last in latest.items():
        if last.kind is NotificationKind.CONNECTION and last.facts["down"]:
            since = str(last.facts["since"])
            if topic not in down or down[topic].since.isoformat() != since:
                facts = {**last.facts, "down": False, "back": snapshot.at.isoformat()}
                yield _new(NotificationKind.CONNECTION, topic, f"{since}:up", facts)


def _topic(outage: Outage) -> str:
    return f"{NotificationKind.CONNECTION}:{outage.target}"


def _was_sent(last: Notification | None, outage: Outage) -> bool:
    return last is not None and last.facts["since"] == outage.since.isoformat()


def _build_outage(outage: Outage, topic: str) -> NewNotification:
    since = outage.since.isoformat()
    facts: Facts = {
        "down": True,
        "model": outage.is_model,
        "instances": list(outage.instances),
        "since": since,
        "waiting": outage.waiting,
    }
    return _new(NotificationKind.CONNECTION, topic, f"{since}:down", facts)


def _limit(snapshot: Snapshot, latest: LastNotifications) -> Iterator[NewNotification]:
    """Yield one for each limit that is reached; for a daily limit, not every day."""
    for reached in snapshot.limits:
        topic, since = f"{NotificationKind.LIMIT}:{reached.instance}", reached.since.isoformat()
        last = latest.get(topic)
        if last is not None and (
            last.facts["since"] == since or _is_daily(reached, last, snapshot)
        ):
            continue
        facts: Facts = {
            "instance": reached.instance,
            "since": since,
            "goes_on_at": reached.goes_on_at.isoformat(),
        }
        yield _new(NotificationKind.LIMIT, topic, since, facts)


def _is_daily(reached: LimitReached, last: Notification, snapshot: Snapshot) -> bool:
    ends_soon = reached.goes_on_at - reached.since <= _A_DAY
    return ends_soon and not _is_over(DAY_LIMIT_AGAIN_AFTER, last, snapshot)


def _alert(snapshot: Snapshot, latest: LastNotifications) -> Iterator[NewNotification]:
    """Yield one for each health warning, at most once a day."""
    if snapshot.figures is None:
        return
    for warn in list_warnings(snapshot.figures):
        topic = f"{NotificationKind.ALERT}:{warn}"
        last = latest.get(topic)
        if last is None or _is_over(ALERT_AGAIN_AFTER, last, snapshot):
            facts = {"warning": warn.value, **_measured(warn, snapshot.figures)}
            yield _new(NotificationKind.ALERT, topic, snapshot.at.isoformat(), facts)


def _measured(warn: HealthWarning, figures: HealthSnapshot) -> Facts:
    match warn:
        case HealthWarning.MANY_WAITING:
            return {"count": figures.waiting}
        case HealthWarning.MANY_FAILED:
            return {"count": figures.failed_last_hour}
        case HealthWarning.SCAN_LATE:
            return {"instances": list(figures.late_scans)}
        case HealthWarning.PROCESSOR_SILENT:
            return {"seconds": round(figures.silent.total_seconds())}


def _digest(snapshot: Snapshot, _: LastNotifications) -> Iterator[NewNotification]:
    """Yield the digest of a day; a day without activity is only recorded, not sent."""
    if snapshot.day is None:
        return
    topic, (since, until), happened = (
        NotificationKind.DIGEST,
        snapshot.day.span,
        snapshot.day.happened,
    )
    facts: Facts = {
        "since": since.isoformat(),
        UNTIL: until.isoformat(),
        "completed": happened.completed,
        "failed": happened.failed,
        "written": happened.written,
        "waiting": snapshot.for_review,
    }
    is_silent = happened == ActivityCounts(0, 0, 0)
    yield _new(NotificationKind.DIGEST, topic, until.isoformat(), facts, is_silent=is_silent)


def _new(
    kind: NotificationKind, topic: str, which: str, facts: Facts, *, is_silent: bool = False
) -> NewNotification:
    return NewNotification(kind, topic, f"{topic}:{which}", facts, is_silent)


def _is_over(span: timedelta, last: Notification, snapshot: Snapshot) -> bool:
    return snapshot.at - last.recorded_at >= span


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


_RULES: Mapping[
    NotificationKind, Callable[[Snapshot, LastNotifications], Iterator[NewNotification]]
] = {
    NotificationKind.REVIEW: _review,
    NotificationKind.FAILED: _failed,
    NotificationKind.CONNECTION: _connection,
    NotificationKind.LIMIT: _limit,
    NotificationKind.ALERT: _alert,
    NotificationKind.DIGEST: _digest,
}
