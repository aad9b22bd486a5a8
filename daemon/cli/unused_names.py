"""`names unused`: names that Paperclerk created and no document has any more."""

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import typer

from core.fields import FieldName
from core.names import KeepReason
from daemon.cli.app import names as group
from daemon.cli.arguments import FLAG, AsJson, Instance
from daemon.cli.exits import Exit, async_command
from daemon.cli.output import console, format_local, print_json, print_table
from daemon.cli.session import open_services
from i18n.labels import FIELDS, KEPT

if TYPE_CHECKING:
    from daemon.services import Services
    from processor.names.unused import InspectedName


@dataclass(frozen=True, slots=True)
class Unused:
    """A name that no document has, as `--json` prints it."""

    instance: str
    field: FieldName
    name: str
    id: int
    made_at: datetime | None
    document: str
    """The document that it was created for."""
    kept: KeepReason | None
    """Why it is not removed although no document has it; None if it can be removed."""


@group.command("unused")
@async_command
async def names_unused(
    ctx: typer.Context,
    name: Instance = None,
    remove: Annotated[
        bool,
        typer.Option(
            "--remove", metavar=FLAG, help="Delete them from Paperless; this cannot be undone."
        ),
    ] = False,
    as_json: AsJson = False,
) -> Exit:
    """List names that Paperclerk created and no document uses, or delete them."""
    if remove and as_json:
        raise typer.BadParameter("cannot be combined with --remove", param_hint="--json")
    from actions.names import list_unused

    async with open_services(ctx.obj, name) as services:
        if remove:
            await _remove_names(services)
            return Exit.OK
        found = [
            _summarize(unused.inspected)
            for instance in services.instances
            async for unused in list_unused(services.caller, instance)
        ]
        if as_json:
            print_json(found)
        elif not found:
            console().print("no unused names")
        else:
            zone = services.context.zone
            rows = (_row(unused, format_local(unused.made_at, zone)) for unused in found)
            print_table(("name", "kind", "instance", "made", "for", "state"), rows)
            console().print("counted by what the token's user sees; `--remove` removes them")
        return Exit.OK


async def _remove_names(services: "Services") -> None:
    """Remove the unused names, each checked once more right before."""
    from actions.names import list_unused, remove_unused

    count = 0
    for instance in services.instances:
        async for unused in list_unused(services.caller, instance):
            kept = await remove_unused(services.caller, unused)
            inspected = unused.inspected
            label = f'{FIELDS[inspected.made.field]} "{inspected.found.name}" in {instance}'
            console().print(f"kept: {label}: {KEPT[kept]}" if kept else f"removed: {label}")
            count += not kept
    console().print(f"{count} removed")


def _summarize(inspected: "InspectedName") -> Unused:
    made = inspected.made
    return Unused(
        made.document.instance,
        made.field,
        inspected.found.name,
        inspected.found.id,
        made.made_at,
        str(made.document),
        inspected.kept,
    )


def _row(unused: Unused, made_at: str) -> tuple[str, ...]:
    state = f"kept: {KEPT[unused.kept]}" if unused.kept else "can be removed"
    kind = str(FIELDS[unused.field])
    return unused.name, kind, unused.instance, made_at, unused.document, state
