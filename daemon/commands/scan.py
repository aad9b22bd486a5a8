"""`scan-now`: look through the instances for documents, and work on them at once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from time import monotonic

from core.errors import PaperclerkError
from core.holds import Hold, filter_holds
from core.jobs import ANALYZE, DRY_RUN, JobStatus, Scope
from core.scans import Scan, SkipReason
from daemon.cli.exits import Exit, exit_for, print_error
from daemon.cli.holds import causes_of, exit_for_holds
from daemon.cli.options import Options
from daemon.cli.output import console, format_local, plural, print_json
from daemon.context import open_context
from daemon.drain import drain
from daemon.executor import Executor
from daemon.lifecycle import open_executor
from daemon.services import Services, open_services
from i18n.labels import SKIPPED
from paperless_client import PaperlessError
from processor.processor import FinishedJob
from scanner.scan import ScanOrder


@dataclass(frozen=True, slots=True)
class ScanRequest:
    """What was typed after `scan-now`."""

    name: str | None = None
    limit: int | None = None
    dry_run: bool = False
    as_json: bool = False

    @property
    def order(self) -> ScanOrder:
        kind = DRY_RUN if self.dry_run else ANALYZE
        return ScanOrder(asked_by="hand", kind=kind, limit=self.limit)


@dataclass(frozen=True, slots=True)
class ScanSummary:
    """One instance's scan and what became of its queue, as `--json` gives it."""

    instance: str
    scan: int
    """Its number, as `undo --scan` takes it."""
    changed_since: datetime | None
    """Only what changed since then was looked at; null: everything."""
    seen: int
    enqueued: int
    skipped: Mapping[str, int]
    completed: int
    """Number of completed jobs."""
    done: int
    """Documents of these jobs, without those that are for review."""
    failed: int
    held: int
    pending: int
    seconds: float


async def scan_now(options: Options, request: ScanRequest) -> Exit:
    """Scan one instance or all, and drain their queues; one instance's trouble stays its own."""
    async with (
        open_context(options) as memory,
        open_services(memory, memory.select_instances(request.name)) as services,
        open_executor(services) as hands,
    ):
        exits = [
            await _scan_one(services, hands, name, request)
            for name in services.instances
            if not hands.stopping
        ]
        return Exit.CANCELLED if hands.stopping else max(exits)


async def _scan_one(services: Services, hands: Executor, name: str, request: ScanRequest) -> Exit:
    started = monotonic()
    try:
        scan = await hands.scan(name, request.order)
    except (PaperclerkError, PaperlessError) as error:
        print_error(error, about=name)
        return exit_for(error)
    if not request.as_json:
        console().print(_scan_line(scan, services.context.zone))
    finished = await _drain(services, hands, scan, request)
    summary = await _summary(services, scan, finished, seconds=round(monotonic() - started, 1))
    holds = filter_holds(
        await services.store.holds.list_active(), services.instances[name].targets.all_targets
    )
    if request.as_json:
        print_json(summary)
    else:
        line = await _summary_line(services, summary, holds, limit=request.limit)
        console().print(line)
    return _exit_of(summary, holds)


async def _drain(
    services: Services, hands: Executor, scan: Scan, request: ScanRequest
) -> Sequence[FinishedJob]:
    waiting = (await services.store.jobs.count_by_status(scan.instance))[JobStatus.PENDING]
    # What is left over from before would be written: a dry run does not touch it.
    kinds = frozenset({DRY_RUN}) if request.dry_run else None
    scope = Scope(instances=(scan.instance,), kinds=kinds)
    return await drain(services, hands, [scope], total=waiting, show=not request.as_json)


async def _summary(
    services: Services, scan: Scan, finished: Sequence[FinishedJob], *, seconds: float
) -> ScanSummary:
    jobs = services.store.jobs
    ends = [one.job.status for one in finished]
    completed = {one.job.document for one in finished if one.job.status is JobStatus.COMPLETED}
    waiting = await services.store.documents.filter_for_review(completed)
    return ScanSummary(
        instance=scan.instance,
        scan=scan.id,
        changed_since=scan.changed_since,
        seen=scan.seen,
        enqueued=scan.enqueued,
        skipped={str(reason): count for reason, count in scan.skipped.items()},
        completed=ends.count(JobStatus.COMPLETED),
        done=len(completed - waiting),
        failed=ends.count(JobStatus.FAILED),
        held=await jobs.count_held(scan.instance),
        pending=(await jobs.count_by_status(scan.instance))[JobStatus.PENDING],
        seconds=seconds,
    )


def _exit_of(summary: ScanSummary, holds: tuple[Hold, ...]) -> Exit:
    if summary.held:
        return exit_for_holds(holds)
    return Exit.LOOK if summary.failed else Exit.OK


def _scan_line(scan: Scan, zone: tzinfo | None) -> str:
    """Say what a scan has found, and whether it looked at everything."""
    left = "; ".join(f"{count} {SKIPPED[reason]}" for reason, count in scan.skipped.items())
    new = plural(scan.enqueued, "new document")
    if scan.changed_since is None:
        said = f"{new} of {scan.seen} seen"
    elif scan.seen == 0:
        said = f"nothing has changed since {format_local(scan.changed_since, zone)}"
    else:
        said = f"{new} of {scan.seen} that changed since {format_local(scan.changed_since, zone)}"
    said = f"{scan.instance}: scan {scan.id}, {said}"
    return f"{said} ({left})" if left else said


def _left_out(summary: ScanSummary) -> str:
    """Return how much --limit left out: documents found but not queued, and documents not read."""
    over = summary.skipped.get(SkipReason.OVER_LIMIT, 0)
    unread = summary.skipped.get(SkipReason.NOT_READ, 0)
    said = f"{plural(over, 'document')} left out by --limit"
    return f"{said}, {plural(unread, 'older document')} not read" if unread else said


async def _summary_line(
    services: Services, summary: ScanSummary, holds: tuple[Hold, ...], *, limit: int | None
) -> str:
    review = (await services.store.statistics.count_for_review([summary.instance]))[
        summary.instance
    ]
    counts = [
        f"{summary.done} done",
        f"{summary.failed} failed" if summary.failed else "",
        f"{summary.pending} in the queue" if summary.pending else "",
        f"{summary.held} of them wait: {causes_of(holds)}" if summary.held else "",
        f"{plural(review, 'document')} for review (paperclerk review list)" if review else "",
        f"{summary.seconds} s",
        _left_out(summary) if limit is not None else "",
    ]
    return f"{summary.instance}: " + ", ".join(count for count in counts if count)
