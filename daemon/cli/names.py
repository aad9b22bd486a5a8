"""`names`, `learnt`: new names, aliases, the owner's and unused names; what was learnt."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import typer

from core.fields import FieldName
from core.names import Alias, KeepReason, NameFilter, NameScope
from daemon.cli.app import learnt as learnt_group
from daemon.cli.app import names as names_group
from daemon.cli.arguments import FLAG, AsJson, Field, Instance, Of, parse_named_field
from daemon.cli.exits import Exit, UsageError, async_command
from daemon.cli.session import (
    open_context,
    open_context_for_reading,
    open_services,
    open_services_for_reading,
)
from daemon.cli.terminal import console, format_local, plural, print_json, print_table
from i18n.labels import FIELDS, KEPT, alias_label, fact_label, reasons_label

if TYPE_CHECKING:
    from actions.learnt import LearntFact
    from actions.new_names import NewName
    from actions.review import DecisionResult
    from daemon.services import Services
    from processor.names.unused import InspectedName


NewNames = Annotated[
    list[str], typer.Argument(metavar="NAME", help="New names, as `names` lists them.")
]
OwnNames = Annotated[list[str], typer.Argument(metavar="NAME", help="Names of yours.")]
OtherNames = Annotated[
    list[str], typer.Argument(metavar="NAME", help="Names, as `names owner` lists them.")
]
Ids = Annotated[list[str], typer.Argument(metavar="ID", help="Ids, as `learnt list` shows them.")]


@dataclass(frozen=True, slots=True)
class AliasSummary:
    """One alias, as `--json` prints it."""

    instance: str
    field: FieldName
    name: str
    means: str | None
    """The current name in Paperless, or the last one if it was deleted; None: never suggested."""
    is_void: bool
    """The name was deleted from Paperless, so the next suggestion needs a review."""
    decided_at: datetime


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


@names_group.callback()
def list_by_default(ctx: typer.Context) -> None:
    """List the new names if no subcommand is given."""
    if ctx.invoked_subcommand is None:
        names_list(ctx)


@names_group.command("list")
@async_command
async def names_list(ctx: typer.Context, name: Instance = None, as_json: AsJson = False) -> Exit:
    """List new names for review, with similar names and the number of documents."""
    from actions.new_names import list_new_names

    async with open_services_for_reading(ctx.obj, name) as services:
        found = await list_new_names(services.caller)
    if as_json:
        print_json(found)
    elif not found:
        console().print("no new names for review")
    else:
        print_table(("name", "kind", "instance", "documents", "similar"), map(_new_row, found))
    return Exit.OK


@names_group.command("create")
@async_command
async def names_create(
    ctx: typer.Context, wanted: NewNames, field: Field = "", instance: Of = None
) -> Exit:
    """Create new names and write them to the documents that they were suggested for."""
    from actions.names import create_names

    where = _build_filter(field, instance)
    async with open_services(ctx.obj, where.instance) as services:
        return await _process(services, await create_names(services.caller, wanted, where))


@names_group.command("use")
@async_command
async def names_use(
    ctx: typer.Context,
    new: Annotated[str, typer.Argument(metavar="NEW", help="The name that was suggested.")],
    existing: Annotated[
        str, typer.Argument(metavar="EXISTING", help="The existing name to use instead.")
    ],
    field: Field = "",
    instance: Of = None,
) -> Exit:
    """Use an existing name instead of a new one, for these documents and from now on."""
    from actions.names import use_existing

    where = _build_filter(field, instance)
    async with open_services(ctx.obj, where.instance) as services:
        return await _process(services, await use_existing(services.caller, new, existing, where))


@names_group.command("never")
@async_command
async def names_never(
    ctx: typer.Context, unwanted: NewNames, field: Field = "", instance: Of = None
) -> Exit:
    """Never suggest these names again, and reject the suggestions that contain them."""
    from actions.names import never_suggest

    where = _build_filter(field, instance)
    async with open_services(ctx.obj, where.instance) as services:
        return await _process(services, await never_suggest(services.caller, unwanted, where))


@names_group.command("aliases")
@async_command
async def names_aliases(ctx: typer.Context, name: Instance = None, as_json: AsJson = False) -> Exit:
    """List aliases and names that are never suggested."""
    from daemon.services import open_services

    async with open_context_for_reading(ctx.obj) as context:
        instance = context.select_instances(name)[0] if name else None
        found = await context.store.names.list_aliases(instance)
        known = [alias for alias in found if alias.instance in context.settings.instances]
        async with open_services(context, {alias.instance for alias in known}) as services:
            aliases = [await _summarize(services, alias) for alias in known]
        if as_json:
            print_json(aliases)
        elif not aliases:
            console().print("no aliases")
        else:
            rows = (
                _alias_row(alias, format_local(alias.decided_at, context.zone)) for alias in aliases
            )
            print_table(("name", "kind", "instance", "means", "since"), rows)
        return Exit.OK


@names_group.command("forget")
@async_command
async def names_forget(
    ctx: typer.Context,
    spellings: Annotated[
        list[str], typer.Argument(metavar="NAME", help="Names, as `names aliases` lists them.")
    ],
    field: Field = "",
    instance: Of = None,
) -> Exit:
    """Delete aliases; values already written stay."""
    where = _build_filter(field, instance)
    async with open_context(ctx.obj) as context:
        known = await context.store.names.list_aliases()
        # All are found before the first is deleted: one unknown name leaves everything as it is.
        selected = [_find_alias(known, spelling, where) for spelling in spellings]
        for alias in selected:
            meaning = alias.meaning
            await context.store.names.delete_alias(alias.instance, meaning.field, meaning.key)
            console().print(f"forgotten: {alias_label(meaning)}")
        return Exit.OK


@names_group.command("owner")
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


@names_group.command("confirm")
@async_command
async def names_confirm(ctx: typer.Context, wanted: OwnNames, instance: Of = None) -> Exit:
    """Confirm that names are your own: no document is filed under them automatically."""
    from actions.learnt import confirm_owner_name

    async with open_context(ctx.obj) as context:
        for typed in wanted:
            own = await confirm_owner_name(context.caller, typed, instance)
            console().print(f"{own.instance}: {own.name} is one of your names")
    return Exit.OK


@names_group.command("decline")
@async_command
async def names_decline(ctx: typer.Context, unwanted: OtherNames, instance: Of = None) -> Exit:
    """Decline names that were proposed or confirmed as your own; they are not proposed again."""
    from actions.learnt import decline_owner_name

    async with open_context(ctx.obj) as context:
        for typed in unwanted:
            own = await decline_owner_name(context.caller, typed, instance)
            console().print(f"{own.instance}: {own.name} is none of your names")
    return Exit.OK


@names_group.command("unused")
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
            _summarize_unused(unused.inspected)
            for instance in services.instances
            async for unused in list_unused(services.caller, instance)
        ]
        if as_json:
            print_json(found)
        elif not found:
            console().print("no unused names")
        else:
            zone = services.context.zone
            rows = (_unused_row(unused, format_local(unused.made_at, zone)) for unused in found)
            print_table(("name", "kind", "instance", "created", "for", "state"), rows)
            console().print(
                "Only documents visible to the token's user count. `--remove` deletes these names."
            )
        return Exit.OK


def _build_filter(field: str, instance: str | None) -> NameFilter:
    return NameFilter(instance, parse_named_field(field))


async def _process(services: "Services", result: "DecisionResult") -> Exit:
    """Print which suggestions stay for review, and process the others."""
    from daemon.cli.review import process_decisions

    for waiting in result.still_waiting:
        why = reasons_label(waiting.revised.reasons) or "the value in Paperless has changed"
        name = waiting.revised.after
        console().print(f'{waiting.document} stays for review with "{name}": {why}')
    return await process_decisions(services, result)


async def _summarize(services: "Services", alias: Alias) -> AliasSummary:
    meaning = alias.meaning
    names = await services.instances[alias.instance].catalogue.names()
    current = names.find_target(meaning)
    target = current or meaning.target
    return AliasSummary(
        alias.instance,
        meaning.field,
        meaning.spelling,
        target.name if target else None,
        meaning.target is not None and current is None,
        alias.decided_at,
    )


def _find_alias(known: Iterable[Alias], spelling: str, where: NameFilter) -> Alias:
    """Return the alias with this spelling; raise UsageError unless there is exactly one."""
    from processor.analysis.name_matching import spelling_key

    key = spelling_key(spelling)
    found = [
        alias
        for alias in known
        if alias.meaning.key == key and where.covers(NameScope(alias.instance, alias.meaning.field))
    ]
    if not found:
        raise UsageError(f'there is no alias "{spelling}"; `names aliases` lists them')
    if len(found) > 1:
        listed = ", ".join(f"{FIELDS[alias.meaning.field]} in {alias.instance}" for alias in found)
        raise UsageError(f'"{spelling}" is ambiguous ({listed}); add --field or --instance')
    return found[0]


def _new_row(new: "NewName") -> tuple[str, ...]:
    count = plural(len(new.documents), "document")
    return new.name, str(FIELDS[new.field]), new.instance, count, ", ".join(new.similar)


def _alias_row(alias: AliasSummary, since: str) -> tuple[str, ...]:
    means = "never suggested" if alias.means is None else alias.means
    deleted = " (deleted from Paperless)" if alias.is_void else ""
    return alias.name, str(FIELDS[alias.field]), alias.instance, means + deleted, since


def _format_share(documents: int, total: int) -> str:
    return f"{documents} of {plural(total, 'document')}" if total else ""


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


def _summarize_unused(inspected: "InspectedName") -> Unused:
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


def _unused_row(unused: Unused, made_at: str) -> tuple[str, ...]:
    state = f"kept: {KEPT[unused.kept]}" if unused.kept else "can be removed"
    kind = str(FIELDS[unused.field])
    return unused.name, kind, unused.instance, made_at, unused.document, state


@learnt_group.command("list")
@async_command
async def learnt_list(ctx: typer.Context, name: Instance = None, as_json: AsJson = False) -> Exit:
    """List what was learnt about senders and about the order of day and month."""
    from actions.learnt import list_learnt

    facts: list[LearntFact] = []
    async with open_services_for_reading(ctx.obj, name) as services:
        for instance in services.instances:
            page = await list_learnt(services.caller, instance)
            facts += (*page.facts, *page.deleted)
    if as_json:
        print_json([{"id": fact.id, "fact": fact} for fact in facts])
    elif not facts:
        console().print("nothing learnt yet")
    else:
        print_table(("id", "instance", "sender", "learnt", "from"), map(_fact_row, facts))
    return Exit.OK


@learnt_group.command("delete")
@async_command
async def learnt_delete(ctx: typer.Context, ids: Ids, instance: Of = None) -> Exit:
    """Delete what was learnt; it is not learnt again."""
    from actions.learnt import delete_learnt

    async with open_services(ctx.obj, instance) as services:
        await delete_learnt(services.caller, _only_instance(services), ids)
    console().print(f"deleted: {', '.join(ids)}")
    return Exit.OK


@learnt_group.command("restore")
@async_command
async def learnt_restore(ctx: typer.Context, ids: Ids, instance: Of = None) -> Exit:
    """Let what was deleted be used again."""
    from actions.learnt import restore_learnt

    async with open_services(ctx.obj, instance) as services:
        await restore_learnt(services.caller, _only_instance(services), ids)
    console().print(f"restored: {', '.join(ids)}")
    return Exit.OK


def _only_instance(services: "Services") -> str:
    if len(services.instances) > 1:
        raise UsageError("there are several instances; add --instance")
    return next(iter(services.instances))


def _fact_row(fact: "LearntFact") -> tuple[str, ...]:
    if fact.is_deleted:
        origin = "deleted"
    elif fact.total:
        origin = f"{fact.documents} of {plural(fact.total, 'document')}"
    else:
        origin = plural(fact.documents, "document")
    return fact.id, fact.instance, fact.sender or "all", str(fact_label(fact.fact)), origin
