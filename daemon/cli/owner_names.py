"""`names owner`, `names confirm`, `names decline`: the owner's names, proposed from documents."""

from typing import Annotated

import typer

from daemon.cli.app import names as group
from daemon.cli.arguments import AsJson, Instance, Of
from daemon.cli.exits import Exit, async_command
from daemon.cli.output import console, plural, print_json, print_table
from daemon.cli.session import open_context, open_context_for_reading

OwnNames = Annotated[list[str], typer.Argument(metavar="NAME", help="Names of yours.")]
OtherNames = Annotated[
    list[str], typer.Argument(metavar="NAME", help="Names, as `names owner` lists them.")
]


@group.command("owner")
@async_command
async def names_owner(ctx: typer.Context, name: Instance = None, as_json: AsJson = False) -> Exit:
    """List your own names: proposed from documents, confirmed, or from the settings."""
    from actions.learnt import list_owner_names

    async with open_context_for_reading(ctx.obj) as context:
        found = await list_owner_names(context.caller, context.select_instances(name))
    if as_json:
        print_json(found)
    elif not found:
        console().print("no names yet")
    else:
        rows = (
            (own.name, own.instance, own.state.value, _format_share(own.documents, own.total))
            for own in found
        )
        print_table(("name", "instance", "state", "addressee of"), rows)
    return Exit.OK


@group.command("confirm")
@async_command
async def names_confirm(ctx: typer.Context, wanted: OwnNames, instance: Of = None) -> Exit:
    """Confirm that names are your own: no document is filed under them automatically."""
    from actions.learnt import confirm_owner_name

    async with open_context(ctx.obj) as context:
        for typed in wanted:
            own = await confirm_owner_name(context.caller, typed, instance)
            console().print(f"{own.instance}: {own.name} is one of your names")
    return Exit.OK


@group.command("decline")
@async_command
async def names_decline(ctx: typer.Context, unwanted: OtherNames, instance: Of = None) -> Exit:
    """Decline names that were proposed or confirmed as your own; they are not proposed again."""
    from actions.learnt import decline_owner_name

    async with open_context(ctx.obj) as context:
        for typed in unwanted:
            own = await decline_owner_name(context.caller, typed, instance)
            console().print(f"{own.instance}: {own.name} is none of your names")
    return Exit.OK


def _format_share(documents: int, total: int) -> str:
    return f"{documents} of {plural(total, 'document')}" if total else ""
