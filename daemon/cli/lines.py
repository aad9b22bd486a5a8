"""What became of a job, line by line, for a terminal."""

from collections.abc import Iterable, Sequence
from datetime import datetime, tzinfo

from core.changes import Change, Plan, PlannedChange
from core.jobs import REHEARSE, Event, Job, JobStatus
from daemon.cli.output import local
from i18n.labels import (
    change_words,
    field_words,
    kept_words,
    reason_words,
    similar_words,
    standing_words,
)
from processor.left import left_by, worth_a_word

_NARROW = 14
"""No field of Paperless itself has a longer name; a custom field may."""


def width_of(changes: Iterable[Change | PlannedChange]) -> int:
    """Return how wide the names of fields are in lines that stand below each other."""
    return max([_NARROW, *(len(field_words(change.field)) for change in changes)])


def job_lines(job: Job, *, changes: Iterable[Change], plan: Plan | None) -> list[str]:
    """Say what a finished job changed and why; of a dry run, what it would change."""
    left, written = worth_a_word(plan.leave) if plan else (), tuple(changes)
    if job.kind == REHEARSE and plan is not None:
        width = width_of([*plan.now, *plan.review, *left])
        lines = [planned_line(one, "would be written", width) for one in plan.now]
        lines += [planned_line(one, "for review", width) for one in plan.review]
    else:
        width = width_of([*written, *left])
        lines = [change_line(one, width) for one in written]
    lines += [planned_line(one, "left", width) for one in left]
    return lines or ["    nothing to write"]


def story_lines(changes: Sequence[Change], events: Iterable[Event]) -> list[str]:
    """Say what was changed, and what was left out and why by the last plan that is told of."""
    left = left_by(events)
    width = width_of([*changes, *left])
    lines = [f"{change_line(one, width)}  (change {one.id})" for one in changes]
    return lines + [planned_line(one, "left", width) for one in left]


def change_line(change: Change, width: int = _NARROW) -> str:
    return _line(change, standing_words(change), width)


def planned_line(change: PlannedChange, standing: str, width: int = _NARROW) -> str:
    why = f": {reason_words(change.reasons)}{similar_words(change)}" if change.reasons else ""
    return _line(change, standing + why, width)


def back_line(change: Change) -> str:
    """Say what an undo would do: the value that was written goes, the one before comes back."""
    turned = PlannedChange(change.field, before=change.after, after=change.before)
    return planned_line(turned, "would go back")


def kept_line(change: Change) -> str:
    """Say that an undo left a value alone."""
    return _line(change, kept_words(change))


def ending_line(job: Job, *, waits: str, now: datetime, zone: tzinfo | None) -> str:
    """Say how an attempt ended that did not go through; `waits` is why a pending job waits."""
    said = str(job.problem.message) if job.problem else ""
    match job.status:
        case JobStatus.FAILED:
            hint = f"\n      -> {job.problem.hint}" if job.problem and job.problem.hint else ""
            return f"    failed: {said}{hint}"
        case JobStatus.CANCELLED:
            return f"    cancelled: {job.cancel_requested or said or 'gone from Paperless'}"
        case _ if job.scheduled_for > now:
            again = local(job.scheduled_for, zone)
            attempt = f"attempt {job.attempts} of {job.max_attempts}"
            return f"    {attempt} failed: {said}; again at {again}"
        case _:
            return f"    waits: {waits}"


def _line(change: Change | PlannedChange, standing: str, width: int = _NARROW) -> str:
    quote = f'  "{change.evidence}"' if change.evidence else ""
    return f"    {field_words(change.field):<{width}} {change_words(change)}  [{standing}]{quote}"
