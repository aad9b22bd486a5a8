"""Commands that have work done: run, scan-now, process, retry, cancel, pause, resume, demo."""

from typing import Annotated

import typer

from daemon.cli import parsing
from daemon.cli.app import app
from daemon.cli.arguments import FLAG, AsJson, Document, Instance, Jobs
from daemon.cli.exits import run


@app.command("run")
def run_daemon(ctx: typer.Context) -> None:
    """Be the daemon: look for documents at the times set, and work on them, until stopped."""
    from daemon.commands import run as daemon

    run(lambda: daemon.run(ctx.obj))


@app.command("scan-now")
def scan_now(
    ctx: typer.Context,
    name: Instance = None,
    limit: Annotated[
        int | None,
        typer.Option(
            parser=parsing.number, metavar="N", help="Queue at most this many new documents."
        ),
    ] = None,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run", metavar=FLAG, help="Ask the model and show the plan; write nothing."
        ),
    ] = False,
    estimate: Annotated[
        bool,
        typer.Option("--estimate", metavar=FLAG, help="Only say what it would take; send nothing."),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Look for documents that were not handled yet, and work on them at once."""
    from daemon.commands import estimate as estimates
    from daemon.commands import scan

    request = scan.ScanRequest(name, limit, dry_run, as_json)
    run(lambda: (estimates.show_estimate if estimate else scan.scan_now)(ctx.obj, request))


@app.command()
def process(ctx: typer.Context, document: Document) -> None:
    """Work on one document now, also if it was processed before."""
    from daemon.commands import process

    run(lambda: process.process(ctx.obj, parsing.document(document)))


@app.command()
def retry(
    ctx: typer.Context,
    numbers: Annotated[
        list[int] | None,
        typer.Argument(
            parser=parsing.number, metavar="JOB", help="Numbers of jobs; default: all failed jobs."
        ),
    ] = None,
    name: Annotated[
        str | None, typer.Option("--instance", metavar="NAME", help="Only jobs of this instance.")
    ] = None,
) -> None:
    """Start failed or cancelled jobs again, and work on them."""
    from daemon.commands import process

    run(lambda: process.retry(ctx.obj, numbers or [], name=name))


@app.command()
def cancel(
    ctx: typer.Context,
    numbers: Jobs,
    why: Annotated[str, typer.Option(metavar="WORDS", help="Kept with the job.")] = "",
) -> None:
    """Cancel jobs; one under way ends within a second, unless it is writing already."""
    from daemon.commands import process

    run(lambda: process.cancel(ctx.obj, numbers, why=why))


@app.command()
def pause(
    ctx: typer.Context,
    name: Instance = None,
    why: Annotated[str, typer.Option(metavar="WORDS", help="Shown with the status.")] = "",
) -> None:
    """Let an instance, or everything, rest until it is resumed, also across restarts."""
    from daemon.commands import status

    run(lambda: status.pause(ctx.obj, name=name, why=why))


@app.command()
def resume(ctx: typer.Context, name: Instance = None) -> None:
    """Go on after a pause."""
    from daemon.commands import status

    run(lambda: status.resume(ctx.obj, name=name))


@app.command()
def demo(
    leave: Annotated[
        bool, typer.Option("--exit", metavar=FLAG, help="File them all at once, and end.")
    ] = False,
) -> None:
    """Watch the clerk file forty sample documents in a pretend Paperless."""
    from daemon.commands import demo

    run(lambda: demo.demo(leave=leave))
