"""`export`: write the whole history to a file, for a spreadsheet or another program."""

from pathlib import Path
from typing import Annotated

import typer

from daemon.cli.app import app
from daemon.cli.arguments import Since, Until
from daemon.cli.exits import Exit, UsageError, async_command
from daemon.cli.output import console
from daemon.cli.session import open_context_for_reading

_FORMATS = (".csv", ".json")


@app.command("export")
@async_command
async def export(
    ctx: typer.Context,
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="A new file that ends with .csv or .json.")
    ],
    name: Annotated[
        str | None, typer.Option("--instance", metavar="NAME", help="Only this instance.")
    ] = None,
    since: Since = None,
    until: Until = None,
) -> Exit:
    """Export everything that was written, undone or rejected, as CSV or JSON."""
    from actions.history import export_history_csv, export_history_json
    from core.calendar import day_range
    from core.changes import ChangeState
    from core.private_files import make_private_file
    from store import DONE_TO_PAPERLESS, HistoryFilter

    if file.suffix.lower() not in _FORMATS:
        raise UsageError(f"{file} must end with .csv or .json")
    if file.exists():
        raise UsageError(f"{file} exists already")
    async with open_context_for_reading(ctx.obj) as context:
        instance = context.select_instances(name)[0] if name else None
        start, end = day_range(since, until, context.zone)
        states = DONE_TO_PAPERLESS | {ChangeState.REJECTED}
        wanted = HistoryFilter(instance, since=start, until=end, states=states)
        is_csv = file.suffix.lower() == ".csv"
        export_history = export_history_csv if is_csv else export_history_json
        make_private_file(file)
        with file.open("w", encoding="utf-8", newline="") as target:
            async for lines in export_history(context.caller, wanted):
                target.write(lines)
    console().print(f"{file}: {file.stat().st_size / 1e6:.1f} MB")
    return Exit.OK
