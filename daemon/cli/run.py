"""`run`: start the daemon."""

from dataclasses import replace

import typer

from daemon.cli.app import app
from daemon.cli.exits import Exit, async_command
from daemon.cli.options import Options
from daemon.cli.session import open_services


@app.command("run")
@async_command
async def run(ctx: typer.Context) -> Exit:
    """Start the daemon: scan at the configured times and process documents until stopped."""
    return await run_daemon(ctx.obj)


async def run_daemon(options: Options) -> Exit:
    """Run the daemon until it is stopped; wait first until the settings are valid."""
    from daemon.run import Daemon, raise_descriptor_limit
    from daemon.setup_mode import wait_for_valid_settings

    # The daemon prints nothing but its log, so a terminal gets all of it.
    options = replace(options, log_at_least="debug")
    raise_descriptor_limit()
    if not await wait_for_valid_settings(options):
        return Exit.OK
    async with open_services(options, None) as services:
        await Daemon(services).run()
    return Exit.OK
