"""`status`, `pause`, `resume`, `healthcheck`: the state of the daemon, and what is on hold."""

from contextlib import suppress
from dataclasses import dataclass
from datetime import tzinfo
from typing import TYPE_CHECKING, Annotated

import typer

from core.errors import PaperclerkError, Problem
from core.holds import PAUSE_ALL, Hold, HoldKind, HoldTargets, filter_holds
from core.jobs import Job, JobStatus, OverlongWait
from core.workers import Worker, WorkerStatus
from daemon.cli.app import app
from daemon.cli.arguments import AsJson, Instance, Options
from daemon.cli.exits import Exit, async_command, print_error
from daemon.cli.session import open_context, open_context_for_reading
from daemon.cli.terminal import console, english_labels, format_local, print_json, print_table

if TYPE_CHECKING:
    from actions.instances import InstanceOverview
    from actions.scans import QueueForecast
    from daemon.context import Context
    from daemon.services import Services

_MAX_RUNNING = 10
"""Maximum number of running jobs that are shown."""
_SUBJECTS = {
    HoldKind.MODEL: "model at {}",
    HoldKind.RATE: "model at {}, rate",
    HoldKind.PAPERLESS: "{}, Paperless",
    HoldKind.LIMIT: "{}, limit",
    HoldKind.HOURS: "{}, hours",
    HoldKind.BACKLOG: "{}, hours",
    HoldKind.ADDRESS: "{}, address",
    HoldKind.PAUSE: "{}",
}


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
    from core.settings import ConfigError

    try:
        async with open_context_for_reading(ctx.obj) as context:
            _show(await _load_status(context), context, as_json=as_json)
    except ConfigError as error:
        print_error(error)
        # The settings are the error to report, also if the store cannot be opened.
        with suppress(PaperclerkError):
            await _show_despite_errors(ctx.obj, as_json=as_json)
        return Exit.CONFIG
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
    from daemon.context import list_local, load_valid, open_context
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


async def explain_wait(services: "Services", job: Job) -> str:
    """Return why a job waits: a hold, its next attempt, or the reason in its last event."""
    instance = services.instances[job.document.instance]
    if holds := holds_on(job, instance.targets, await services.store.holds.list_active()):
        return describe_causes(holds, services.context.zone)
    if job.scheduled_for > services.context.clock():
        return f"its next attempt is at {format_local(job.scheduled_for, services.context.zone)}"
    reasons = [event.data.get("why") for event in await services.store.jobs.list_events(job.id)]
    return str(next(filter(None, reversed(reasons)), "other jobs come first"))


def describe_causes(holds: tuple[Hold, ...], zone: tzinfo | None) -> str:
    """Return why jobs are on hold, and until when."""
    return "; ".join(f"{hold.cause.message}; {_end_of(hold, zone)}" for hold in holds)


def describe_hold(hold: Hold, zone: tzinfo | None) -> str:
    """Return what is on hold, why, since when, and what ends it."""
    cause, since = str(hold.cause.message).rstrip(": "), format_local(hold.since, zone)
    return f"{_subject(hold)}: {cause} (since {since}; {_end_of(hold, zone)})"


def holds_on(job: Job, targets: HoldTargets, holds: tuple[Hold, ...]) -> tuple[Hold, ...]:
    """Return the holds that a job waits for; a job that calls no model ignores model and limit.

    That includes a job that only checks its begun changes before it ends.
    """
    return filter_holds(
        holds, targets.for_job(job.kind, job.priority) if job.ends_as is None else targets.all_jobs
    )


def exit_for_holds(holds: tuple[Hold, ...]) -> Exit:
    """Return the exit code when jobs are on hold: an outage before a limit; a pause is no error."""
    if any(hold.is_outage for hold in holds):
        return Exit.UNREACHABLE
    return Exit.REFUSED if any(hold.is_timed for hold in holds) else Exit.OK


async def _check_setup_mode(options: Options) -> Exit:
    """Return OK if a daemon waits for valid settings: restarting it would not help."""
    from daemon.health import is_in_setup_mode

    if not await is_in_setup_mode(options):
        return Exit.LOOK
    console().print("alive, and waiting for valid settings")
    return Exit.OK


async def _show_despite_errors(options: Options, *, as_json: bool) -> None:
    """Show the valid instances, and what is stored about those whose files have errors.

    Raise ConfigError if daemon.toml or the environment has an error: the database is not known.
    """
    from daemon.context import load_valid, open_context
    from store import OpenMode

    async with open_context(options, opening=OpenMode.LOOK, load=load_valid) as context:
        valid, known = context.settings.instances, await context.store.instances.list_all()
        invalid = tuple(
            instance.name
            for instance in known
            if instance.name not in valid and (options.config / f"{instance.name}.toml").is_file()
        )
        if valid or invalid:
            _show(await _load_status(context, invalid), context, as_json=as_json)


async def _load_status(context: "Context", invalid: tuple[str, ...] = ()) -> Status:
    """Load the status; of `invalid` instances, what is stored."""
    from actions.health import list_workers
    from actions.instances import list_overviews, list_stored_overviews
    from actions.scans import list_queue_forecasts
    from daemon.context import find_daemon

    overviews = await list_overviews(context.caller, tuple(context.settings.instances))
    stored = await list_stored_overviews(context.caller, invalid) if invalid else ()
    return Status(
        daemon=await find_daemon(context),
        instances=overviews + stored,
        holds=await context.store.holds.list_active(),
        workers=await list_workers(context.store, now=context.clock()),
        waits_too_long=await _list_overlong_waits(context),
        running=await _list_running(context, invalid),
        forecasts=await list_queue_forecasts(context.caller, overviews),
    )


def _show(status: Status, context: "Context", *, as_json: bool) -> None:
    if as_json:
        print_json(status)
    else:
        _print_status(status, context)


async def _list_overlong_waits(context: "Context") -> tuple[OverlongWait, ...]:
    return await context.store.waits.list_overlong(context.waits, now=context.clock())


async def _list_running(context: "Context", invalid: tuple[str, ...]) -> tuple[Job, ...]:
    from store import JobFilter

    names = frozenset((*context.settings.instances, *invalid))
    running = JobFilter(status=JobStatus.PROCESSING, instances=names)
    return await context.store.jobs.list(running, _MAX_RUNNING)


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
    settings = context.settings.instances.get(overview.instance)
    on_hold = f" ({overview.held} on hold)" if overview.held else ""
    day = settings.limits.documents_per_day if settings else 0
    month = settings.limits.cost_per_month if settings else 0
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
        else f"{overview.cost_this_month:.2f} {overview.currency}".rstrip(),
    )


def _next_scan(overview: "InstanceOverview", context: "Context") -> str:
    if overview.next_scan_at is None:
        return overview.next_scan.replace("_", " ")
    return format_local(overview.next_scan_at, context.zone)


def _subject(hold: Hold) -> str:
    if hold.target == PAUSE_ALL:
        return "everything"
    return _SUBJECTS[hold.kind].format(hold.subject)


def _end_of(hold: Hold, zone: tzinfo | None) -> str:
    if hold.kind is HoldKind.ADDRESS and hold.next_probe_at is None:
        confirm = f"`paperclerk confirm-address {hold.subject}`"
        return f"correct paperless.url, or confirm that these are the same documents: {confirm}"
    if hold.next_probe_at is None:
        name = "" if hold.target == PAUSE_ALL else f" {hold.subject}"
        return f"`paperclerk resume{name}` ends it"
    verb = "resumes" if hold.is_timed else "next retry"
    return f"{verb} at {format_local(hold.next_probe_at, zone)}"
