"""When the whole list of an instance is read again, although little has changed.

Paperless does not change `modified` when a tag is renamed, text is recognised anew or a document
vanishes. Such things are found by reading the whole list once a day, at night.
"""

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, time, timedelta, tzinfo

from core.days import day_at
from core.scans import ScanMark

NIGHT_BEGINS, NIGHT_ENDS = time(1), time(5)
"""Where the owner lives."""
LONGEST_SKIPPED = timedelta(days=6, hours=12)
"""Six nights may be skipped in a row: on the seventh at least 6 days and 20 hours have passed."""
_DAY = timedelta(days=1)


def last_night(now: datetime, zone: tzinfo | None) -> datetime:
    """Return when the latest night began, this one included."""
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
    """Return whether the pass is to be made now.

    By day only what a night missed is made up for, once nothing else is to be done; after a
    second missed night at once.
    """
    night = last_night(now, zone)
    # A time in the future was set by a clock that was ahead.
    if night <= mark.passed_at <= now:
        return False
    return is_night(now, zone) or mark.passed_at < night - _DAY or await idle()


def may_be_skipped(mark: ScanMark, *, now: datetime) -> bool:
    """Return whether another night may pass without reading the whole list."""
    return now - mark.whole_at < LONGEST_SKIPPED


def _begins(moment: datetime, zone: tzinfo | None) -> datetime:
    return datetime.combine(day_at(moment, zone), NIGHT_BEGINS, tzinfo=zone).astimezone(UTC)
