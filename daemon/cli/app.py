"""The Typer app with its groups and global options, and `version` and `completion`."""
# ruff: noqa: FBT001 - typer's flags are parameters with a default

import sys
from importlib.metadata import version as installed_version
from io import TextIOWrapper
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.completion import get_completion_script  # type: ignore[attr-defined]
from typer.core import TyperCommand, TyperGroup, TyperOption

from daemon.cli.arguments import FLAG, SHELLS, Options, parse_shell

PROGRAM = "paperclerk"


class Command(TyperCommand):
    """A command that shows `--help` as a flag, where typer would write `<bool>`."""

    def get_help_option(self, ctx: Any) -> TyperOption | None:
        return _as_flag(super().get_help_option(ctx))


class Group(TyperGroup):
    """A group of commands that shows `--help` as a flag."""

    def get_help_option(self, ctx: Any) -> TyperOption | None:
        return _as_flag(super().get_help_option(ctx))


def _as_flag(option: TyperOption | None) -> TyperOption | None:
    if option is not None:
        option.metavar = FLAG
    return option


app = typer.Typer(
    cls=Group,
    context_settings={"help_option_names": ["--help", "-h"]},
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="File documents in Paperless-ngx with a language model. Every change can be undone.",
)
review = typer.Typer(
    cls=Group, no_args_is_help=True, help="Show suggestions for review, and accept or reject them."
)
app.add_typer(review, name="review")
names = typer.Typer(
    cls=Group,
    invoke_without_command=True,
    help="Show new names for review, and decide about them.",
)
app.add_typer(names, name="names")
learnt = typer.Typer(
    cls=Group, no_args_is_help=True, help="Show what was learnt from documents, and delete it."
)
app.add_typer(learnt, name="learnt")
user = typer.Typer(cls=Group, no_args_is_help=True, help="Set the dashboard password.")
app.add_typer(user, name="user")
token = typer.Typer(cls=Group, no_args_is_help=True, help="Manage API tokens.")
app.add_typer(token, name="token")

notify = typer.Typer(cls=Group, no_args_is_help=True, help="Test notifications.")
app.add_typer(notify, name="notify")
webhook = typer.Typer(
    cls=Group, no_args_is_help=True, help="Let Paperless announce new documents at once."
)
app.add_typer(webhook, name="webhook")


@app.command("version")
def version() -> None:
    """Print the version, as `--version` does."""
    typer.echo(f"{PROGRAM} {installed_version(PROGRAM)}")


@app.command("completion")
def completion(
    shell: Annotated[
        str,
        typer.Argument(parser=parse_shell, metavar="SHELL", help=f"One of {', '.join(SHELLS)}."),
    ],
) -> None:
    """Print the script for tab completion; for bash: `source <(paperclerk completion bash)`."""
    variable = "_PAPERCLERK_COMPLETE"
    typer.echo(get_completion_script(prog_name=PROGRAM, complete_var=variable, shell=shell))


def _version_and_exit(wanted: bool) -> None:
    if wanted:
        version()
        raise typer.Exit


@app.callback()
def where(
    ctx: typer.Context,
    config: Annotated[
        Path,
        typer.Option(
            envvar="PAPERCLERK_CONFIG", metavar="FOLDER", help="Folder with the settings files."
        ),
    ] = Path("config"),
    data: Annotated[
        Path,
        typer.Option(envvar="PAPERCLERK_DATA", metavar="FOLDER", help="Folder with the database."),
    ] = Path("data"),
    verbose: Annotated[
        bool,
        typer.Option("--verbose", "-v", metavar=FLAG, help="Show the whole log on a terminal."),
    ] = False,
    _version: Annotated[
        bool,
        typer.Option(
            "--version",
            metavar=FLAG,
            is_eager=True,
            callback=_version_and_exit,
            help="Print the version and exit.",
        ),
    ] = False,
) -> None:
    _replace_unencodable_characters()
    # On a terminal the command's own output is enough; elsewhere the log is wanted as well.
    quiet = sys.stderr.isatty() and not verbose
    ctx.obj = Options(config, data, log_at_least="warning" if quiet else "debug")


def _replace_unencodable_characters() -> None:
    """Write a character that the terminal cannot encode as a question mark."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")
