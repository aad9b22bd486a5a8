"""The command line: reads what was typed and calls one function for it."""
# What a command needs is imported when it runs, because the model's SDK alone takes a second to
# load; and typer's flags are parameters with a default.
# ruff: noqa: PLC0415, FBT002

import sys
from datetime import datetime
from importlib.metadata import version as installed_version
from pathlib import Path
from typing import Annotated

import typer

from core.jobs import JobStatus
from daemon import typed
from daemon.exits import run
from daemon.memory import Options

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="A clerk for Paperless-ngx: files documents with a language model, and can take it back.",
)
review = typer.Typer(no_args_is_help=True, help="See what waits for you, and decide about it.")
app.add_typer(review, name="review")

Instance = Annotated[str | None, typer.Argument(metavar="NAME", help="An instance; default: all.")]
Document = Annotated[str, typer.Argument(metavar="NAME/ID", help="A document, as in home/7.")]
Documents = Annotated[list[str], typer.Argument(metavar="NAME/ID", help="Documents, as in home/7.")]
Jobs = Annotated[list[int], typer.Argument(metavar="JOB", help="Numbers of jobs.")]
AsJson = Annotated[bool, typer.Option("--json", help="Answer in JSON.")]
Limit = Annotated[int, typer.Option(min=1, metavar="N", help="Show at most so many.")]
Only = Annotated[str, typer.Option(metavar="FIELDS", help="Only these fields, as in title,date.")]


def main() -> None:
    """Run the command that was typed."""
    app()


@app.callback()
def where(
    ctx: typer.Context,
    config: Annotated[
        Path,
        typer.Option(
            envvar="PAPERCLERK_CONFIG", metavar="FOLDER", help="Folder of the settings files."
        ),
    ] = Path("config"),
    data: Annotated[
        Path,
        typer.Option(envvar="PAPERCLERK_DATA", metavar="FOLDER", help="Folder for the database."),
    ] = Path("data"),
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Show the log on a terminal, too.")
    ] = False,
) -> None:
    # On a terminal the commands speak for themselves; elsewhere the log does.
    quiet = sys.stderr.isatty() and not verbose
    ctx.obj = Options(config, data, log_at_least="warning" if quiet else "debug")


@app.command()
def check(ctx: typer.Context, name: Instance = None, as_json: AsJson = False) -> None:
    """Check settings, Paperless, permissions, tags, model and data folder."""
    from daemon.commands import check

    run(lambda: check.check(ctx.obj, name=name, as_json=as_json))


@app.command("scan-now")
def scan_now(
    ctx: typer.Context,
    name: Instance = None,
    limit: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Queue at most so many new ones.")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Ask the model and show the plan; write nothing.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Look for documents that were not handled yet, and work on them at once."""
    from daemon.commands import scan

    run(lambda: scan.scan_now(ctx.obj, scan.ScanRequest(name, limit, dry_run, as_json)))


@app.command()
def process(ctx: typer.Context, document: Document) -> None:
    """Work on one document now, also if it was processed before."""
    from daemon.commands import process

    run(lambda: process.process(ctx.obj, typed.document(document)))


@app.command()
def jobs(
    ctx: typer.Context,
    name: Instance = None,
    status: Annotated[JobStatus | None, typer.Option(help="Only jobs in this state.")] = None,
    limit: Limit = 30,
    as_json: AsJson = False,
) -> None:
    """Show jobs, newest first."""
    from daemon.commands import jobs

    run(lambda: jobs.list_jobs(ctx.obj, name=name, status=status, limit=limit, as_json=as_json))


@app.command()
def job(
    ctx: typer.Context,
    number: Annotated[int, typer.Argument(metavar="JOB", help="Number of a job.")],
    as_json: AsJson = False,
) -> None:
    """Show the whole story of one job."""
    from daemon.commands import jobs

    run(lambda: jobs.show_job(ctx.obj, number, as_json=as_json))


@app.command()
def retry(
    ctx: typer.Context,
    numbers: Annotated[
        list[int] | None,
        typer.Argument(metavar="JOB", help="Numbers of jobs; default: all that failed."),
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
def explain(ctx: typer.Context, document: Document, as_json: AsJson = False) -> None:
    """Say why a document is, or is not, processed."""
    from daemon.commands import documents

    run(lambda: documents.explain(ctx.obj, typed.document(document), as_json=as_json))


@app.command()
def ignore(ctx: typer.Context, names: Documents) -> None:
    """Leave documents alone from now on."""
    from daemon.commands import documents

    run(lambda: documents.ignore(ctx.obj, typed.documents(names)))


@app.command()
def unignore(ctx: typer.Context, names: Documents) -> None:
    """Let ignored documents be processed again."""
    from daemon.commands import documents

    run(lambda: documents.unignore(ctx.obj, typed.documents(names)))


@review.command("list")
def review_list(ctx: typer.Context, name: Instance = None, as_json: AsJson = False) -> None:
    """Show every document that waits for you."""
    from daemon.commands import review

    run(lambda: review.list_waiting(ctx.obj, name=name, as_json=as_json))


@review.command("show")
def review_show(ctx: typer.Context, document: Document, as_json: AsJson = False) -> None:
    """Show what waits of one document."""
    from daemon.commands import review

    run(lambda: review.show_waiting(ctx.obj, typed.document(document), as_json=as_json))


@review.command("accept")
def review_accept(
    ctx: typer.Context,
    names: Documents,
    values: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="FIELD=VALUE", help="Your own value, as in date=2026-01-31."),
    ] = None,
    only: Only = "",
) -> None:
    """Write what was suggested, or your own values instead."""
    from daemon.commands import review
    from processor.decide import Edits

    def edits() -> Edits:
        return Edits(typed.settings(values or []), typed.fields(only))

    run(lambda: review.accept_waiting(ctx.obj, typed.documents(names), edits()))


@review.command("reject")
def review_reject(ctx: typer.Context, names: Documents, only: Only = "") -> None:
    """Drop what was suggested; the documents stay as they are."""
    from daemon.commands import review

    run(lambda: review.reject_waiting(ctx.obj, typed.documents(names), typed.fields(only)))


@app.command()
def history(
    ctx: typer.Context,
    name: Instance = None,
    document: Annotated[str, typer.Option(metavar="NAME/ID", help="Only this document's.")] = "",
    since: Annotated[
        datetime | None,
        typer.Option(formats=["%Y-%m-%d"], metavar="DAY", help="From this day on: 2026-01-31."),
    ] = None,
    limit: Limit = 50,
    as_json: AsJson = False,
) -> None:
    """Show what was written, newest first."""
    from daemon.commands import history

    run(
        lambda: history.show_history(
            ctx.obj,
            name=name,
            document=typed.document(document) if document else None,
            since=since.date() if since else None,
            limit=limit,
            as_json=as_json,
        )
    )


@app.command()
def undo(
    ctx: typer.Context,
    changes: Annotated[
        list[int] | None,
        typer.Argument(metavar="CHANGE", help="Numbers of changes, from `history`."),
    ] = None,
    document: Annotated[
        str, typer.Option(metavar="NAME/ID", help="All that was written to it.")
    ] = "",
    job: Annotated[int | None, typer.Option(metavar="JOB", help="All that this job wrote.")] = None,
    scan: Annotated[
        int | None, typer.Option(metavar="SCAN", help="All that followed from this scan.")
    ] = None,
    preview: Annotated[bool, typer.Option("--preview", help="Only show what it would do.")] = False,
) -> None:
    """Take changes back, except where someone set another value since."""
    from daemon.commands import history

    def request() -> history.UndoRequest:
        ref = typed.document(document) if document else None
        return history.UndoRequest(tuple(changes or ()), ref, job, scan)

    run(lambda: (history.preview if preview else history.undo)(ctx.obj, request()))


@app.command()
def models(
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="An instance.")],
    as_json: AsJson = False,
) -> None:
    """List the models that an instance's endpoint offers."""
    from daemon.commands import models

    run(lambda: models.models(ctx.obj, name, as_json=as_json))


@app.command()
def demo(
    leave: Annotated[bool, typer.Option("--exit", help="End when the queue is empty.")] = False,
) -> None:
    """Watch the clerk file forty sample documents in a pretend Paperless."""
    from daemon.commands import demo

    run(lambda: demo.demo(leave=leave))


@app.command()
def version() -> None:
    """Show the version."""
    typer.echo(f"paperclerk {installed_version('paperclerk')}")
