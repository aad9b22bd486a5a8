"""`scan-now`: scan the instances for documents and process them at once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, tzinfo
from decimal import Decimal
from time import monotonic
from typing import TYPE_CHECKING, Annotated

import typer

from core.calendar import utc_now
from core.errors import PaperclerkError
from core.holds import Hold, filter_holds
from core.jobs import ANALYZE, DRY_RUN, JobStatus, Scope
from core.scans import Scan, SkipReason
from core.spending import Consent
from daemon.cli.app import app
from daemon.cli.arguments import FLAG, AsJson, Instance, Options, Yes, parse_number
from daemon.cli.exits import Exit, exit_for, print_error, result_of, run
from daemon.cli.session import open_services
from daemon.cli.status import describe_causes, exit_for_holds
from daemon.cli.terminal import confirm, console, format_local, plural, print_json
from i18n.labels import SKIPPED

if TYPE_CHECKING:
    from daemon.executor import Executor
    from daemon.services import Services
    from processor.processor import FinishedJob
    from scanner.scan import ScanOrder


@dataclass(frozen=True, slots=True)
class ScanRequest:
    """The arguments of `scan-now`."""

    name: str | None = None
    limit: int | None = None
    dry_run: bool = False
    as_json: bool = False
    consents: Mapping[str, Consent] = field(default_factory=dict)
    """By instance."""

    @property
    def order(self) -> "ScanOrder":
        from actions.caller import BY_HAND
        from scanner.scan import ScanOrder

        kind = DRY_RUN if self.dry_run else ANALYZE
        return ScanOrder(asked_by=BY_HAND, kind=kind, limit=self.limit)


@dataclass(frozen=True, slots=True)
class ScanSummary:
    """The scan of one instance and the results of its jobs, as `--json` prints it."""

    instance: str
    scan: int
    """Its number, as `undo --scan` takes it."""
    changed_since: datetime | None
    """Only documents changed since then were read; null: all documents."""
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


@dataclass(frozen=True, slots=True)
class _Consents:
    """The consents that a person is asked for."""

    question: str = ""
    by_instance: Mapping[str, Consent] = field(default_factory=dict)


@app.command("scan-now")
def scan_now(  # noqa: PLR0913, PLR0917 - one for each option
    ctx: typer.Context,
    name: Instance = None,
    limit: Annotated[
        int | None,
        typer.Option(
            parser=parse_number, metavar="N", help="Queue at most this many new documents."
        ),
    ] = None,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run", metavar=FLAG, help="Ask the model and show the plan; write nothing."
        ),
    ] = False,
    estimate: Annotated[
        bool,
        typer.Option("--estimate", metavar=FLAG, help="Only estimate time and cost; send nothing."),
    ] = False,
    as_json: AsJson = False,
    yes: Yes = False,
) -> None:
    """Scan for documents that have not been processed yet, and process them at once."""
    request = ScanRequest(name, limit, dry_run, as_json)
    if estimate:
        from daemon.cli.costs import print_estimates

        run(lambda: print_estimates(ctx.obj, request))
    # The question is asked outside the event loop, where Ctrl-C ends it.
    consents = result_of(lambda: _estimate_consents(ctx.obj, request))
    if consents.question and not yes:
        confirm(consents.question, instead="Add --yes to start, or --limit for fewer documents.")
    run(lambda: scan_and_process(ctx.obj, replace(request, consents=consents.by_instance)))


async def scan_and_process(options: Options, request: ScanRequest) -> Exit:
    """Scan one instance or all, and process their queues.

    An error in one instance does not keep the others from being scanned.
    """
    from daemon.lifecycle import open_executor

    async with (
        open_services(options, request.name) as services,
        open_executor(services) as executor,
    ):
        exits = [
            await _scan_instance(services, executor, name, request)
            for name in services.instances
            if not executor.stopping
        ]
        return Exit.CANCELLED if executor.stopping else max(exits)


async def _estimate_consents(options: Options, request: ScanRequest) -> _Consents:
    from daemon.context import load

    instances = load(options).instances.values()
    if not any(instance.limits.consent_above for instance in instances):
        return _Consents()
    from actions.caller import BY_HAND
    from daemon.cli.costs import build_consent_question, list_costly

    costly = await list_costly(options, request)
    consents = {
        summary.instance: Consent(BY_HAND, utc_now(), summary.cost or Decimal())
        for summary in costly
    }
    return _Consents(build_consent_question(costly) if costly else "", consents)


async def _scan_instance(
    services: "Services", executor: "Executor", name: str, request: ScanRequest
) -> Exit:
    from paperless_client import PaperlessError

    started = monotonic()
    try:
        order = replace(request.order, consent=request.consents.get(name))
        scan = await executor.scan(name, order)
    except (PaperclerkError, PaperlessError) as error:
        print_error(error, about=name)
        return exit_for(error)
    if not request.as_json:
        console().print(_scan_line(scan, services.context.zone))
    finished = await _process_queue(services, executor, scan, request)
    summary = await _summarize(services, scan, finished, seconds=round(monotonic() - started, 1))
    holds = filter_holds(
        await services.store.holds.list_active(), services.instances[name].targets.all_targets
    )
    if request.as_json:
        print_json(summary)
    else:
        console().print(await _summary_line(services, summary, holds, limit=request.limit))
    if summary.held:
        return exit_for_holds(holds)
    return Exit.LOOK if summary.failed else Exit.OK


async def _process_queue(
    services: "Services", executor: "Executor", scan: Scan, request: ScanRequest
) -> "Sequence[FinishedJob]":
    from daemon.cli.progress import drain

    waiting = (await services.store.jobs.count_by_status(scan.instance))[JobStatus.PENDING]
    # Other pending jobs would write: a dry run does not touch them.
    kinds = frozenset({DRY_RUN}) if request.dry_run else None
    scope = Scope(instances=(scan.instance,), kinds=kinds)
    return await drain(services, executor, [scope], total=waiting, show=not request.as_json)


async def _summarize(
    services: "Services", scan: Scan, finished: "Sequence[FinishedJob]", *, seconds: float
) -> ScanSummary:
    jobs = services.store.jobs
    attempted = [attempt.job for attempt in finished]
    ends = [job.status for job in attempted]
    completed = {job.document for job in attempted if job.status is JobStatus.COMPLETED}
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


def _scan_line(scan: Scan, zone: tzinfo | None) -> str:
    """Return how many documents a scan found, and since when they were changed."""
    skipped = "; ".join(f"{count} {SKIPPED[reason]}" for reason, count in scan.skipped.items())
    new = plural(scan.enqueued, "new document")
    if scan.changed_since is None:
        result = f"{new} of {scan.seen} seen"
    elif scan.seen == 0:
        result = f"nothing has changed since {format_local(scan.changed_since, zone)}"
    else:
        result = f"{new} of {scan.seen} that changed since {format_local(scan.changed_since, zone)}"
    line = f"{scan.instance}: scan {scan.id}, {result}"
    return f"{line} ({skipped})" if skipped else line


def _left_out(summary: ScanSummary, limit: int) -> str:
    """Return how much the limit left out: documents not queued, and documents not read."""
    over = summary.skipped.get(SkipReason.OVER_LIMIT, 0)
    unread = summary.skipped.get(SkipReason.NOT_READ, 0)
    counts = (
        f"{plural(over, 'more document')} found and left out (limit: {limit})" if over else "",
        f"{plural(unread, 'older document')} not read" if unread else "",
    )
    return ", ".join(count for count in counts if count)


async def _summary_line(
    services: "Services", summary: ScanSummary, holds: tuple[Hold, ...], *, limit: int | None
) -> str:
    review = (await services.store.statistics.count_for_review([summary.instance]))[
        summary.instance
    ]
    causes = describe_causes(holds, services.context.zone)
    counts = [
        f"{summary.done} done",
        f"{summary.failed} failed" if summary.failed else "",
        f"{summary.pending} in the queue" if summary.pending else "",
        f"{summary.held} of them on hold: {causes}" if summary.held else "",
        f"{plural(review, 'document')} for review (paperclerk review list)" if review else "",
        f"{summary.seconds} s",
        _left_out(summary, limit) if limit is not None else "",
    ]
    return f"{summary.instance}: " + ", ".join(count for count in counts if count)
