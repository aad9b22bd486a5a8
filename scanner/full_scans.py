"""Decide when the whole list of an instance is read, even if little has changed.

Paperless does not change `modified` when a tag is renamed, text recognition is repeated or a
document is deleted. Reading the whole list once a day, at night, finds such changes.
"""

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, time, timedelta, tzinfo

from core.calendar import day_at
from core.scans import ScanMark

NIGHT_BEGINS, NIGHT_ENDS = time(1), time(5)
"""Hours of the night, in the owner's time zone."""
LONGEST_SKIPPED = timedelta(days=6, hours=12)
"""Six nights in a row may be skipped: by the seventh, at least 6 days and 20 hours have passed."""
_DAY = timedelta(days=1)


def last_night(now: datetime, zone: tzinfo | None) -> datetime:
    """Return when the latest night began, including the current one."""
    today = _begins(now, zone)
    return today if today <= now else _begins(now - _DAY, zone)


def next_night(now: datetime, zone: tzinfo | None) -> datetime:
    """Return when the next night begins."""
    today = _begins(now, zone)
    return today if today > now else _begins(now + _DAY, zone)


def is_night(now: datetime, zone: tzinfo | None) -> bool:
    return NIGHT_BEGINS <= now.astimezone(zone).time() < NIGHT_ENDS


async def is_due(
    mark: ScanMark,
    *,
    now: datetime,
    zone: tzinfo | None,
    idle: Callable[[], Awaitable[bool]],
) -> bool:
    """Return whether to read the whole list now.

    During the day this only makes up for a missed night, once the queue is idle, or at once after
    a second missed night.
    """
    night = last_night(now, zone)
    # A time in the future comes from a clock that was ahead.
    if night <= mark.passed_at <= now:
        return False
    return is_night(now, zone) or mark.passed_at < night - _DAY or await idle()


def may_be_skipped(mark: ScanMark, *, now: datetime) -> bool:
    """Return whether another night may pass without reading the whole list."""
    return now - mark.whole_at < LONGEST_SKIPPED


def _begins(moment: datetime, zone: tzinfo | None) -> datetime:
    return datetime.combine(day_at(moment, zone), NIGHT_BEGINS, tzinfo=zone).astimezone(UTC)
