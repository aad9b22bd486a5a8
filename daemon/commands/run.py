"""`run`: the daemon."""

from dataclasses import replace

from daemon.cli.exits import Exit
from daemon.cli.options import Options
from daemon.context import open_context
from daemon.run import Daemon, raise_descriptor_limit
from daemon.services import open_services
from daemon.setup_mode import wait_for_valid_settings


async def run(options: Options) -> Exit:
    """Work by itself until it is told to stop."""
    # The log is all that it says, so a terminal gets it as well.
    options = replace(options, log_at_least="debug")
    raise_descriptor_limit()
    if not await wait_for_valid_settings(options):
        return Exit.OK
    async with (
        open_context(options) as memory,
        open_services(memory, memory.select_instances(None)) as services,
    ):
        await Daemon(services).run()
    return Exit.OK
