"""`status`, `pause`, `resume`, `healthcheck`: how things stand, and how to hold them up."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from core.errors import PaperclerkError, Problem
from core.holds import PAUSE, PAUSE_ALL, Hold, pause_target
from core.jobs import JobStatus
from core.workers import Worker
from daemon.alive import running_daemon
from daemon.exits import Exit, tell
from daemon.memory import Memory, Options, open_memory
from daemon.output import console, local, print_json, print_table
from daemon.rests import hold_words

_MOST = 10_000


@dataclass(frozen=True, slots=True)
class InstanceStatus:
    """How one instance stands."""

    instance: str
    last_scan_at: datetime | None
    """When its last scan ended that went through."""
    last_failure_at: datetime | None
    """When the last scan ended, if it did not go through."""
    last_failure: Problem | None
    """Why it did not."""
    next_scan_at: datetime | None
    """None: it is scanned only when asked for."""
    pending: int
    processing: int
    failed: int
    held: int
    """How many of the pending jobs rest."""
    for_review: int
    """Documents with something that waits for a person."""
    documents_today: int
    cost_this_month: Decimal
    currency: str


@dataclass(frozen=True, slots=True)
class Status:
    """How everything stands, as `--json` gives it."""

    daemon: Worker | None
    instances: tuple[InstanceStatus, ...]
    holds: tuple[Hold, ...]


async def status(options: Options, *, as_json: bool) -> Exit:
    """Show timers, queue, holds and limits."""
    async with open_memory(options) as memory:
        told = Status(
            daemon=await running_daemon(memory),
            instances=tuple([await _instance(memory, name) for name in memory.chosen(None)]),
            holds=await memory.store.holds.active(),
        )
        if as_json:
            print_json(told)
        else:
            _print(told, memory)
        return Exit.OK


async def pause(options: Options, *, name: str | None, why: str) -> Exit:
    """Let an instance, or everything, rest until it is resumed; that survives a restart."""
    async with open_memory(options) as memory:
        cause = f"paused by hand: {why}" if why else "paused by hand"
        target = _pause_of(memory, name)
        await memory.store.holds.place(target, cause, next_probe_at=None, now=memory.clock())
        back = f"paperclerk resume {name}" if name else "paperclerk resume"
        console().print(f"{name or 'everything'} is paused; `{back}` goes on")
        return Exit.OK


async def resume(options: Options, *, name: str | None) -> Exit:
    """Go on after a pause; tell of any other that is left."""
    async with open_memory(options) as memory:
        target, holds = _pause_of(memory, name), await memory.store.holds.active()
        await memory.store.holds.lift(target, now=memory.clock())
        was = "goes on" if target in {hold.target for hold in holds} else "was not paused"
        console().print(f"{name or 'everything'} {was}")
        for hold in holds:
            if hold.target.startswith(PAUSE) and hold.target != target:
                console().print(f"but {hold_words(hold, memory.zone)}")
        return Exit.OK


async def healthcheck(options: Options) -> Exit:
    """Tell whether a daemon lives on this data: by 0 or 1, for Docker knows no other numbers."""
    try:
        async with open_memory(options) as memory:
            alive = await running_daemon(memory) is not None
    except PaperclerkError as error:
        tell(error)
        return Exit.LOOK
    console().print("alive" if alive else "no daemon is alive on this data")
    return Exit.OK if alive else Exit.LOOK


def _pause_of(memory: Memory, name: str | None) -> str:
    return PAUSE_ALL if name is None else pause_target(memory.chosen(name)[0])


async def _instance(memory: Memory, name: str) -> InstanceStatus:
    store, now = memory.store, memory.clock()
    known = await store.instances.get(name)
    last = await store.scans.latest_finished(name)
    failed = last if last is not None and last.problem is not None else None
    tally = await store.jobs.tally_all(name)
    waiting = await store.changes.waiting(instance=name, limit=_MOST)
    today = now.astimezone(memory.zone).replace(hour=0, minute=0, second=0, microsecond=0)
    settings = memory.settings.instances[name]
    return InstanceStatus(
        instance=name,
        last_scan_at=known.last_scan_at if known else None,
        last_failure_at=failed.finished_at if failed else None,
        last_failure=failed.problem if failed else None,
        next_scan_at=known.next_scan_at if known and settings.scan.enabled else None,
        pending=tally[JobStatus.PENDING],
        processing=tally[JobStatus.PROCESSING],
        failed=tally[JobStatus.FAILED],
        held=await store.jobs.held(name),
        for_review=len({change.document for change in waiting}),
        documents_today=(await store.calls.spent(name, since=today)).documents,
        cost_this_month=(await store.calls.spent(name, since=today.replace(day=1))).cost,
        currency=settings.limits.currency,
    )


def _print(told: Status, memory: Memory) -> None:
    daemon = told.daemon
    since = local(daemon.started_at, memory.zone) if daemon else ""
    at_work = f"a daemon is at work (process {daemon.pid}, since {since})" if daemon else ""
    console().print(at_work or "no daemon is at work; `paperclerk run` starts one")
    headings = ("instance", "last scan", "next scan", "queue", "failed", "review", "today", "month")
    print_table(headings, (_row(one, memory) for one in told.instances))
    for one in told.instances:
        if one.last_failure is not None:
            at = local(one.last_failure_at, memory.zone)
            console().print(f"{one.instance}: the last scan failed: {_said(one.last_failure, at)}")
    for hold in told.holds:
        console().print(hold_words(hold, memory.zone))


def _said(problem: Problem, at: str) -> str:
    hint = f"\n  -> {problem.hint}" if problem.hint else ""
    return f"{problem.message} (at {at}){hint}"


def _row(one: InstanceStatus, memory: Memory) -> tuple[str, ...]:
    limits = memory.settings.instances[one.instance].limits
    rests = f" ({one.held} rest)" if one.held else ""
    day, month = limits.documents_per_day, limits.cost_per_month
    return (
        one.instance,
        local(one.last_scan_at, memory.zone),
        local(one.next_scan_at, memory.zone),
        f"{one.pending + one.processing}{rests}",
        str(one.failed),
        str(one.for_review),
        f"{one.documents_today} of {day}" if day else str(one.documents_today),
        f"{one.cost_this_month:.2f} of {month:.2f} {one.currency}"
        if month
        else f"{one.cost_this_month:.2f} {one.currency}",
    )
