"""`run`, `worker`: start the daemon, or a process that only works on a shared queue."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

import typer

from daemon.cli.app import app
from daemon.cli.arguments import Options
from daemon.cli.exits import Exit, UsageError, async_command

if TYPE_CHECKING:
    from daemon.services import Services

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
    from daemon.web import wait_for_valid_settings

    options = _with_full_log(options)
    raise_descriptor_limit()
    if not await wait_for_valid_settings(options):
        return Exit.OK
    async with _open_services_for_daemon(options) as services:
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
    async with _open_services_for_worker(options) as services:
        await Worker(services).run()
    return Exit.OK


@asynccontextmanager
async def _open_services_for_daemon(options: Options) -> "AsyncIterator[Services]":
    """Yield the services of all valid instances; of several daemons only one scans."""
    from core.workers import SCANNER
    from daemon.context import load_valid, open_context
    from daemon.services import open_services, process_name

    async with open_context(options, load=load_valid) as context:
        # None at all is no error: the dashboard offers to set one up.
        store, names = context.store, tuple(context.settings.instances)
        lease = store.new_lease(SCANNER, process_name()) if store.shared else None
        async with open_services(context, names, lease=lease) as services:
            yield services


@asynccontextmanager
async def _open_services_for_worker(options: Options) -> "AsyncIterator[Services]":
    """Yield the services of all valid instances."""
    from daemon.context import load_valid, open_context
    from daemon.services import open_services

    async with (
        open_context(options, load=load_valid) as context,
        open_services(context, tuple(context.settings.instances)) as services,
    ):
        yield services


def _with_full_log(options: Options) -> Options:
    """Let a terminal see the whole log: these commands print nothing else."""
    return replace(options, log_at_least="debug")
