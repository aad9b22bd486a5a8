"""`user`, `token`, `webhook`: credentials for people, programs and Paperless."""

import sys
from dataclasses import asdict
from datetime import tzinfo
from typing import TYPE_CHECKING, Annotated

import typer

from core.access import ApiToken, NewToken
from daemon.cli.app import token, user, webhook
from daemon.cli.arguments import AsJson, Options, parse_permission
from daemon.cli.exits import Exit, UsageError, async_command, run
from daemon.cli.session import open_context, open_context_for_reading, open_services
from daemon.cli.terminal import ask_new_password, console, format_local, print_json, print_table

_ALL_INSTANCES = "all"
TokenName = Annotated[str, typer.Argument(metavar="NAME", help="Name of the token.")]


@user.command("link")
@async_command
async def user_link(ctx: typer.Context) -> Exit:
    """Print a link to set the dashboard's password; it works once, within 30 minutes."""
    from dashboard.auth.login import create_link

    async with open_context(ctx.obj) as context:
        address = context.settings.daemon.web.public_address()
        console().print(await create_link(context.store, address, now=context.clock()))
        return Exit.OK


@user.command("password")
def user_password(ctx: typer.Context) -> None:
    """Set the dashboard's password, from a prompt or from standard input."""
    # The password is read before the event loop starts: inside, Ctrl-C would not end the prompt.
    run(lambda: _set_password(ctx.obj, ask_new_password()))


@token.command("create")
@async_command
async def token_create(
    ctx: typer.Context,
    name: TokenName,
    right: Annotated[
        str, typer.Option(metavar="RIGHT", help="Permission: read, act or admin.")
    ] = "read",
    instances: Annotated[
        list[str] | None,
        typer.Option("--instance", metavar="NAME", help="Only this instance; may be repeated."),
    ] = None,
) -> Exit:
    """Create an API token for a program and print it; it is not shown again."""
    from dashboard.auth.account import create_token

    permission = parse_permission(right)
    if not name.strip():
        raise UsageError("a token needs a name")
    async with open_context(ctx.obj) as context:
        visible = [
            instance for typed in instances or [] for instance in context.select_instances(typed)
        ]
        new = NewToken(name.strip(), permission, frozenset(visible) or None)
        secret, _ = await create_token(context.store, new, now=context.clock())
        # Only the token goes to standard output, where a script can read it.
        sys.stderr.write("This token is shown once; keep it like a password.\n")
        sys.stdout.write(f"{secret}\n")
        return Exit.OK


@token.command("list")
@async_command
async def token_list(ctx: typer.Context, as_json: AsJson = False) -> Exit:
    """List API tokens with their permissions and last use."""
    async with open_context_for_reading(ctx.obj) as context:
        tokens = await context.store.access.tokens.list()
        if as_json:
            print_json([asdict(token) | {"right": token.right.name.lower()} for token in tokens])
        elif not tokens:
            console().print("no tokens")
        else:
            headings = ("name", "may", "instances", "made", "used", "revoked")
            print_table(headings, (_row(token, context.zone) for token in tokens))
        return Exit.OK


@token.command("revoke")
@async_command
async def token_revoke(ctx: typer.Context, name: TokenName) -> Exit:
    """Revoke a token."""
    async with open_context(ctx.obj) as context:
        await context.store.access.tokens.revoke(name, now=context.clock())
        console().print(f"revoked: {name}")
        return Exit.OK


@webhook.command("install")
@async_command
async def webhook_install(
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="An instance.")],
) -> Exit:
    """Create or update the workflow in Paperless, with a new secret."""
    from actions.webhooks import install_webhook

    async with open_services(ctx.obj, name) as services:
        url = services.context.settings.daemon.web.webhook_address(name)
        installed = await install_webhook(services.caller, name, url)
    if installed.refused is None:
        console().print(f'{name}: the workflow "{installed.workflow.name}" sends to {url}')
        console().print("    the previous secret is no longer valid")
        return Exit.OK
    console().print(f"{name}: {installed.refused}")
    _print_entries(installed)
    return Exit.LOOK


async def _set_password(options: Options, password: str) -> Exit:
    from dashboard.auth.login import MIN_PASSWORD_LENGTH, Passwords, find_password_problem

    if find_password_problem(password, password) is not None:
        raise UsageError(f"a password needs at least {MIN_PASSWORD_LENGTH} characters")
    async with open_context(options) as context:
        password_hash = await Passwords().hash(password)
        await context.store.access.set_password(password_hash, now=context.clock())
        console().print("password set; everyone who was logged in has to log in again")
        return Exit.OK


def _row(token: ApiToken, zone: tzinfo) -> tuple[str, ...]:
    dates = (token.created_at, token.used_at, token.revoked_at)
    return (
        token.name,
        token.right.name.lower(),
        _ALL_INSTANCES if token.instances is None else ", ".join(sorted(token.instances)),
        *(format_local(date, zone) for date in dates),
    )


def _print_entries(installed: "InstalledWebhook") -> None:
    """Print what a person must enter in Paperless; the secret is shown once."""
    workflow, update = installed.workflow, installed.workflow.update_trigger
    rows = [
        ("name", workflow.name),
        ("trigger", "Document Added"),
        ("action", "Webhook"),
        ("webhook URL", workflow.url),
        ("parameters", "use parameters for the body, send as JSON, in this order:"),
        *((f"    {key}", value) for key, value in workflow.params.items()),
        *((f"header {key}", value) for key, value in workflow.headers.items()),
    ]
    if update is not None:
        with_tags, without_tags = _join_ids(update.with_tags), _join_ids(update.without_tags)
        rows.insert(
            2,
            (
                "2nd trigger",
                f"Document Updated, has all tags {with_tags}, does not have tags {without_tags}",
            ),
        )
    console().print("Enter this workflow in Paperless (Workflows, Add workflow):")
    for key, value in rows:
        console().print(f"    {key:<28} {value}")
    console().print("The secret is not shown again; the previous one is no longer valid.")


def _join_ids(ids: frozenset[int]) -> str:
    return ", ".join(f"#{id_}" for id_ in sorted(ids))


if TYPE_CHECKING:
    from actions.webhooks import InstalledWebhook
