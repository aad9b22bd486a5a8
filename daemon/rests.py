"""What rests, in words, and what a command ends with because of it."""

from datetime import tzinfo

from core.holds import (
    LIMIT,
    MODEL,
    PAPERLESS,
    PAUSE,
    PAUSE_ALL,
    Hold,
    limit_target,
    pause_target,
)
from core.jobs import ANALYZE, REHEARSE, Job
from daemon.exits import Exit
from daemon.memory import Memory
from daemon.output import local
from processor.instance import Instance


async def why_it_waits(memory: Memory) -> str:
    """Say why jobs wait that are due."""
    return "; ".join(hold.cause for hold in await memory.store.holds.active()) or "stopped"


def hold_words(hold: Hold, zone: tzinfo | None) -> str:
    """Say what rests, why, since when, and what ends it."""
    cause, since = hold.cause.rstrip(": "), local(hold.since, zone)
    return f"{_who(hold.target)}: {cause} (since {since}; {_end_of(hold, zone)})"


def _who(target: str) -> str:
    if target == PAUSE_ALL:
        return "everything"
    if target.startswith(MODEL):
        # What follows the address is a hash of the key, which tells people nothing.
        return f"model at {target.removeprefix(MODEL).partition('#')[0]}"
    if target.startswith(PAPERLESS):
        return f"{target.removeprefix(PAPERLESS)}, Paperless"
    if target.startswith(LIMIT):
        return f"{target.removeprefix(LIMIT)}, limit"
    return target.removeprefix(PAUSE)


def _end_of(hold: Hold, zone: tzinfo | None) -> str:
    if hold.next_probe_at is None:
        name = "" if hold.target == PAUSE_ALL else f" {hold.target.removeprefix(PAUSE)}"
        return f"goes on with `paperclerk resume{name}`"
    verb = "goes on" if hold.target.startswith(LIMIT) else "asked again"
    return f"{verb} at {local(hold.next_probe_at, zone)}"


def holds_on(job: Job, instance: Instance, holds: tuple[Hold, ...]) -> tuple[Hold, ...]:
    """Return what a job rests for. What asks no model is stopped by no model and by no limit."""
    stops = {instance.paperless_target, pause_target(instance.name), PAUSE_ALL}
    if job.kind in {ANALYZE, REHEARSE}:
        stops |= {instance.model_target, limit_target(instance.name)}
    return tuple(hold for hold in holds if hold.target in stops)


def exit_of_holds(holds: tuple[Hold, ...]) -> Exit:
    """Return what a command ends with when jobs rest: an outage weighs most, a pause is wanted."""
    if any(not hold.target.startswith((LIMIT, PAUSE)) for hold in holds):
        return Exit.UNREACHABLE
    return Exit.REFUSED if any(hold.target.startswith(LIMIT) for hold in holds) else Exit.OK
