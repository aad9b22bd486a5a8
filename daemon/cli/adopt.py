"""`adopt`: count documents that another tool has processed as done, or stop doing so."""

import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from core.documents import DocumentState
from daemon.cli import parsing
from daemon.cli.app import app
from daemon.cli.arguments import FLAG
from daemon.cli.exits import Exit, UsageError, result_of, run
from daemon.cli.options import Options
from daemon.cli.output import console, plural
from daemon.cli.session import open_services

if TYPE_CHECKING:
    from actions.adoption import AdoptionPreview, DocumentChoice

_LISTED = 10
"""Missing ids that are printed."""
_KNOWN = {
    DocumentState.QUEUED: "already in the queue; `paperclerk cancel` takes them out",
    DocumentState.DONE: "already processed by Paperclerk",
    DocumentState.ADOPTED: "already adopted",
    DocumentState.FAILED: "failed earlier; no scan selects them",
    DocumentState.CANCELLED: "cancelled earlier; no scan selects them",
    DocumentState.IGNORED: "ignored",
    DocumentState.GONE: "returned to Paperless; the next scan selects them",
    DocumentState.READ_ONLY: "not shared for editing",
}


@app.command("adopt")
def adopt(  # noqa: PLR0913, PLR0917 - one for each option
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="An instance.")],
    tag: Annotated[str, typer.Option(metavar="TAG", help="Documents with this tag.")] = "",
    ids: Annotated[
        str,
        typer.Option(metavar="FILE", help="Documents whose ids are in this file; - for stdin."),
    ] = "",
    preview: Annotated[
        bool, typer.Option("--preview", metavar=FLAG, help="Only show what would change.")
    ] = False,
    undo: Annotated[
        bool,
        typer.Option("--undo", metavar=FLAG, help="Let scans select adopted documents again."),
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", metavar=FLAG, help="Do not ask.")] = False,
) -> None:
    """Count documents that another tool has processed as done; Paperless is not changed."""
    choice = result_of(lambda: _parse_choice(tag, ids, is_optional=undo))
    if undo:
        _undo(ctx.obj, name, choice, preview=preview, yes=yes)
    assert choice is not None
    plan = result_of(lambda: _preview(ctx.obj, name, choice))
    if preview or not plan.titles:
        sys.exit(Exit.OK)
    if not yes:
        question = f"Adopt {plural(len(plan.titles), 'document')} of {name}?"
        parsing.confirm(question, instead="Add --yes to adopt them.")
    run(lambda: _adopt(ctx.obj, name, plan))


async def _parse_choice(tag: str, ids: str, *, is_optional: bool) -> "DocumentChoice | None":
    from actions.adoption import DocumentChoice

    if tag and ids:
        raise UsageError("--tag and --ids cannot be combined")
    if not (tag or ids):
        if is_optional:
            return None
        raise UsageError("name the documents with --tag TAG or --ids FILE")
    return DocumentChoice(tag, _read_ids(ids) if ids else frozenset())


def _read_ids(file: str) -> frozenset[int]:
    """Read ids, separated by white space or commas; raise UsageError."""
    try:
        text = sys.stdin.read() if file == "-" else Path(file).read_text("utf-8-sig")
    except (OSError, UnicodeError) as error:
        raise UsageError(f"cannot read {file}: {error}") from error
    found = set[int]()
    for number, line in enumerate(text.splitlines(), 1):
        for word in re.split(r"[\s,;]+", line.strip()):
            if word and not re.fullmatch("[1-9][0-9]{0,14}", word):
                raise UsageError(f'{file}:{number}: "{word[:40]}" is not the id of a document')
            if word:
                found.add(int(word))
    if not found:
        raise UsageError(f"{file} contains no ids")
    return frozenset(found)


async def _preview(options: Options, name: str, choice: "DocumentChoice") -> "AdoptionPreview":
    """Print what an adoption would do, and return it."""
    from actions.adoption import preview_adoption

    async with open_services(options, name) as services:
        plan = await preview_adoption(services.caller, name, choice)
    console().print(f"{name}: {plural(len(plan.titles), 'document')} to adopt")
    for state, count in sorted(plan.known.items()):
        console().print(f"    {count} {_KNOWN[state]}")
    if plan.requested:
        console().print(f"    {plan.requested} with a tag of scan.remove_tags: will be processed")
    if plan.missing:
        console().print(f"    {len(plan.missing)} not in Paperless: {_join(plan.missing)}")
    return plan


def _join(ids: Sequence[int]) -> str:
    listed = ", ".join(str(id_) for id_ in ids[:_LISTED])
    return f"{listed}, ..." if len(ids) > _LISTED else listed


async def _adopt(options: Options, name: str, plan: "AdoptionPreview") -> Exit:
    from actions.adoption import adopt

    async with open_services(options, name) as services:
        adopted = await adopt(services.caller, name, plan)
    console().print(
        f"{plural(adopted, 'document')} adopted; `paperclerk adopt {name} --undo` reverses it"
    )
    return Exit.OK


def _undo(
    options: Options, name: str, choice: "DocumentChoice | None", *, preview: bool, yes: bool
) -> None:
    """Stop counting adopted documents as done, and exit."""
    ids = result_of(lambda: _list_adopted(options, name, choice))
    count = plural(len(ids), "adopted document")
    if preview or not ids:
        console().print(f"{name}: {count} would be selected by scans again")
        sys.exit(Exit.OK)
    if not yes:
        parsing.confirm(f"Let scans select {count} of {name} again?", instead="Add --yes to do it.")
    run(lambda: _withdraw(options, name, ids))


async def _list_adopted(
    options: Options, name: str, choice: "DocumentChoice | None"
) -> frozenset[int]:
    from actions.adoption import list_adopted

    async with open_services(options, name) as services:
        return await list_adopted(services.caller, name, choice)


async def _withdraw(options: Options, name: str, ids: frozenset[int]) -> Exit:
    from actions.adoption import withdraw_adoption

    async with open_services(options, name) as services:
        withdrawn = await withdraw_adoption(services.caller, name, ids)
    console().print(f"{plural(withdrawn, 'document')} no longer adopted; the next scan decides")
    return Exit.OK
