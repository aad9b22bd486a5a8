"""`review`: show suggestions for review, accept or reject them, and process the decisions."""

import sys
from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Annotated

import typer

from core.changes import Change
from core.documents import DocumentRef
from core.text import clean_line
from daemon.cli.app import review as group
from daemon.cli.arguments import (
    FLAG,
    AsJson,
    Document,
    Documents,
    Instance,
    Only,
    Options,
    parse_document,
    parse_documents,
    parse_edits,
    parse_fields,
)
from daemon.cli.exits import Exit, UsageError, async_command, print_error, result_of, run
from daemon.cli.session import open_context_for_reading, open_services_for_documents
from daemon.cli.terminal import confirm, console, plural, print_json
from i18n.labels import alias_label

if TYPE_CHECKING:
    from actions.decisions import Edits
    from actions.own_values import NewNamesUnconfirmed, TypedNames
    from actions.review import DecisionResult
    from daemon.context import Context
    from daemon.services import Services

_PAGE = 1_000
"""Number of changes that are read at once."""


@group.command("list")
@async_command
async def review_list(ctx: typer.Context, name: Instance = None, as_json: AsJson = False) -> Exit:
    """List documents with suggestions for review."""
    async with open_context_for_reading(ctx.obj) as context:
        instance = context.select_instances(name)[0] if name else None
        changes = await _list_for_review(context, instance)
        if as_json:
            print_json(changes)
        else:
            await _print_changes(context, changes)
        return Exit.OK


@group.command("show")
@async_command
async def review_show(ctx: typer.Context, document: Document, as_json: AsJson = False) -> Exit:
    """Show one document's suggestions for review, with a link to the document."""
    from actions.documents import build_link
    from actions.review import list_waiting

    ref = parse_document(document)
    async with open_context_for_reading(ctx.obj) as context:
        context.select_instances(ref.instance)
        changes = await list_waiting(context.caller, ref)
        if as_json:
            print_json(changes)
            return Exit.OK
        await _print_changes(context, changes)
        console().print(f"    {build_link(context.caller, ref)}")
        return Exit.OK


@group.command("accept")
def review_accept(
    ctx: typer.Context,
    names: Documents,
    values: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="FIELD=VALUE",
            help="Your own value, as in date=2026-01-31; also of a field without a suggestion.",
        ),
    ] = None,
    only: Only = None,
    yes: Annotated[
        bool, typer.Option("--yes", "-y", metavar=FLAG, help="Create new names without asking.")
    ] = False,
) -> None:
    """Write the suggested values, or your own values instead."""
    from actions.decisions import Edits
    from actions.own_values import TypedNames

    def edits() -> Edits[str]:
        return Edits(parse_edits(values or []), parse_fields(only))

    outcome = result_of(lambda: _accept_or_ask(ctx.obj, parse_documents(names), edits(), yes=yes))
    if isinstance(outcome, Exit):
        sys.exit(outcome)
    # The questions are asked outside the event loop, where Ctrl-C ends them.
    for new in outcome.names:
        instead = "Add --yes to create it, or use an existing name."
        confirm(f"{new.describe()}. Create it?", instead=instead)
    run(lambda: _accept(ctx.obj, parse_documents(names), edits(), TypedNames.CREATE))


@group.command("reject")
@async_command
async def review_reject(
    ctx: typer.Context,
    names: Documents,
    only: Only = None,
    never: Annotated[
        bool, typer.Option("--never", metavar=FLAG, help="Never suggest these names again.")
    ] = False,
    reason: Annotated[
        str, typer.Option(metavar="TEXT", help="Reason, stored with the suggestions.")
    ] = "",
) -> Exit:
    """Reject suggestions; the documents stay as they are."""
    from actions.review import RejectMode, reject
    from daemon.cli.review import process_decisions

    refs, fields = parse_documents(names), parse_fields(only)
    mode = RejectMode.NEVER_SUGGEST_AGAIN if never else RejectMode.THIS_TIME
    async with open_services_for_documents(ctx.obj, refs) as services:
        decided = await reject(services.caller, refs, mode, only=fields, why=reason)
        if count := sum(len(decision.reject) for decision in decided.decisions):
            # With a done tag or trigger tags, the job may still write those.
            tags = (instance.tags for instance in services.instances.values())
            writes_tags = any(instance_tags.done | instance_tags.remove for instance_tags in tags)
            ending = "" if writes_tags else "; nothing is written"
            console().print(f"{plural(count, 'suggestion')} rejected{ending}")
        return await process_decisions(services, decided)


async def process_decisions(services: "Services", decided: "DecisionResult") -> Exit:
    """Process the jobs of decisions; print the new aliases and the refused decisions."""
    from daemon.cli.progress import process_jobs

    for alias in decided.remembered:
        console().print(
            f"remembered: {alias_label(alias)}; `paperclerk names forget` removes this again"
        )
    ended = await process_jobs(services, decided.jobs) if decided.jobs else Exit.OK
    for alias in decided.unclear:
        arguments = f'"{alias.spelling}" "{alias.target}" --field {alias.field}'
        console().print(f"not remembered; to use it from now on: `names use {arguments}`")
    for error in decided.refused:
        print_error(error)
    return Exit.LOOK if decided.refused else ended


async def _accept_or_ask(
    options: Options, refs: Sequence[DocumentRef], edits: "Edits[str]", *, yes: bool
) -> "Exit | NewNamesUnconfirmed":
    """Accept, or return the new names that the person must confirm first."""
    from actions.own_values import NewNamesUnconfirmed, TypedNames

    try:
        return await _accept(options, refs, edits, TypedNames.CREATE if yes else TypedNames.ASK)
    except NewNamesUnconfirmed as unconfirmed:
        return unconfirmed


async def _accept(
    options: Options, refs: Sequence[DocumentRef], edits: "Edits[str]", typed: "TypedNames"
) -> Exit:
    """Write the suggestions, with the typed values where there are any."""
    from actions.review import accept, accept_with_values
    from daemon.cli.review import process_decisions

    one = _require_one(refs) if edits.values else None
    async with open_services_for_documents(options, refs) as services:
        decided = (
            await accept(services.caller, refs, edits, typed=typed)
            if one is None
            else await accept_with_values(services.caller, one, edits, typed)
        )
        new_names = (name for decision in decided.decisions for name in decision.new_names)
        for name in dict.fromkeys(new_names):
            console().print(
                f'new name: "{clean_line(name)}" does not exist yet and will be created'
            )
        return await process_decisions(services, decided)


def _require_one(refs: Sequence[DocumentRef]) -> DocumentRef:
    if len(refs) > 1:
        raise UsageError("--set can only be used with one document")
    return refs[0]


async def _list_for_review(context: "Context", instance: str | None) -> list[Change]:
    found: list[Change] = []
    while page := await context.store.changes.list_for_review(
        instance=instance, limit=_PAGE, after_id=found[-1].id if found else 0
    ):
        found += page
    return found


async def _print_changes(context: "Context", waiting: Sequence[Change]) -> None:
    """Print changes grouped by document."""
    from daemon.cli.progress import change_line, width_of

    by_document = sorted(waiting, key=lambda change: (change.document, change.id))
    count, width = 0, width_of(waiting)
    for ref, changes in groupby(by_document, key=lambda change: change.document):
        known = await context.store.documents.get(ref)
        console().print(f"{ref}  {clean_line(known.title) if known else ''}".rstrip())
        for change in changes:
            console().print(change_line(change, width))
        count += 1
    console().print(f"{plural(count, 'document')} for review" if count else "nothing for review")
