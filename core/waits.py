"""How long something may wait at most: what waits longer was planned by a clock that was ahead."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from core.jobs import EventName, Job

TOLERANCE = timedelta(minutes=1)
"""Clocks that differ by so little do no harm."""
_LONGEST_RECONCILE_WAIT = timedelta(minutes=10)
"""An attempt that only compares with Paperless waits so long, however short the step is."""

MOVES_TO_PENDING = frozenset(
    {
        EventName.ENQUEUED,
        EventName.RETRIED,
        EventName.RELEASED,
        EventName.RECOVERED,
        EventName.RESTARTED,
    }
)
"""Events after which a job waits."""

Steps = Mapping[str, timedelta]
"""How long each instance's jobs wait after their first attempt."""


@dataclass(frozen=True, slots=True)
class OverlongWait:
    """A pending job that waits longer than such a job can have to."""

    job: Job
    due_at: datetime
    """When it should be due at the latest."""
    was_pulled_in: bool
    """It was corrected once already, which is not done again."""


def retry_wait(attempts: int, step: timedelta) -> timedelta:
    """Return the usual wait after so many attempts."""
    return step * max(attempts, 1)


def longest_wait_of(
    last_move: EventName | None, *, attempts: int, step: timedelta, longest_hold: timedelta
) -> timedelta:
    """Return how long a pending job can have to wait after its last move.

    A job that was given back waits for the next probe, which is no further away than
    `longest_hold`. None: retention has taken that event, and the job should wait no longer.
    """
    if last_move is EventName.RETRIED:
        return max(retry_wait(attempts, step), _LONGEST_RECONCILE_WAIT)
    if last_move is EventName.RELEASED:
        return longest_hold
    return timedelta(0)


def due_after_pull_in(
    last_move: EventName | None, *, attempts: int, step: timedelta, now: datetime
) -> datetime:
    """Return when a job that waits too long is due instead: a retry still gets its pause."""
    return now + retry_wait(attempts, step) if last_move is EventName.RETRIED else now
