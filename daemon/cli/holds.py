"""Describe what is on hold, and choose the exit code for it."""

from datetime import tzinfo
from typing import TYPE_CHECKING

from core.holds import PAUSE_ALL, Hold, HoldKind, filter_holds
from core.jobs import Job
from daemon.cli.exits import Exit
from daemon.cli.output import format_local

if TYPE_CHECKING:
    from daemon.services import Services
    from processor.instance import Instance


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


async def explain_wait(services: "Services", job: Job) -> str:
    """Return why a job waits: a hold, its next attempt, or the reason in its last event."""
    instance = services.instances[job.document.instance]
    if holds := holds_on(job, instance, await services.store.holds.list_active()):
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


def holds_on(job: Job, instance: "Instance", holds: tuple[Hold, ...]) -> tuple[Hold, ...]:
    """Return the holds that a job waits for; a job that calls no model ignores model and limit.

    That includes a job that only checks its begun changes before it ends.
    """
    targets = instance.targets
    return filter_holds(
        holds, targets.for_job(job.kind, job.priority) if job.ends_as is None else targets.all_jobs
    )


def exit_for_holds(holds: tuple[Hold, ...]) -> Exit:
    """Return the exit code when jobs are on hold: an outage before a limit; a pause is no error."""
    if any(hold.is_outage for hold in holds):
        return Exit.UNREACHABLE
    return Exit.REFUSED if any(hold.is_timed for hold in holds) else Exit.OK
