"""`search`, `explain`, `ignore`, `unignore`, `adopt`: find documents; which are processed, and why.

`adopt` marks documents that another tool has processed as done.
"""

import re
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from core.archive import ArchiveHit, ArchiveSearch
from core.changes import Change
from core.documents import DocumentRef, DocumentState
from core.jobs import Job, JobStatus
from core.scans import SkipReason
from core.text import clean_line
from daemon.cli.app import app
from daemon.cli.arguments import (
    FLAG,
    AsJson,
    Document,
    Documents,
    Limit,
    Options,
    Since,
    Until,
    parse_document,
    parse_documents,
)
from daemon.cli.exits import Exit, UsageError, async_command, result_of, run
from daemon.cli.session import open_context, open_context_for_reading, open_services
from daemon.cli.status import describe_hold, holds_on
from daemon.cli.terminal import (
    confirm,
    console,
    english_labels,
    format_local,
    plural,
    print_json,
    print_table,
)
from i18n.labels import SKIPS

if TYPE_CHECKING:
    from actions.documents import AdoptionPreview, DocumentChoice
    from actions.search import SearchResult
    from daemon.context import Context


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
_SHOWN = 20
_NO_INDEX = "No instance has an archive index; see index.enabled in the settings."


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a document is, or is not, selected, as `--json` prints it."""

    document: DocumentRef
    title: str
    selected: bool
    reason: SkipReason | None
    jobs: tuple[Job, ...]
    changes: tuple[Change, ...]


@app.command("explain")
@async_command
async def explain(ctx: typer.Context, document: Document, as_json: AsJson = False) -> Exit:
    """Show why a document is, or is not, processed."""
    from actions.documents import get_document_history, name_excluded_tags
    from daemon.cli.progress import change_lines

    ref = parse_document(document)
    async with open_services(ctx.obj, ref.instance) as services:
        summary, reason = await services.scanners[ref.instance].explain(ref.id)
        history = await get_document_history(services.context.caller, ref)
        is_excluded = reason is SkipReason.EXCLUDED
        tags = (
            await name_excluded_tags(services.caller, ref.instance, summary.tags)
            if is_excluded
            else ()
        )
        active = await services.store.holds.list_active()
        holds = {
            job.id: holds_on(job, services.instances[ref.instance].targets, active)
            for job in history.jobs
            if job.status is JobStatus.PENDING
        }
    explanation = Explanation(
        ref, summary.title, reason is None, reason, history.jobs, history.changes
    )
    if as_json:
        print_json(explanation)
        return Exit.OK
    verdict = "a scan would select it" if reason is None else f"it {SKIPS[reason]}"
    if tags:
        verdict += f": {', '.join(map(clean_line, tags))}"
    console().print(f"{ref}  {clean_line(summary.title)}\n    {verdict}")
    for job in history.jobs:
        created = format_local(job.created_at, services.context.zone)
        kind = english_labels(services.context).code(job.kind)
        console().print(f"    job {job.id}: {kind}, {job.status}, {created}")
        for hold in holds.get(job.id, ()):
            console().print(f"        on hold: {describe_hold(hold, services.context.zone)}")
    for line in change_lines(history.changes, history.suggestions):
        console().print(line)
    return Exit.OK


@app.command("ignore")
@async_command
async def ignore(ctx: typer.Context, names: Documents) -> Exit:
    """Never process these documents again."""
    from actions import documents

    refs = parse_documents(names)
    async with open_context(ctx.obj) as context:
        await _require_documents(context, refs)
        for ref in refs:
            await documents.ignore(context.caller, ref)
            console().print(f"{ref} is ignored")
        return Exit.OK


@app.command("unignore")
@async_command
async def unignore(ctx: typer.Context, names: Documents) -> Exit:
    """Stop ignoring documents."""
    from actions import documents

    async with open_context(ctx.obj) as context:
        for ref in parse_documents(names):
            context.select_instances(ref.instance)
            known = await documents.unignore(context.caller, ref)
            state = f"it is {known.state}" if known else "the next scan may select it"
            console().print(f"{ref} is no longer ignored; {state}")
            if waiting := await context.store.changes.list_for_review(document=ref):
                console().print(f"    {plural(len(waiting), 'suggestion')} returned to review")
        return Exit.OK


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
        confirm(question, instead="Add --yes to adopt them.")
    run(lambda: _adopt(ctx.obj, name, plan))


async def _require_documents(context: "Context", refs: Sequence[DocumentRef]) -> None:
    """Raise DocumentGone if Paperless does not have one of the documents.

    Documents that were processed before are not checked, nor any while Paperless is unreachable.
    """
    from daemon.services import open_services
    from paperless_client import OutageSuspected

    names = {name for ref in refs for name in context.select_instances(ref.instance)}
    unknown = [ref for ref in refs if await context.store.documents.get(ref) is None]
    if not unknown:
        return
    async with open_services(context, names) as services:
        for ref in unknown:
            with suppress(OutageSuspected):
                await services.instances[ref.instance].paperless.fetch_summary(ref.id)


async def _parse_choice(tag: str, ids: str, *, is_optional: bool) -> "DocumentChoice | None":
    from actions.documents import DocumentChoice

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
    from actions.documents import preview_adoption

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
    from actions.documents import adopt

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
        confirm(f"Let scans select {count} of {name} again?", instead="Add --yes to do it.")
    run(lambda: _withdraw(options, name, ids))


async def _list_adopted(
    options: Options, name: str, choice: "DocumentChoice | None"
) -> frozenset[int]:
    from actions.documents import list_adopted

    async with open_services(options, name) as services:
        return await list_adopted(services.caller, name, choice)


async def _withdraw(options: Options, name: str, ids: frozenset[int]) -> Exit:
    from actions.documents import withdraw_adoption

    async with open_services(options, name) as services:
        withdrawn = await withdraw_adoption(services.caller, name, ids)
    console().print(f"{plural(withdrawn, 'document')} no longer adopted; the next scan decides")
    return Exit.OK


@app.command("search")
@async_command
async def search(  # noqa: PLR0913, PLR0917 - one for each option
    ctx: typer.Context,
    words: Annotated[list[str], typer.Argument(metavar="WORDS", help="Words to search for.")],
    instance: Annotated[
        str | None, typer.Option(metavar="NAME", help="Only this instance; default: all.")
    ] = None,
    correspondent: Annotated[
        str | None, typer.Option(metavar="NAME", help="Only of this correspondent.")
    ] = None,
    document_type: Annotated[
        str | None, typer.Option("--type", metavar="NAME", help="Only of this document type.")
    ] = None,
    tag: Annotated[str | None, typer.Option(metavar="NAME", help="Only with this tag.")] = None,
    since: Since = None,
    until: Until = None,
    limit: Limit = _SHOWN,
    as_json: AsJson = False,
) -> Exit:
    """Search the text of the documents in the archive index."""
    from actions.search import search_archive

    wanted = ArchiveSearch(
        words=" ".join(words),
        instances=frozenset(),
        correspondent=correspondent,
        document_type=document_type,
        tag=tag,
        created_since=since,
        created_until=until,
        limit=limit,
    )
    async with open_context_for_reading(ctx.obj) as context:
        names = context.select_instances(instance)
        result = await search_archive(context.caller, wanted, names)
    if as_json:
        print_json([_hit_as_json(hit) for hit in result.found.hits])
    else:
        _print_hits(result)
    return Exit.OK


def _print_hits(result: "SearchResult") -> None:
    if not result.is_on:
        console().print(_NO_INDEX)
        return
    if result.found.hits:
        print_table(("document", "date", "page", "title", "text"), map(_hit_row, result.found.hits))
    else:
        console().print("no matching documents")
    if result.found.next is not None:
        console().print("There are more; --limit shows them.")
    for name in result.not_ready:
        console().print(f"{name} is not searched yet: its index is being built.")


def _hit_row(hit: ArchiveHit) -> tuple[str, ...]:
    return (
        str(hit.fields.ref),
        hit.fields.created.isoformat(),
        _page(hit),
        hit.fields.title,
        clean_line("".join(part.text for part in hit.snippet)),
    )


def _page(hit: ArchiveHit) -> str:
    if hit.page is None:
        return "-"
    return f"about {hit.page}" if hit.is_page_estimated else str(hit.page)


def _hit_as_json(hit: ArchiveHit) -> dict[str, object]:
    return {
        "document": hit.fields.ref,
        "title": hit.fields.title,
        "correspondent": hit.correspondent,
        "document_type": hit.document_type,
        "tags": hit.tags,
        "created": hit.fields.created,
        "page": hit.page,
        "page_estimated": hit.is_page_estimated,
        "snippet": [{"text": part.text, "match": part.is_match} for part in hit.snippet],
    }
