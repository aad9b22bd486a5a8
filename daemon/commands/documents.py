"""`explain`, `ignore`, `unignore`: why a document is (not) processed, and how to change that."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from actions import documents
from core.changes import Change
from core.documents import DocumentRef
from core.jobs import Job
from core.scans import SkipReason
from core.text import clean_line
from daemon.cli.exits import Exit
from daemon.cli.options import Options
from daemon.cli.output import console, format_local, plural, print_json
from daemon.cli.progress import story_lines
from daemon.context import Context, open_context
from i18n.labels import SKIPS
from paperless_client import OutageSuspected


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a document is, or is not, selected, as `--json` gives it."""

    document: DocumentRef
    title: str
    selected: bool
    reason: SkipReason | None
    jobs: tuple[Job, ...]
    changes: tuple[Change, ...]


async def explain(options: Options, ref: DocumentRef, *, as_json: bool) -> Exit:
    """Say what a scan would do with a document at this moment, and what was done with it."""
    from daemon.services import open_services  # noqa: PLC0415 - brings the slow model SDK

    async with (
        open_context(options) as memory,
        open_services(memory, memory.select_instances(ref.instance)) as services,
    ):
        summary, reason = await services.scanners[ref.instance].explain(ref.id)
        life = await documents.get_document_history(memory.caller, ref)
        told = Explanation(ref, summary.title, reason is None, reason, life.jobs, life.changes)
        if as_json:
            print_json(told)
            return Exit.OK
        verdict = "a scan would select it" if reason is None else f"it {SKIPS[reason]}"
        console().print(f"{ref}  {clean_line(summary.title)}\n    {verdict}")
        for job in life.jobs:
            when = format_local(job.created_at, memory.zone)
            console().print(f"    job {job.id}: {job.kind}, {job.status}, {when}")
        for line in story_lines(life.changes, life.last_analysis):
            console().print(line)
        return Exit.OK


async def ignore(options: Options, refs: Sequence[DocumentRef]) -> Exit:
    """Leave documents alone from here on."""
    async with open_context(options) as memory:
        await _require_documents(memory, refs)
        for ref in refs:
            await documents.ignore(memory.caller, ref)
            console().print(f"{ref} is ignored")
        return Exit.OK


async def _require_documents(memory: Context, refs: Sequence[DocumentRef]) -> None:
    """Raise DocumentGone if Paperless does not have one of the documents.

    Documents that were processed before are not checked, nor any while Paperless is unreachable.
    """
    from daemon.services import open_services  # noqa: PLC0415 - brings the slow model SDK

    names = {name for ref in refs for name in memory.select_instances(ref.instance)}
    unknown = [ref for ref in refs if await memory.store.documents.get(ref) is None]
    if not unknown:
        return
    async with open_services(memory, names) as services:
        for ref in unknown:
            with suppress(OutageSuspected):
                await services.instances[ref.instance].paperless.fetch_summary(ref.id)


async def unignore(options: Options, refs: Sequence[DocumentRef]) -> Exit:
    """Take that back."""
    async with open_context(options) as memory:
        for ref in refs:
            memory.select_instances(ref.instance)
            known = await documents.unignore(memory.caller, ref)
            stands = f"it is {known.state}" if known else "the next scan may select it"
            console().print(f"{ref} is not ignored any more; {stands}")
            if waiting := await memory.store.changes.list_for_review(document=ref):
                console().print(f"    {plural(len(waiting), 'suggestion')} returned to review")
        return Exit.OK
