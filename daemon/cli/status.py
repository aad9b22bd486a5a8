"""`status`, `pause`, `resume`, `healthcheck`: the state of the daemon, and pausing it."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from core.errors import PaperclerkError, Problem
from core.holds import Hold
from core.jobs import Job, JobStatus, OverlongWait
from core.workers import Worker, WorkerStatus
from daemon.cli.app import app
from daemon.cli.arguments import AsJson, Instance
from daemon.cli.exits import Exit, async_command, print_error
from daemon.cli.holds import describe_hold
from daemon.cli.options import Options
from daemon.cli.output import console, english_labels, format_local, print_json, print_table
from daemon.cli.session import open_context, open_context_for_reading

if TYPE_CHECKING:
    from actions.instances import InstanceOverview
    from actions.scans import QueueForecast
    from daemon.context import Context

_MOST_RUNNING = 10
"""Maximum number of running jobs that are shown."""


@dataclass(frozen=True, slots=True)
class Status:
    """The state of the daemon and its instances, as `--json` prints it."""

    daemon: Worker | None
    instances: "tuple[InstanceOverview, ...]"
    holds: tuple[Hold, ...]
    workers: tuple[WorkerStatus, ...] = ()
    """All processes that work on the queue, the daemon included."""
    waits_too_long: tuple[OverlongWait, ...] = ()
    """Pending jobs that were scheduled by a clock that was ahead, the longest wait first."""
    running: tuple[Job, ...] = ()
    forecasts: "tuple[QueueForecast, ...]" = ()
    """When the queues will be empty, of instances whose model has a rate or hours."""


@app.command("status")
@async_command
async def status(ctx: typer.Context, as_json: AsJson = False) -> Exit:
    """Show schedule, queue, holds and costs."""
    from actions.health import list_workers
    from actions.instances import list_overviews
    from actions.scans import list_queue_forecasts
    from daemon.running import find_daemon

    async with open_context_for_reading(ctx.obj) as context:
        overviews = await list_overviews(context.caller, tuple(context.settings.instances))
        current = Status(
            daemon=await find_daemon(context),
            instances=overviews,
            holds=await context.store.holds.list_active(),
            workers=await list_workers(context.store, now=context.clock()),
            waits_too_long=await _list_overlong_waits(context),
            running=await _list_running(context),
            forecasts=await list_queue_forecasts(context.caller, overviews),
        )
        if as_json:
            print_json(current)
        else:
            _print_status(current, context)
        return Exit.OK


@app.command("pause")
@async_command
async def pause(
    ctx: typer.Context,
    name: Instance = None,
    why: Annotated[str, typer.Option(metavar="TEXT", help="Reason, shown by `status`.")] = "",
) -> Exit:
    """Pause an instance, or all, until `resume`; restarts do not end the pause."""
    from actions import instances

    async with open_context(ctx.obj) as context:
        context.select_instances(name)
        await instances.pause(context.caller, name, why)
        command = f"paperclerk resume {name}" if name else "paperclerk resume"
        console().print(f"{name or 'everything'} is paused; `{command}` ends the pause")
        return Exit.OK


@app.command("resume")
@async_command
async def resume(ctx: typer.Context, name: Instance = None) -> Exit:
    """End a pause."""
    from actions import instances

    async with open_context(ctx.obj) as context:
        context.select_instances(name)
        resumed = await instances.resume(context.caller, name)
        result = "resumed" if resumed.was_paused else "was not paused"
        console().print(f"{name or 'everything'} {result}")
        for hold in resumed.others:
            console().print(f"but {describe_hold(hold, context.zone)}")
        return Exit.OK


@app.command("confirm-address")
@async_command
async def confirm_address(
    ctx: typer.Context, name: Annotated[str, typer.Argument(metavar="NAME", help="An instance.")]
) -> Exit:
    """Confirm a changed `paperless.url` although the documents there seem to be others."""
    from actions import instances

    async with open_context(ctx.obj) as context:
        context.select_instances(name)
        url = context.settings.instances[name].paperless.url
        if await instances.confirm_address(context.caller, name):
            console().print(f"{name} uses {url}; its documents are processed again")
        else:
            console().print(f"{name} is not on hold because of its address")
        return Exit.OK


@app.command("healthcheck")
@async_command
async def healthcheck(ctx: typer.Context) -> Exit:
    """Exit with 0 if the daemon or worker here and all its parts work, otherwise with 1."""
    # Docker allows no other exit codes.
    from core.settings import ConfigError
    from daemon.context import load_valid, open_context
    from daemon.running import list_local
    from store import OpenMode

    try:
        async with open_context(ctx.obj, opening=OpenMode.LOOK, load=load_valid) as context:
            running, now = await list_local(context), context.clock()
    except ConfigError as error:
        print_error(error)
        return await _check_setup_mode(ctx.obj)
    except PaperclerkError as error:
        print_error(error)
        return Exit.LOOK
    if not running:
        console().print("no daemon or worker is running here")
        return Exit.LOOK
    silent = sorted({part for worker in running for part in worker.signs.silent_parts(now=now)})
    console().print(f"not responding: {', '.join(silent)}" if silent else "alive")
    return Exit.LOOK if silent else Exit.OK


async def _check_setup_mode(options: Options) -> Exit:
    """Return OK if a daemon waits for valid settings: restarting it would not help."""
    from daemon.healthcheck import is_in_setup_mode

    if not await is_in_setup_mode(options):
        return Exit.LOOK
    console().print("alive, and waiting for valid settings")
    return Exit.OK


async def _list_overlong_waits(context: "Context") -> tuple[OverlongWait, ...]:
    names = tuple(context.settings.instances)
    steps = {name: context.settings.instances[name].retry.step for name in names}
    return await context.store.waits.list_overlong(steps, now=context.clock())


async def _list_running(context: "Context") -> tuple[Job, ...]:
    from store import JobFilter

    names = frozenset(context.settings.instances)
    running = JobFilter(status=JobStatus.PROCESSING, instances=names)
    return await context.store.jobs.list(running, _MOST_RUNNING)


def _print_status(status: Status, context: "Context") -> None:
    if status.daemon:
        since = format_local(status.daemon.started_at, context.zone)
        console().print(f"daemon running (process {status.daemon.pid}, since {since})")
    else:
        console().print("no daemon is running; `paperclerk run` starts one")
    _print_workers(status, context)
    if not status.instances:
        console().print("no instance is set up; `paperclerk init` or the dashboard adds one")
        return
    headings = ("instance", "last scan", "next scan", "queue", "failed", "review", "today", "month")
    print_table(headings, (_row(instance, context) for instance in status.instances))
    for instance in status.instances:
        if instance.last_failure is not None:
            at = format_local(instance.last_failure_at, context.zone)
            problem = _problem_text(instance.last_failure, at)
            console().print(f"{instance.instance}: the last scan failed: {problem}")
    for job in status.running:
        labels = english_labels(context)
        console().print(f"{job.document}: {labels.progress(job)} · {job.progress}% (job {job.id})")
    _print_waits(status, context)


def _print_waits(status: Status, context: "Context") -> None:
    for hold in status.holds:
        console().print(describe_hold(hold, context.zone))
    for forecast in status.forecasts:
        end = format_local(forecast.ends_at, context.zone)
        console().print(f"{forecast.instance}: queue finished at about {end}")
    for wait in status.waits_too_long:
        console().print(_overlong_wait_text(wait, context))


def _print_workers(status: Status, context: "Context") -> None:
    """Print what each process does, if several share the work."""
    if len(status.workers) <= 1:
        return
    now = context.clock()
    print_table(
        ("process", "role", "jobs", "last sign of life"),
        (
            (
                found.worker.name,
                f"{found.worker.role}, scans" if found.scans else found.worker.role,
                ", ".join(str(job.id) for job in found.jobs) or "idle",
                format_local(found.worker.beat_at, context.zone)
                + (" (not responding)" if found.is_silent(now=now) else ""),
            )
            for found in status.workers
        ),
    )


def _overlong_wait_text(wait: OverlongWait, context: "Context") -> str:
    job = wait.job
    planned = format_local(job.scheduled_for, context.zone)
    due = format_local(wait.due_at, context.zone)
    remedy = (
        f"it was already corrected once; run `paperclerk cancel {job.id}`, then `retry {job.id}`"
        if wait.was_pulled_in
        else "a running daemon corrects it within a minute"
    )
    return (
        f"{job.document}: job {job.id} waits until {planned}, longer than it should (at most "
        f"until {due}): the clock was ahead when it was planned; {remedy}"
    )


def _problem_text(problem: Problem, at: str) -> str:
    hint = f"\n  -> {problem.hint}" if problem.hint else ""
    return f"{problem.message} (at {at}){hint}"


def _row(overview: "InstanceOverview", context: "Context") -> tuple[str, ...]:
    limits = context.settings.instances[overview.instance].limits
    on_hold = f" ({overview.held} on hold)" if overview.held else ""
    day, month = limits.documents_per_day, limits.cost_per_month
    return (
        overview.instance,
        format_local(overview.last_scan_at, context.zone),
        _next_scan(overview, context),
        f"{overview.pending + overview.processing}{on_hold}",
        str(overview.failed),
        str(overview.for_review),
        f"{overview.documents_today} of {day}" if day else str(overview.documents_today),
        f"{overview.cost_this_month:.2f} of {month:.2f} {overview.currency}"
        if month
        else f"{overview.cost_this_month:.2f} {overview.currency}",
    )


def _next_scan(overview: "InstanceOverview", context: "Context") -> str:
    if overview.next_scan_at is None:
        return overview.next_scan.replace("_", " ")
    return format_local(overview.next_scan_at, context.zone)
