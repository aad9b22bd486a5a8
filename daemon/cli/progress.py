"""What became of a job, line by line, for a terminal."""

import asyncio
import sys
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager, suppress
from datetime import datetime, tzinfo

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from actions.plan_events import drop_trivial, list_left_out
from core.changes import Change, Plan, PlannedChange
from core.jobs import ANALYZE, DRY_RUN, Event, Job, JobStatus
from core.text import clean_line
from daemon.cli.holds import explain_wait
from daemon.cli.output import console, format_local
from daemon.services import Services
from i18n.labels import (
    change_label,
    field_label,
    kept_label,
    reasons_label,
    similar_label,
    state_details,
)
from processor.processor import FinishedJob
from store import JobFilter

_NARROW = 14
"""No field of Paperless itself has a longer name; a custom field may."""


def width_of(changes: Iterable[Change | PlannedChange]) -> int:
    """Return how wide the names of fields are in lines that stand below each other."""
    return max([_NARROW, *(len(field_label(change.field)) for change in changes)])


def job_lines(job: Job, *, changes: Iterable[Change], plan: Plan | None) -> list[str]:
    """Say what a finished job changed and why; of a dry run, what it would change."""
    left, written = drop_trivial(plan.leave) if plan else (), tuple(changes)
    if job.kind == DRY_RUN and plan is not None:
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
    left = list_left_out(events)
    width = width_of([*changes, *left])
    lines = [f"{change_line(one, width)}  (change {one.id})" for one in changes]
    return lines + [planned_line(one, "left", width) for one in left]


def change_line(change: Change, width: int = _NARROW) -> str:
    return _line(change, state_details(change), width)


def planned_line(change: PlannedChange, standing: str, width: int = _NARROW) -> str:
    why = f": {reasons_label(change.reasons)}{similar_label(change)}" if change.reasons else ""
    return _line(change, standing + why, width)


def back_line(change: Change) -> str:
    """Say what an undo would do: the value that was written goes, the one before comes back."""
    turned = PlannedChange(change.field, before=change.after, after=change.before)
    return planned_line(turned, "would go back")


def kept_line(change: Change) -> str:
    """Say that an undo left a value alone."""
    return _line(change, kept_label(change))


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
            again = format_local(job.scheduled_for, zone)
            attempt = f"attempt {job.attempts} of {job.max_attempts}"
            return f"    {attempt} failed: {said}; again at {again}"
        case _:
            return f"    waits: {waits}"


def _line(change: Change | PlannedChange, standing: str, width: int = _NARROW) -> str:
    quote = f'  "{change.evidence}"' if change.evidence else ""
    return f"    {field_label(change.field):<{width}} {change_label(change)}  [{standing}]{quote}"


_LOOK_EVERY = 0.5


class Display:
    """Prints what became of each job, above a bar where there is a terminal."""

    def __init__(self, services: Services, bar: Progress | None, *, total: int) -> None:
        self._clerk = services
        self._bar = bar
        self._task = bar.add_task("", total=total) if bar else None
        self._console = bar.console if bar else console()

    def doing(self, job: Job) -> None:
        if self._bar and self._task is not None:
            said = f"{job.document} {job.stage or ''} {job.progress} %"
            self._bar.update(self._task, description=said)

    async def show(self, finished: FinishedJob) -> None:
        for line in await lines_of(finished, self._clerk):
            self._console.print(line)
        if self._bar and self._task is not None:
            self._bar.advance(self._task)


@asynccontextmanager
async def display(services: Services, *, total: int) -> AsyncIterator[Display]:
    """Yield a display; on a terminal its bar follows the job under way."""
    if not sys.stdout.isatty():
        yield Display(services, None, total=total)
        return
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console(), transient=True) as bar:
        shown = Display(services, bar, total=total)
        follower = asyncio.ensure_future(_follow(services, shown))
        try:
            yield shown
        finally:
            follower.cancel()
            with suppress(asyncio.CancelledError):
                await follower


async def lines_of(finished: FinishedJob, services: Services) -> list[str]:
    """Say which document it was, and what became of it."""
    job, report = finished.job, finished.report
    known = await services.store.documents.get(job.document)
    head = f"{job.document}  {clean_line(known.title) if known else ''}".rstrip()
    if report is None:
        waits = await explain_wait(services, job)
        now, zone = services.context.clock(), services.context.zone
        return [head, ending_line(job, waits=waits, now=now, zone=zone)]
    # What is stored, not what was planned: an attempt may have gone on where another had ended.
    changes = report.changes
    if job.kind == ANALYZE:
        changes = await services.store.changes.list_for_job(job.id)
    lines = job_lines(job, changes=changes, plan=report.plan)
    return [head, *lines, *(kept_line(change) for change in report.kept)]


async def _follow(services: Services, shown: Display) -> None:
    while True:
        for job in await services.store.jobs.list(JobFilter(status=JobStatus.PROCESSING), limit=1):
            shown.doing(job)
        await asyncio.sleep(_LOOK_EVERY)
