"""Process jobs for a command, and print each result as it arrives."""

import asyncio
import sys
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager, suppress
from datetime import datetime, tzinfo

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from actions.jobs import EnqueueResult
from actions.timeline import drop_trivial, list_left_out
from core.changes import Change, Plan, PlannedChange, PlannedSuggestion
from core.jobs import ANALYZE, DRY_RUN, Job, JobStatus, Scope
from core.text import clean_line
from daemon.cli.exits import Exit, print_error
from daemon.cli.status import exit_for_holds, explain_wait, holds_on
from daemon.cli.terminal import console, english_labels, format_local, plural
from daemon.executor import Executor
from daemon.lifecycle import open_executor
from daemon.services import Services
from i18n.labels import (
    change_label,
    field_label,
    kept_label,
    reasons_label,
    similar_label,
    state_details,
    value_label,
)
from processor.processor import FinishedJob
from store import JobFilter, WorkLocked

_REFRESH_SECONDS = 0.5
_NARROW = 14
"""Width of the longest name of a built-in field; the name of a custom field may be longer."""
_AT_ONCE = 1_000
"""Number of job ids in one statement."""


class Display:
    """Prints the result of each job, above a progress bar if there is a terminal."""

    def __init__(self, services: Services, bar: Progress | None, *, total: int) -> None:
        self._services = services
        self._bar = bar
        self._task = bar.add_task("", total=total) if bar else None
        self._console = bar.console if bar else console()

    def update(self, job: Job) -> None:
        """Show the running job beside the progress bar."""
        if self._bar and self._task is not None:
            labels = english_labels(self._services.context)
            description = f"{job.document} {labels.progress(job)} {job.progress}%"
            self._bar.update(self._task, description=description)

    async def show(self, finished: FinishedJob) -> None:
        """Print the result of a job."""
        for line in await lines_of(finished, self._services):
            self._console.print(line)
        if self._bar and self._task is not None:
            self._bar.advance(self._task)


def width_of(changes: Iterable[Change | PlannedChange]) -> int:
    """Return the width of the column of field names."""
    return max([_NARROW, *(len(field_label(change.field)) for change in changes)])


def job_lines(
    job: Job, *, changes: Sequence[Change], plan: Plan | None, kept: Sequence[Change] = ()
) -> list[str]:
    """Return lines about what a finished job changed, or would change if it was a dry run.

    `kept` are the values that an undo did not change.
    """
    left = drop_trivial(plan.leave) if plan else ()
    if job.kind == DRY_RUN and plan is not None:
        width = width_of([*plan.now, *plan.review, *left])
        lines = [planned_line(change, "would be written", width) for change in plan.now]
        lines += [planned_line(change, "for review", width) for change in plan.review]
    else:
        width = width_of([*changes, *left, *kept])
        lines = [change_line(change, width) for change in changes]
    lines += [planned_line(change, "skipped", width) for change in left]
    lines += [kept_line(change, width) for change in kept]
    return lines or ["    nothing to write"]


def change_lines(changes: Sequence[Change], suggestions: Iterable[PlannedSuggestion]) -> list[str]:
    """Return lines about changes, and about the suggestions that were left out."""
    left = list_left_out(suggestions)
    width = width_of([*changes, *left])
    lines = [f"{change_line(change, width)}  (change {change.id})" for change in changes]
    return lines + [planned_line(change, "skipped", width) for change in left]


def change_line(change: Change, width: int = _NARROW) -> str:
    return _line(change, state_details(change), width)


def planned_line(change: PlannedChange, state: str, width: int = _NARROW) -> str:
    why = f": {reasons_label(change.reasons)}{similar_label(change)}" if change.reasons else ""
    return _line(change, state + why, width)


def undo_line(change: Change, width: int) -> str:
    """Return a line about what an undo would do: the previous value replaces the written one."""
    reverse = PlannedChange(change.field, before=change.after, after=change.before)
    return planned_line(reverse, "would be undone", width)


def kept_line(change: Change, width: int) -> str:
    """Return a line about a value that an undo did not change."""
    return _line(change, kept_label(change), width)


def ending_line(job: Job, *, waits: str, now: datetime, zone: tzinfo | None) -> str:
    """Return a line about an attempt that did not succeed; `waits` is why a pending job waits."""
    problem = str(job.problem.message) if job.problem else ""
    match job.status:
        case JobStatus.FAILED:
            hint = f"\n      -> {job.problem.hint}" if job.problem and job.problem.hint else ""
            return f"    failed: {problem}{hint}"
        case JobStatus.CANCELLED:
            return f"    cancelled: {job.cancel_requested or problem or 'deleted from Paperless'}"
        case _ if job.scheduled_for > now:
            again = format_local(job.scheduled_for, zone)
            attempt = f"attempt {job.attempts} of {job.max_attempts}"
            return f"    {attempt} failed: {problem}; next retry at {again}"
        case _:
            return f"    waits: {waits}"


@asynccontextmanager
async def display(services: Services, *, total: int) -> AsyncIterator[Display]:
    """Yield a display; on a terminal its progress bar follows the running job."""
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
    """Return lines about a document and the result of its job."""
    job, report = finished.job, finished.report
    known = await services.store.documents.get(job.document)
    head = f"{job.document}  {clean_line(known.title) if known else ''}".rstrip()
    if report is None:
        waits = await explain_wait(services, job)
        now, zone = services.context.clock(), services.context.zone
        return [head, ending_line(job, waits=waits, now=now, zone=zone)]
    # The stored changes, not the planned ones: an attempt may continue an interrupted one.
    changes = report.changes
    if job.kind == ANALYZE:
        changes = await services.store.changes.list_for_job(job.id)
    return [head, *job_lines(job, changes=changes, plan=report.plan, kept=report.kept)]


async def drain(
    services: Services, executor: Executor, scopes: Iterable[Scope], *, total: int, show: bool
) -> list[FinishedJob]:
    """Process the jobs in `scopes` until none is due; return each after its attempt."""
    if not show:
        return [job for scope in scopes async for job in executor.work(scope)]
    finished = []
    async with display(services, total=total) as shown:
        for scope in scopes:
            async for job in executor.work(scope):
                await shown.show(job)
                finished.append(job)
    return finished


async def process_jobs(services: Services, jobs: Sequence[Job]) -> Exit:
    """Process these jobs now, or leave them in the queue if another process holds the lock."""
    try:
        async with open_executor(services) as executor:
            scopes = scopes_of([job.id for job in jobs])
            finished = await drain(services, executor, scopes, total=len(jobs), show=True)
            if executor.stopping:
                return Exit.CANCELLED
    except WorkLocked as busy:
        console().print(f"{plural(len(jobs), 'job')} in the queue: {busy}")
        return Exit.OK
    attempted = {attempt.job.id for attempt in finished}
    current = [await services.store.jobs.get(job.id) for job in jobs]
    for job in current:
        if job.id not in attempted and job.status is JobStatus.PENDING:
            console().print(f"{job.document} waits: {await explain_wait(services, job)}")
    return max([await _exit_of(services, job) for job in current], default=Exit.OK)


def scopes_of(numbers: Sequence[int]) -> list[Scope]:
    """Split jobs into scopes of a size that one statement can take."""
    parts = [numbers[first : first + _AT_ONCE] for first in range(0, len(numbers), _AT_ONCE)]
    return [Scope(jobs=frozenset(part)) for part in parts]


async def process_queued(services: Services, queued: EnqueueResult) -> Exit:
    """Process the queued jobs, and print why others could not be queued."""
    for error in queued.refused:
        print_error(error)
    ended = await process_jobs(services, queued.jobs)
    return max(ended, Exit.LOOK) if queued.refused else ended


def _line(change: Change | PlannedChange, state: str, width: int = _NARROW) -> str:
    origin = " (found by Paperclerk)" if change.is_evidence_found else ""
    quote = f'  "{change.evidence}"{origin}' if change.evidence else ""
    if change.e_invoice is not None:
        quote += f"  e-invoice: {value_label(change.e_invoice)}"
    return f"    {field_label(change.field):<{width}} {change_label(change)}  [{state}]{quote}"


async def _follow(services: Services, shown: Display) -> None:
    while True:
        for job in await services.store.jobs.list(JobFilter(status=JobStatus.PROCESSING), limit=1):
            shown.update(job)
        await asyncio.sleep(_REFRESH_SECONDS)


async def _exit_of(services: Services, job: Job) -> Exit:
    """Return the exit code for a job; that of a hold is more specific than 1."""
    if job.status is JobStatus.COMPLETED:
        return Exit.OK
    if job.status is JobStatus.PENDING:
        active = await services.store.holds.list_active()
        if holds := holds_on(job, services.instances[job.document.instance].targets, active):
            return exit_for_holds(holds)
    return Exit.LOOK
