"""`diagnostics`: write a file to attach to a bug report."""

from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Annotated

import typer

from daemon.cli.app import PROGRAM, app
from daemon.cli.exits import Exit, UsageError, async_command
from daemon.cli.output import console
from daemon.cli.session import open_services_for_reading


@app.command("diagnostics")
@async_command
async def diagnostics(
    ctx: typer.Context,
    to: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write to this file; default: paperclerk-diagnostics-DAY.json, here.",
        ),
    ] = None,
) -> Exit:
    """Write a file for a bug report, without documents, names, hosts and secrets."""
    from actions.diagnostics import DiagnosticsSource, build_diagnostics
    from core.private_files import write_private_text
    from daemon.check import check_reachability

    async with open_services_for_reading(ctx.obj, None) as services:
        context = services.context
        now = context.clock()
        today = now.astimezone(context.zone).date()
        file = to or Path(f"paperclerk-diagnostics-{today.isoformat()}.json")
        if to is not None and to.exists():
            raise UsageError(f"{to} exists already")
        check = partial(check_reachability, services)
        source = DiagnosticsSource(
            context.settings, context.store, now, context.zone, version(PROGRAM), check
        )
        write_private_text(file, await build_diagnostics(source))
    console().print(f"{file}: read it before you attach it to a bug report")
    return Exit.OK
