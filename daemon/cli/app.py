"""The app, and the options that stand before any command."""
# ruff: noqa: FBT002 - typer's flags are parameters with a default

import sys
from pathlib import Path
from typing import Annotated

import typer

from daemon.cli.arguments import FLAG
from daemon.memory import Options
from daemon.output import tolerate_poor_terminals

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="A clerk for Paperless-ngx: files documents with a language model, and can take it back.",
)
review = typer.Typer(no_args_is_help=True, help="See what waits for you, and decide about it.")
app.add_typer(review, name="review")
names = typer.Typer(
    invoke_without_command=True, help="See new names that wait for you, and decide about them."
)
app.add_typer(names, name="names")
user = typer.Typer(no_args_is_help=True, help="Set the password of the dashboard.")
app.add_typer(user, name="user")
token = typer.Typer(no_args_is_help=True, help="Let programs use the REST API.")
app.add_typer(token, name="token")

notify = typer.Typer(no_args_is_help=True, help="See whether messages reach you.")
app.add_typer(notify, name="notify")


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
        bool, typer.Option("--verbose", "-v", metavar=FLAG, help="Show the log on a terminal, too.")
    ] = False,
) -> None:
    tolerate_poor_terminals()
    # On a terminal the commands speak for themselves; elsewhere the log does.
    quiet = sys.stderr.isatty() and not verbose
    ctx.obj = Options(config, data, log_at_least="warning" if quiet else "debug")
