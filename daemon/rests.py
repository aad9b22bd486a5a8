"""What rests, in words, and what a command ends with because of it."""

from core.holds import LIMIT, PAUSE, Hold
from daemon.exits import Exit
from daemon.memory import Memory


async def why_it_waits(memory: Memory) -> str:
    """Say why jobs wait that are due."""
    return "; ".join(hold.cause for hold in await memory.store.holds.active()) or "stopped"


def exit_of_holds(holds: tuple[Hold, ...]) -> Exit:
    """Return what a command ends with when jobs rest: an outage weighs most, a pause is wanted."""
    if any(not hold.target.startswith((LIMIT, PAUSE)) for hold in holds):
        return Exit.UNREACHABLE
    return Exit.REFUSED if any(hold.target.startswith(LIMIT) for hold in holds) else Exit.OK
