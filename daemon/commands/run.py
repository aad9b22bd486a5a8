"""`run`: the daemon."""

from dataclasses import replace

from daemon.cli.exits import Exit
from daemon.cli.options import Options
from daemon.context import open_memory
from daemon.run import Daemon, raise_descriptor_limit
from daemon.services import open_clerk
from daemon.setup_mode import settings_are_right


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
