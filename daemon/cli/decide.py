"""Commands by which a person decides: review, undo, ignore, unignore."""
# ruff: noqa: PLR0913, PLR0917 - a parameter for each option

from typing import Annotated

import typer

from daemon.cli import parsing
from daemon.cli.app import app, review
from daemon.cli.arguments import FLAG, AsJson, Document, Documents, Instance, Only, Since, Until
from daemon.cli.exits import UsageError, result_of, run


@review.command("list")
def review_list(ctx: typer.Context, name: Instance = None, as_json: AsJson = False) -> None:
    """Show every document that waits for you."""
    from daemon.commands import review

    run(lambda: review.list_waiting(ctx.obj, name=name, as_json=as_json))


@review.command("show")
def review_show(ctx: typer.Context, document: Document, as_json: AsJson = False) -> None:
    """Show what waits of one document."""
    from daemon.commands import review

    run(lambda: review.show_waiting(ctx.obj, parsing.document(document), as_json=as_json))


@review.command("accept")
def review_accept(
    ctx: typer.Context,
    names: Documents,
    values: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="FIELD=VALUE",
            help="Your own value, as in date=2026-01-31; custom fields too.",
        ),
    ] = None,
    only: Only = None,
    yes: Annotated[
        bool, typer.Option("--yes", "-y", metavar=FLAG, help="Create new names without asking.")
    ] = False,
) -> None:
    """Write what was suggested, or your own values instead."""
    from actions.decisions import TypedEdits
    from daemon.commands import review

    def wishes() -> TypedEdits:
        return TypedEdits(parsing.settings(values or []), parsing.fields(only))

    to_confirm = result_of(
        lambda: review.names_to_confirm(ctx.obj, parsing.documents(names), wishes())
    )
    for new in () if yes else to_confirm:
        instead = "Add --yes to create it, or use an existing name."
        parsing.confirm(review.creation_question(new), instead=instead)
    run(lambda: review.accept_waiting(ctx.obj, parsing.documents(names), wishes()))


@review.command("reject")
def review_reject(
    ctx: typer.Context,
    names: Documents,
    only: Only = None,
    never: Annotated[
        bool, typer.Option("--never", metavar=FLAG, help="Never have these names suggested again.")
    ] = False,
    reason: Annotated[
        str, typer.Option(metavar="TEXT", help="Why; kept with what is rejected.")
    ] = "",
) -> None:
    """Drop what was suggested; the documents stay as they are."""
    from actions.review import Rejection, reject, reject_and_never_suggest
    from daemon.commands import review

    how = reject_and_never_suggest if never else reject

    def said() -> Rejection:
        return Rejection(parsing.fields(only), why=reason)

    run(lambda: review.reject_waiting(ctx.obj, parsing.documents(names), said(), how))


@app.command()
def undo(
    ctx: typer.Context,
    changes: Annotated[
        list[int] | None,
        typer.Argument(
            parser=parsing.number, metavar="CHANGE", help="Numbers of changes, from `history`."
        ),
    ] = None,
    document: Annotated[
        str, typer.Option(metavar="NAME/ID", help="All that was written to it.")
    ] = "",
    job: Annotated[
        int | None,
        typer.Option(parser=parsing.number, metavar="JOB", help="All that this job wrote."),
    ] = None,
    scan: Annotated[
        int | None,
        typer.Option(
            parser=parsing.number, metavar="SCAN", help="All that followed from this scan."
        ),
    ] = None,
    since: Since = None,
    until: Until = None,
    model: Annotated[
        str | None, typer.Option(metavar="MODEL", help="What followed from this model's answers.")
    ] = None,
    prompt: Annotated[
        str | None,
        typer.Option(metavar="VERSION", help="What followed from this prompt; `job` shows it."),
    ] = None,
    preview: Annotated[
        bool, typer.Option("--preview", metavar=FLAG, help="Only show what it would do.")
    ] = False,
    yes: Annotated[
        bool, typer.Option("--yes", "-y", metavar=FLAG, help="Do not ask before a large undo.")
    ] = False,
) -> None:
    """Take changes back, except where someone set another value since."""
    from daemon.commands import history

    def request() -> history.UndoArguments:
        ref = parsing.document(document) if document else None
        if since and until and since > until:
            raise UsageError("--since is later than --until")
        cause = history.UndoCause(since, until, model, prompt)
        return history.UndoArguments(tuple(changes or ()), ref, job, scan, cause)

    if preview:
        run(lambda: history.preview(ctx.obj, request()))
    extent = result_of(lambda: history.extent_of(ctx.obj, request()))
    if extent.is_large and not yes:
        instead = "Add --yes to undo them, or --preview to see them first."
        parsing.confirm(f"Undo {extent}?", instead=instead)
    run(lambda: history.undo(ctx.obj, request(), extent))


@app.command()
def ignore(ctx: typer.Context, names: Documents) -> None:
    """Leave documents alone from now on."""
    from daemon.commands import documents

    run(lambda: documents.ignore(ctx.obj, parsing.documents(names)))


@app.command()
def unignore(ctx: typer.Context, names: Documents) -> None:
    """Let ignored documents be processed again."""
    from daemon.commands import documents

    run(lambda: documents.unignore(ctx.obj, parsing.documents(names)))
