"""`learnt`: what was learnt from filed documents, and how to delete it."""

from typing import TYPE_CHECKING, Annotated

import typer

from daemon.cli.app import learnt as group
from daemon.cli.arguments import AsJson, Instance, Of
from daemon.cli.exits import Exit, UsageError, async_command
from daemon.cli.session import open_services, open_services_for_reading
from daemon.cli.terminal import console, plural, print_json, print_table
from i18n.labels import fact_label

if TYPE_CHECKING:
    from actions.learnt import LearntFact
    from daemon.services import Services

Ids = Annotated[list[str], typer.Argument(metavar="ID", help="Ids, as `learnt list` shows them.")]


@group.command("list")
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
        print_table(("id", "instance", "sender", "learnt", "from"), map(_row, facts))
    return Exit.OK


@group.command("delete")
@async_command
async def learnt_delete(ctx: typer.Context, ids: Ids, instance: Of = None) -> Exit:
    """Delete what was learnt; it is not learnt again."""
    from actions.learnt import delete_learnt

    async with open_services(ctx.obj, instance) as services:
        await delete_learnt(services.caller, _only_instance(services), ids)
    console().print(f"deleted: {', '.join(ids)}")
    return Exit.OK


@group.command("restore")
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


def _row(fact: "LearntFact") -> tuple[str, ...]:
    if fact.is_deleted:
        origin = "deleted"
    elif fact.total:
        origin = f"{fact.documents} of {plural(fact.total, 'document')}"
    else:
        origin = plural(fact.documents, "document")
    return fact.id, fact.instance, fact.sender or "all", str(fact_label(fact.fact)), origin
