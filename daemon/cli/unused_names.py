"""`names unused`: names that Paperclerk created and no document has any more."""

from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import typer

from core.changes import WAITING, Change, ChangeState
from core.fields import FieldName
from core.names import KeepReason
from daemon.cli.app import names as group
from daemon.cli.arguments import FLAG, AsJson, Instance
from daemon.cli.exits import Exit, async_command
from daemon.cli.output import console, format_local, print_json, print_table
from daemon.cli.session import open_services
from i18n.labels import FIELDS, KEPT

if TYPE_CHECKING:
    from core.settings import InstanceSettings
    from daemon.services import Services
    from processor.instance import Instance as ServedInstance
    from processor.names.unused import InspectedName, NameReferences
    from store import Store

_PAGE = 1000
_UNSETTLED = WAITING | {ChangeState.INTENDED}


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
    async with open_services(ctx.obj, name) as services:
        if remove:
            await _remove_names(services)
            return Exit.OK
        found = [
            _summarize(inspected)
            for instance in services.instances.values()
            async for inspected, _ in _list_unused(services, instance)
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
    from processor.names.unused import remove_name

    count = 0
    for instance in services.instances.values():
        async for inspected, references in _list_unused(services, instance):
            kept = inspected.kept or await remove_name(
                instance.paperless,
                services.store,
                inspected,
                references,
                now=services.context.clock(),
            )
            label = f'{FIELDS[inspected.made.field]} "{inspected.found.name}" in {instance.name}'
            console().print(f"kept: {label}: {KEPT[kept]}" if kept else f"removed: {label}")
            count += not kept
    console().print(f"{count} removed")


async def _list_unused(
    services: "Services", instance: "ServedInstance"
) -> "AsyncIterator[tuple[InspectedName, NameReferences]]":
    """Yield names that we created and that no document in Paperless has at this moment."""
    from processor.names.unused import inspect_name

    names = await services.store.names.list_created_names(instance.name)
    if not names:
        return
    references = await _collect_references(services, instance)
    for name in names:
        inspected = await inspect_name(instance.paperless, name, references)
        if inspected is not None and inspected.kept is not KeepReason.IN_USE:
            yield inspected, references


async def _collect_references(services: "Services", instance: "ServedInstance") -> "NameReferences":
    from paperless_client import NameKind
    from processor.names.unused import collect_references

    settings = services.context.settings.instances[instance.name]
    return collect_references(
        _names_in_settings(settings),
        [tag async for tag in instance.paperless.list_names(NameKind.TAG)],
        await services.store.names.list_aliases(instance.name),
        [change async for change in _list_unsettled(services.store, instance.name)],
    )


def _names_in_settings(settings: "InstanceSettings") -> Iterator[str]:
    scan = settings.scan
    yield from (*scan.include_tags, *scan.exclude_tags, *scan.remove_tags, scan.done_tag)
    yield from settings.names.descriptions
    yield from settings.ai.type_instructions


async def _list_unsettled(store: "Store", instance: str) -> AsyncIterator[Change]:
    """Yield changes that are for review or about to be written."""
    from store import HistoryFilter

    before = None
    while True:
        wanted = HistoryFilter(instance, before_id=before, states=_UNSETTLED)
        page = await store.changes.list_history(wanted, _PAGE)
        for change in page:
            yield change
        if len(page) < _PAGE:
            return
        before = page[-1].id


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
