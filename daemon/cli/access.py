"""Commands about ways in and out: the password, tokens for programs, and messages to you."""

from typing import Annotated

import typer

from daemon.cli import parsing
from daemon.cli.app import notify, token, user
from daemon.cli.arguments import AsJson
from daemon.cli.exits import run

TokenName = Annotated[str, typer.Argument(metavar="NAME", help="What the token is called.")]


@user.command("link")
def user_link(ctx: typer.Context) -> None:
    """Print a link by which the dashboard's password can be set, once, within 30 minutes."""
    from daemon.commands import access

    run(lambda: access.link(ctx.obj))


@user.command("password")
def user_password(ctx: typer.Context) -> None:
    """Set the dashboard's password: typed unseen, or the first line of standard input."""
    from daemon.commands import access

    run(lambda: access.password(ctx.obj, parsing.new_password()))


@token.command("create")
def token_create(
    ctx: typer.Context,
    name: TokenName,
    right: Annotated[
        str, typer.Option(metavar="RIGHT", help="What it may do: read, act or admin.")
    ] = "read",
    instances: Annotated[
        list[str] | None,
        typer.Option("--instance", metavar="NAME", help="Only this instance; may be repeated."),
    ] = None,
) -> None:
    """Make an API token for a program, and print it: it is shown this once."""
    from daemon.commands import access

    run(lambda: access.create(ctx.obj, name, parsing.right(right), instances or []))


@token.command("list")
def token_list(ctx: typer.Context, as_json: AsJson = False) -> None:
    """Show the API tokens: what each may do, and when it was used last."""
    from daemon.commands import access

    run(lambda: access.list_all(ctx.obj, as_json=as_json))


@token.command("revoke")
def token_revoke(ctx: typer.Context, name: TokenName) -> None:
    """Let a token be valid no longer."""
    from daemon.commands import access

    run(lambda: access.revoke(ctx.obj, name))


@notify.command("test")
def notify_test(
    ctx: typer.Context,
    which: Annotated[
        str | None,
        typer.Argument(
            metavar="ADDRESS", help="Its number in the list, or its service; default: all."
        ),
    ] = None,
) -> None:
    """Send a message to every address of `notify.urls`, or to one, to see whether it arrives."""
    from daemon.commands import notify as commands

    run(lambda: commands.test(ctx.obj, which))
