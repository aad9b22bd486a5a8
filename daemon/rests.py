"""What rests, in words, and what a command ends with because of it."""

from core.holds import LIMIT, PAUSE, PAUSE_ALL, Hold, limit_target, pause_target
from core.jobs import ANALYZE, REHEARSE, Job
from daemon.exits import Exit
from daemon.memory import Memory
from processor.instance import Instance


async def why_it_waits(memory: Memory) -> str:
    """Say why jobs wait that are due."""
    return "; ".join(hold.cause for hold in await memory.store.holds.active()) or "stopped"


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
