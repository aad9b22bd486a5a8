"""`status`, `pause`, `resume`, `healthcheck`: how things stand, and how to hold them up."""

from dataclasses import dataclass

from actions import instances
from actions.instances import InstanceStatus, list_statuses
from core.errors import PaperclerkError, Problem
from core.holds import Hold
from core.settings import ConfigError
from core.waits import OverlongWait
from core.workers import Worker
from daemon.cli.exits import Exit, print_error
from daemon.cli.holds import describe_hold
from daemon.cli.options import Options
from daemon.cli.output import console, format_local, print_json, print_table
from daemon.context import Context, open_context
from daemon.running import find_daemon, find_local_daemon
from store import OpenMode


@dataclass(frozen=True, slots=True)
class Status:
    """How everything stands, as `--json` gives it."""

    daemon: Worker | None
    instances: tuple[InstanceStatus, ...]
    holds: tuple[Hold, ...]
    waits_too_long: tuple[OverlongWait, ...] = ()
    """Pending jobs that were planned by a clock that was ahead, the longest wait first."""


async def status(options: Options, *, as_json: bool) -> Exit:
    """Show timers, queue, holds and limits."""
    async with open_context(options, opening=OpenMode.LOOK) as memory:
        told = Status(
            daemon=await find_daemon(memory),
            instances=await list_statuses(memory.caller, memory.select_instances(None)),
            holds=await memory.store.holds.list_active(),
            waits_too_long=await _waits_too_long(memory),
        )
        if as_json:
            print_json(told)
        else:
            _print(told, memory)
        return Exit.OK


async def pause(options: Options, *, name: str | None, why: str) -> Exit:
    """Let an instance, or everything, rest until it is resumed; that survives a restart."""
    async with open_context(options) as memory:
        memory.select_instances(name)
        await instances.pause(memory.caller, name, why)
        back = f"paperclerk resume {name}" if name else "paperclerk resume"
        console().print(f"{name or 'everything'} is paused; `{back}` goes on")
        return Exit.OK


async def resume(options: Options, *, name: str | None) -> Exit:
    """Go on after a pause; tell of any other that is left."""
    async with open_context(options) as memory:
        memory.select_instances(name)
        resumed = await instances.resume(memory.caller, name)
        was = "goes on" if resumed.was_paused else "was not paused"
        console().print(f"{name or 'everything'} {was}")
        for hold in resumed.others:
            console().print(f"but {describe_hold(hold, memory.zone)}")
        return Exit.OK


async def healthcheck(options: Options) -> Exit:
    """Return 0 if a daemon and all its parts are alive, else 1: Docker allows only these two."""
    try:
        async with open_context(options, opening=OpenMode.LOOK) as memory:
            daemon, now = await find_local_daemon(memory), memory.clock()
    except ConfigError as error:
        print_error(error)
        return await _health_without_settings(options)
    except PaperclerkError as error:
        print_error(error)
        return Exit.LOOK
    silent = daemon.signs.silent_parts(now=now) if daemon else ()
    console().print(_health_words(daemon, silent))
    return Exit.OK if daemon and not silent else Exit.LOOK


def _health_words(daemon: Worker | None, silent: tuple[str, ...]) -> str:
    if daemon is None:
        return "no daemon is running on this data folder"
    return f"not responding: {', '.join(silent)}" if silent else "alive"


async def _health_without_settings(options: Options) -> Exit:
    """Tell whether a daemon serves the page about its settings: to restart it would not help."""
    from daemon.healthcheck import is_in_setup_mode

    if not await is_in_setup_mode(options):
        return Exit.LOOK
    console().print("alive, and waits for its settings to be mended")
    return Exit.OK


def _print(told: Status, memory: Context) -> None:
    daemon = told.daemon
    since = format_local(daemon.started_at, memory.zone) if daemon else ""
    at_work = f"a daemon is at work (process {daemon.pid}, since {since})" if daemon else ""
    console().print(at_work or "no daemon is at work; `paperclerk run` starts one")
    headings = ("instance", "last scan", "next scan", "queue", "failed", "review", "today", "month")
    print_table(headings, (_row(one, memory) for one in told.instances))
    for one in told.instances:
        if one.last_failure is not None:
            at = format_local(one.last_failure_at, memory.zone)
            console().print(f"{one.instance}: the last scan failed: {_said(one.last_failure, at)}")
    for hold in told.holds:
        console().print(describe_hold(hold, memory.zone))
    for wait in told.waits_too_long:
        console().print(_overlong_words(wait, memory))


async def _waits_too_long(memory: Context) -> tuple[OverlongWait, ...]:
    names = memory.select_instances(None)
    steps = {name: memory.settings.instances[name].retry.step for name in names}
    return await memory.store.waits.list_overlong(steps, now=memory.clock())


def _overlong_words(wait: OverlongWait, memory: Context) -> str:
    job = wait.job
    planned, due = (
        format_local(job.scheduled_for, memory.zone),
        format_local(wait.due_at, memory.zone),
    )
    remedy = (
        f"it was already corrected once; run `paperclerk cancel {job.id}`, then `retry {job.id}`"
        if wait.was_pulled_in
        else "a running daemon corrects it within a minute"
    )
    return (
        f"{job.document}: job {job.id} waits until {planned}, longer than it should (at most "
        f"until {due}): the clock was ahead when it was planned; {remedy}"
    )


def _said(problem: Problem, at: str) -> str:
    hint = f"\n  -> {problem.hint}" if problem.hint else ""
    return f"{problem.message} (at {at}){hint}"


def _row(one: InstanceStatus, memory: Context) -> tuple[str, ...]:
    limits = memory.settings.instances[one.instance].limits
    rests = f" ({one.held} rest)" if one.held else ""
    day, month = limits.documents_per_day, limits.cost_per_month
    return (
        one.instance,
        format_local(one.last_scan_at, memory.zone),
        _next_scan(one, memory),
        f"{one.pending + one.processing}{rests}",
        str(one.failed),
        str(one.for_review),
        f"{one.documents_today} of {day}" if day else str(one.documents_today),
        f"{one.cost_this_month:.2f} of {month:.2f} {one.currency}"
        if month
        else f"{one.cost_this_month:.2f} {one.currency}",
    )


def _next_scan(one: InstanceStatus, memory: Context) -> str:
    if one.next_scan_at is None:
        return one.next_scan.replace("_", " ")
    return format_local(one.next_scan_at, memory.zone)
