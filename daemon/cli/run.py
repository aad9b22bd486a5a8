"""`run`, `worker`: start the daemon, or a process that only works on a shared queue."""

from dataclasses import replace

import typer

from daemon.cli.app import app
from daemon.cli.exits import Exit, UsageError, async_command
from daemon.cli.options import Options
from daemon.cli.session import open_services_for_daemon, open_services_for_worker

_NEEDS_POSTGRESQL = (
    "`paperclerk worker` needs PostgreSQL: set database.url in daemon.toml. On SQLite one process"
    " does all the work: `paperclerk run`; processor.parallel makes it process several documents"
    " at a time"
)


@app.command("run")
@async_command
async def run(ctx: typer.Context) -> Exit:
    """Start the daemon: scan at the configured times and process documents until stopped."""
    return await run_daemon(ctx.obj)


@app.command("worker")
@async_command
async def worker(ctx: typer.Context) -> Exit:
    """Process documents beside a daemon, on this or another machine; needs PostgreSQL."""
    return await run_worker(ctx.obj)


async def run_daemon(options: Options) -> Exit:
    """Run the daemon until it is stopped; wait first until the settings are valid."""
    from daemon.run import Daemon, raise_descriptor_limit
    from daemon.setup_mode import wait_for_valid_settings

    options = _with_full_log(options)
    raise_descriptor_limit()
    if not await wait_for_valid_settings(options):
        return Exit.OK
    async with open_services_for_daemon(options) as services:
        await Daemon(services).run()
    return Exit.OK


async def run_worker(options: Options) -> Exit:
    """Run a worker until it is stopped; raise UsageError if the queue cannot be shared."""
    from daemon.context import load_valid
    from daemon.worker import Worker

    options = _with_full_log(options)
    # Before the store is opened: opening it would create a SQLite file.
    if not load_valid(options).daemon.database.url.get_secret_value():
        raise UsageError(_NEEDS_POSTGRESQL)
    async with open_services_for_worker(options) as services:
        await Worker(services).run()
    return Exit.OK


def _with_full_log(options: Options) -> Options:
    """Let a terminal see the whole log: these commands print nothing else."""
    return replace(options, log_at_least="debug")
