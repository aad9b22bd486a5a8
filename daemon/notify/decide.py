"""Decide what to tell, from how things stand and what was told before (pure)."""

from collections.abc import Callable, Collection, Iterator, Mapping
from datetime import timedelta
from typing import TypeAlias

from pydantic import JsonValue

from actions.health import HealthSnapshot, HealthWarning, list_warnings
from core.notifications import NewNotification, Notification, NotificationKind, NotificationState
from daemon.notify.state import FAILED, UNTIL, LimitReached, Outage, Snapshot
from store.notifications import ActivityCounts

MANY_WAITING = 5
AT_MOST_EVERY = timedelta(hours=1)
COLLECTED_FOR = timedelta(minutes=5)
"""Failures come in swarms: so long is waited for the others."""
OUTAGE_AFTER = timedelta(minutes=15)
ALERT_AGAIN_AFTER = timedelta(days=1)
DAY_LIMIT_AGAIN_AFTER = timedelta(days=7)
"""A large archive reaches the limit of a day every day."""
_A_DAY = timedelta(hours=25)
_MOST_CAUSES = 5
_MOST_DOCUMENTS = 5
"""So many are named; the number tells of all."""

LastNotifications: TypeAlias = Mapping[str, Notification]
"""The latest notice of each topic."""
Facts: TypeAlias = dict[str, JsonValue]


def decide(
    standing: Snapshot, told: LastNotifications, about: Collection[NotificationKind]
) -> tuple[NewNotification, ...]:
    """Say what to tell of the kinds that the owner wants."""
    return tuple(notice for kind in about for notice in _RULES[kind](standing, told))


def _review(standing: Snapshot, told: LastNotifications) -> Iterator[NewNotification]:
    """Tell when enough waits, and again only if more has come since."""
    last, newest = told.get(NotificationKind.REVIEW), standing.newest_waiting
    is_news = last is None or (
        last.facts["newest"] != newest and _is_over(AT_MOST_EVERY, last, standing)
    )
    if standing.for_review >= MANY_WAITING and is_news:
        facts: Facts = {"documents": standing.for_review, "newest": newest}
        yield _new(NotificationKind.REVIEW, NotificationKind.REVIEW, str(newest), facts)


def _failed(standing: Snapshot, told: LastNotifications) -> Iterator[NewNotification]:
    """Tell all that failed since the last time, in one notice."""
    last = told.get(FAILED)
    if last is None:
        # What failed before anybody wanted to be told is not told.
        yield _counted_until(standing, {}, NotificationState.SILENT)
        return
    if not standing.failures:
        return
    was_told = last.state is not NotificationState.SILENT
    if was_told and not _is_over(AT_MOST_EVERY, last, standing):
        return
    if standing.at - min(one.first_at for one in standing.failures) < COLLECTED_FOR:
        return
    causes: list[JsonValue] = [
        {
            "why": one.user_message,
            "count": len(one.documents),
            "documents": [str(ref) for ref in one.documents[:_MOST_DOCUMENTS]],
        }
        for one in standing.failures[:_MOST_CAUSES]
    ]
    yield _counted_until(standing, {"causes": causes}, NotificationState.WAITING)


def _counted_until(standing: Snapshot, facts: Facts, state: NotificationState) -> NewNotification:
    until = standing.failures_until.isoformat()
    return _new(NotificationKind.FAILED, FAILED, until, {UNTIL: until, **facts}, state)


def _connection(standing: Snapshot, told: LastNotifications) -> Iterator[NewNotification]:
    """Tell of an outage that lasts, and when it is over."""
    down = {_topic(one): one for one in standing.outages}
    for topic, outage in down.items():
        if standing.at - outage.since >= OUTAGE_AFTER and not _was_sent(told.get(topic), outage):
            yield _about(outage, topic)
    for topic, last in told.items():
        if last.kind is NotificationKind.CONNECTION and last.facts["down"]:
            since = str(last.facts["since"])
            if topic not in down or down[topic].since.isoformat() != since:
                facts = {**last.facts, "down": False, "back": standing.at.isoformat()}
                yield _new(NotificationKind.CONNECTION, topic, f"{since}:up", facts)


def _topic(outage: Outage) -> str:
    return f"{NotificationKind.CONNECTION}:{outage.target}"


def _was_sent(last: Notification | None, outage: Outage) -> bool:
    return last is not None and last.facts["since"] == outage.since.isoformat()


def _about(outage: Outage, topic: str) -> NewNotification:
    since = outage.since.isoformat()
    facts: Facts = {
        "down": True,
        "model": outage.is_model,
        "instances": list(outage.instances),
        "since": since,
        "waiting": outage.waiting,
    }
    return _new(NotificationKind.CONNECTION, topic, f"{since}:down", facts)


def _limit(standing: Snapshot, told: LastNotifications) -> Iterator[NewNotification]:
    """Tell of a limit that is reached; of a day's, not every day."""
    for reached in standing.limits:
        topic, since = f"{NotificationKind.LIMIT}:{reached.instance}", reached.since.isoformat()
        last = told.get(topic)
        if last is not None and (
            last.facts["since"] == since or _is_daily(reached, last, standing)
        ):
            continue
        facts: Facts = {
            "instance": reached.instance,
            "since": since,
            "goes_on_at": reached.goes_on_at.isoformat(),
        }
        yield _new(NotificationKind.LIMIT, topic, since, facts)


def _is_daily(reached: LimitReached, last: Notification, standing: Snapshot) -> bool:
    ends_soon = reached.goes_on_at - reached.since <= _A_DAY
    return ends_soon and not _is_over(DAY_LIMIT_AGAIN_AFTER, last, standing)


def _alert(standing: Snapshot, told: LastNotifications) -> Iterator[NewNotification]:
    """Tell what is warned of, each at most once a day."""
    if standing.figures is None:
        return
    for warn in list_warnings(standing.figures):
        topic = f"{NotificationKind.ALERT}:{warn}"
        last = told.get(topic)
        if last is None or _is_over(ALERT_AGAIN_AFTER, last, standing):
            facts = {"warning": warn.value, **_measured(warn, standing.figures)}
            yield _new(NotificationKind.ALERT, topic, standing.at.isoformat(), facts)


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


def _digest(standing: Snapshot, _: LastNotifications) -> Iterator[NewNotification]:
    """Tell what a day brought; if it brought nothing, only remember that it was looked at."""
    if standing.day is None:
        return
    topic, (since, until), happened = (
        NotificationKind.DIGEST,
        standing.day.span,
        standing.day.happened,
    )
    facts: Facts = {
        "since": since.isoformat(),
        UNTIL: until.isoformat(),
        "completed": happened.completed,
        "failed": happened.failed,
        "written": happened.written,
        "waiting": standing.for_review,
    }
    state = (
        NotificationState.SILENT
        if happened == ActivityCounts(0, 0, 0)
        else NotificationState.WAITING
    )
    yield _new(NotificationKind.DIGEST, topic, until.isoformat(), facts, state)


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


def _new(
    kind: NotificationKind,
    topic: str,
    which: str,
    facts: Facts,
    state: NotificationState = NotificationState.WAITING,
) -> NewNotification:
    return NewNotification(kind, topic, f"{topic}:{which}", facts, state)


def _is_over(span: timedelta, last: Notification, standing: Snapshot) -> bool:
    return standing.at - last.recorded_at >= span
