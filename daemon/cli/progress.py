"""Show a queue being drained: a bar on a terminal, and a few lines for each document."""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from core.jobs import ANALYZE, Job, JobStatus
from core.text import tidy
from daemon.cli.holds import why_it_waits
from daemon.cli.lines import ending_line, job_lines, kept_line
from daemon.cli.output import console
from daemon.services import Clerk
from processor.processor import Finished
from store import JobFilter

_LOOK_EVERY = 0.5


class Display:
    """Prints what became of each job, above a bar where there is a terminal."""

    def __init__(self, clerk: Clerk, bar: Progress | None, *, total: int) -> None:
        self._clerk = clerk
        self._bar = bar
        self._task = bar.add_task("", total=total) if bar else None
        self._console = bar.console if bar else console()

    def doing(self, job: Job) -> None:
        if self._bar and self._task is not None:
            said = f"{job.document} {job.stage or ''} {job.progress} %"
            self._bar.update(self._task, description=said)

    async def show(self, finished: Finished) -> None:
        for line in await lines_of(finished, self._clerk):
            self._console.print(line)
        if self._bar and self._task is not None:
            self._bar.advance(self._task)


@asynccontextmanager
async def display(clerk: Clerk, *, total: int) -> AsyncIterator[Display]:
    """Yield a display; on a terminal its bar follows the job under way."""
    if not sys.stdout.isatty():
        yield Display(clerk, None, total=total)
        return
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console(), transient=True) as bar:
        shown = Display(clerk, bar, total=total)
        follower = asyncio.ensure_future(_follow(clerk, shown))
        try:
            yield shown
        finally:
            follower.cancel()
            with suppress(asyncio.CancelledError):
                await follower


async def lines_of(finished: Finished, clerk: Clerk) -> list[str]:
    """Say which document it was, and what became of it."""
    job, report = finished.job, finished.report
    known = await clerk.store.documents.get(job.document)
    head = f"{job.document}  {tidy(known.title) if known else ''}".rstrip()
    if report is None:
        waits = await why_it_waits(clerk, job)
        now, zone = clerk.memory.clock(), clerk.memory.zone
        return [head, ending_line(job, waits=waits, now=now, zone=zone)]
    # What is stored, not what was planned: an attempt may have gone on where another had ended.
    changes = report.changes
    if job.kind == ANALYZE:
        changes = await clerk.store.changes.of_job(job.id)
    lines = job_lines(job, changes=changes, plan=report.plan)
    return [head, *lines, *(kept_line(change) for change in report.kept)]


async def _follow(clerk: Clerk, shown: Display) -> None:
    while True:
        for job in await clerk.store.jobs.list(JobFilter(status=JobStatus.PROCESSING), limit=1):
            shown.doing(job)
        await asyncio.sleep(_LOOK_EVERY)
