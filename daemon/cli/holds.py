"""What rests, in words, and what a command ends with because of it."""

from datetime import tzinfo
from typing import TYPE_CHECKING

from core.holds import PAUSE_ALL, Hold, HoldKind, filter_holds
from core.jobs import Job
from daemon.cli.exits import Exit
from daemon.cli.output import format_local

if TYPE_CHECKING:
    from daemon.services import Services
    from processor.instance import Instance


async def explain_wait(services: "Services", job: Job) -> str:
    """Say why a job waits: what it rests for, its time, or what gave it back."""
    instance = services.instances[job.document.instance]
    if holds := holds_on(job, instance, await services.store.holds.list_active()):
        return causes_of(holds)
    if job.scheduled_for > services.context.clock():
        return f"its next attempt is at {format_local(job.scheduled_for, services.context.zone)}"
    told = [event.data.get("why") for event in await services.store.jobs.list_events(job.id)]
    return str(next(filter(None, reversed(told)), "its turn is still to come"))


def causes_of(holds: tuple[Hold, ...]) -> str:
    return "; ".join(str(hold.cause.message) for hold in holds)


def describe_hold(hold: Hold, zone: tzinfo | None) -> str:
    """Say what rests, why, since when, and what ends it."""
    cause, since = str(hold.cause.message).rstrip(": "), format_local(hold.since, zone)
    return f"{_who(hold)}: {cause} (since {since}; {_end_of(hold, zone)})"


def _who(hold: Hold) -> str:
    if hold.target == PAUSE_ALL:
        return "everything"
    match hold.kind:
        case HoldKind.MODEL:
            return f"model at {hold.subject}"
        case HoldKind.PAPERLESS:
            return f"{hold.subject}, Paperless"
        case HoldKind.LIMIT:
            return f"{hold.subject}, limit"
        case HoldKind.PAUSE:
            return hold.subject


def _end_of(hold: Hold, zone: tzinfo | None) -> str:
    if hold.next_probe_at is None:
        name = "" if hold.target == PAUSE_ALL else f" {hold.subject}"
        return f"goes on with `paperclerk resume{name}`"
    verb = "goes on" if hold.kind is HoldKind.LIMIT else "asked again"
    return f"{verb} at {format_local(hold.next_probe_at, zone)}"


def holds_on(job: Job, instance: "Instance", holds: tuple[Hold, ...]) -> tuple[Hold, ...]:
    """Return what a job waits for. A job that calls no model waits for no model and no limit.

    That includes a job that only checks its begun changes before it ends.
    """
    targets = instance.targets
    return filter_holds(
        holds, targets.for_job(job.kind) if job.ends_as is None else targets.all_jobs
    )


def exit_for_holds(holds: tuple[Hold, ...]) -> Exit:
    """Return what a command ends with when jobs rest: an outage weighs most, a pause is wanted."""
    if any(hold.is_outage for hold in holds):
        return Exit.UNREACHABLE
    return Exit.REFUSED if any(hold.kind is HoldKind.LIMIT for hold in holds) else Exit.OK
