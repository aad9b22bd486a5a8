"""`run`: the daemon."""

from dataclasses import replace

from daemon.exits import Exit
from daemon.memory import open_memory
from daemon.options import Options
from daemon.run import Daemon, raise_descriptor_limit
from daemon.setting_up import settings_are_right
from daemon.wiring import open_clerk


async def run(options: Options) -> Exit:
    """Work by itself until it is told to stop."""
    # The log is all that it says, so a terminal gets it as well.
    options = replace(options, log_at_least="debug")
    raise_descriptor_limit()
    if not await settings_are_right(options):
        return Exit.OK
    async with open_memory(options) as memory, open_clerk(memory, memory.chosen(None)) as clerk:
        await Daemon(clerk).run()
    return Exit.OK
