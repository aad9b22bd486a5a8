"""Commands that only look: check, status, jobs, explain, history and their like."""
# ruff: noqa: PLR0913, PLR0917 - a parameter for each option

from dataclasses import replace
from datetime import date
from typing import Annotated

import typer
from typer.completion import (  # type: ignore[attr-defined]
    get_completion_script,
)

from core.changes import ChangeState
from core.jobs import JobStatus
from daemon.cli import parsing
from daemon.cli.app import PROGRAM, app, print_version
from daemon.cli.arguments import FLAG, AsJson, Document, Instance, Limit, Since
from daemon.cli.exits import run
from daemon.cli.parsing import SHELLS


@app.command()
def check(ctx: typer.Context, name: Instance = None, as_json: AsJson = False) -> None:
    """Check settings, Paperless, permissions, tags, model and data folder."""
    from daemon.commands import check

    run(lambda: check.check(ctx.obj, name=name, as_json=as_json))


@app.command()
def status(ctx: typer.Context, as_json: AsJson = False) -> None:
    """Show timers, queue, what rests, and what was spent."""
    from daemon.commands import status

    run(lambda: status.status(ctx.obj, as_json=as_json))


@app.command()
def jobs(
    ctx: typer.Context,
    name: Instance = None,
    status: Annotated[
        JobStatus | None,
        typer.Option(
            parser=parsing.status,
            autocompletion=lambda: list(JobStatus),
            metavar="|".join(JobStatus),
            help="Only jobs with this status.",
        ),
    ] = None,
    limit: Limit = 30,
    as_json: AsJson = False,
) -> None:
    """Show jobs, newest first."""
    from daemon.commands import jobs

    run(lambda: jobs.list_jobs(ctx.obj, name=name, status=status, limit=limit, as_json=as_json))


@app.command()
def job(
    ctx: typer.Context,
    number: Annotated[
        int, typer.Argument(parser=parsing.number, metavar="JOB", help="Number of a job.")
    ],
    as_json: AsJson = False,
) -> None:
    """Show the whole story of one job."""
    from daemon.commands import jobs

    run(lambda: jobs.show_job(ctx.obj, number, as_json=as_json))


@app.command()
def explain(ctx: typer.Context, document: Document, as_json: AsJson = False) -> None:
    """Say why a document is, or is not, processed."""
    from daemon.commands import documents

    run(lambda: documents.explain(ctx.obj, parsing.document(document), as_json=as_json))


@app.command()
def history(
    ctx: typer.Context,
    name: Instance = None,
    document: Annotated[str, typer.Option(metavar="NAME/ID", help="Only this document's.")] = "",
    since: Since = None,
    rejected: Annotated[
        bool, typer.Option("--rejected", metavar=FLAG, help="What was rejected instead, and why.")
    ] = False,
    limit: Annotated[
        int | None,
        typer.Option(
            parser=parsing.number,
            metavar="N",
            help="Show at most this many; default: 50, CSV: all.",
        ),
    ] = None,
    as_json: AsJson = False,
    as_csv: Annotated[
        bool, typer.Option("--csv", metavar=FLAG, help="Answer as a table for a spreadsheet.")
    ] = False,
) -> None:
    """Show what was written, newest first."""
    from daemon.commands import history

    def looked() -> history.HistoryArguments:
        ref = parsing.document(document) if document else None
        shown = history.HistoryArguments(name, ref, since, limit=limit)
        return replace(shown, states=frozenset({ChangeState.REJECTED})) if rejected else shown

    if as_csv and as_json:
        raise typer.BadParameter("cannot be combined with --csv", param_hint="--json")
    if as_csv:
        run(lambda: history.export_history(ctx.obj, looked()))
    else:
        run(lambda: history.show_history(ctx.obj, looked(), as_json=as_json))


@app.command()
def costs(
    ctx: typer.Context,
    name: Instance = None,
    month: Annotated[
        date | None,
        typer.Option(
            parser=parsing.month, metavar="MONTH", help="Such as 2026-01; default: this month."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show what a month has cost, by day and by model."""
    from daemon.commands import costs

    run(lambda: costs.costs(ctx.obj, name=name, month=month, as_json=as_json))


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
def healthcheck(ctx: typer.Context) -> None:
    """Exit with 0 if the daemon and all its parts are alive, else with 1."""
    from daemon.commands import status

    run(lambda: status.healthcheck(ctx.obj))


@app.command()
def version() -> None:
    """Print the version, as `--version` does."""
    print_version()


@app.command()
def completion(
    shell: Annotated[
        str,
        typer.Argument(parser=parsing.shell, metavar="SHELL", help=f"One of {', '.join(SHELLS)}."),
    ],
) -> None:
    """Print the script for tab completion; for bash: `source <(paperclerk completion bash)`."""
    variable = "_PAPERCLERK_COMPLETE"
    typer.echo(get_completion_script(prog_name=PROGRAM, complete_var=variable, shell=shell))
