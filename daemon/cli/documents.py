"""`explain`, `ignore`, `unignore`: why a document is (not) processed, and how to change that."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

import typer

from core.changes import Change
from core.documents import DocumentRef
from core.jobs import Job, JobStatus
from core.scans import SkipReason
from core.text import clean_line
from daemon.cli import parsing
from daemon.cli.app import app
from daemon.cli.arguments import AsJson, Document, Documents
from daemon.cli.exits import Exit, async_command
from daemon.cli.holds import describe_hold, holds_on
from daemon.cli.output import console, english_labels, format_local, plural, print_json
from daemon.cli.session import open_context, open_services
from i18n.labels import SKIPS

if TYPE_CHECKING:
    from daemon.context import Context


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

    ref = parsing.document(document)
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
            job.id: holds_on(job, services.instances[ref.instance], active)
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

    refs = parsing.documents(names)
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
        for ref in parsing.documents(names):
            context.select_instances(ref.instance)
            known = await documents.unignore(context.caller, ref)
            state = f"it is {known.state}" if known else "the next scan may select it"
            console().print(f"{ref} is no longer ignored; {state}")
            if waiting := await context.store.changes.list_for_review(document=ref):
                console().print(f"    {plural(len(waiting), 'suggestion')} returned to review")
        return Exit.OK


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
