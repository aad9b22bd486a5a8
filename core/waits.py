"""Maximum waiting times of jobs; a longer wait was planned by a clock that was ahead."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from core.jobs import EventName, Job

TOLERANCE = timedelta(minutes=1)
"""Differences between clocks up to this are harmless."""
_LONGEST_RECONCILE_WAIT = timedelta(minutes=10)
"""Maximum delay before an attempt that only checks begun writes, whatever the retry step."""

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
"""Delay after the first attempt of a job, by instance."""


@dataclass(frozen=True, slots=True)
class OverlongWait:
    """A pending job that waits longer than the maximum for its kind."""

    job: Job
    due_at: datetime
    """The latest time at which it should be due."""
    was_pulled_in: bool
    """Whether it was already corrected; a job is corrected only once."""


def retry_wait(attempts: int, step: timedelta) -> timedelta:
    """Return the usual delay after a number of attempts."""
    return step * max(attempts, 1)


def longest_wait_of(
    last_move: EventName | None, *, attempts: int, step: timedelta, longest_hold: timedelta
) -> timedelta:
    """Return the maximum wait of a pending job after its last event.

    A released job waits for the next probe, at most `longest_hold` away. `None` as the event means
    that retention removed it, and the job should not wait any longer.
    """
    if last_move is EventName.RETRIED:
        return max(retry_wait(attempts, step), _LONGEST_RECONCILE_WAIT)
    if last_move is EventName.RELEASED:
        return longest_hold
    return timedelta(0)


def due_after_pull_in(
    last_move: EventName | None, *, attempts: int, step: timedelta, now: datetime
) -> datetime:
    """Return the corrected due time of a job that waits too long; a retry keeps its delay."""
    return now + retry_wait(attempts, step) if last_move is EventName.RETRIED else now
