"""`history`, `export` and `undo`: show written changes, export them, and undo them."""

# ruff: noqa: PLR0913, PLR0917 - a parameter for each option

import sys
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from core.changes import Change, ChangeState
from core.documents import DocumentRef
from core.jobs import Job, JobStatus
from daemon.cli.app import app
from daemon.cli.arguments import (
    FLAG,
    AsJson,
    Instance,
    Options,
    Since,
    Until,
    parse_document,
    parse_number,
)
from daemon.cli.exits import Exit, UsageError, async_command, result_of, run
from daemon.cli.session import open_context, open_context_for_reading
from daemon.cli.terminal import confirm, console, format_local, plural, print_json, print_table
from i18n.labels import change_label, field_label, state_details

if TYPE_CHECKING:
    from actions.undo import UndoRequest
    from daemon.context import Context
    from store import Store

_SHOWN = 50
"""Number of changes shown on a terminal without --limit."""
_ASK_ABOVE = 10
"""Number of fields that are undone without asking."""
_FORMATS = (".csv", ".json")


@dataclass(frozen=True, slots=True)
class UndoCause:
    """What the changes to be undone have in common, as it was typed."""

    since: date | None = None
    until: date | None = None
    """Last day, inclusive."""
    model: str | None = None
    prompt_version: str | None = None


@dataclass(frozen=True, slots=True)
class UndoArguments:
    """The arguments of `undo`."""

    changes: tuple[int, ...]
    document: DocumentRef | None
    job: int | None
    scan: int | None
    cause: UndoCause

    def to_request(self, context: "Context") -> "UndoRequest":
        """Convert days to times; raise InvalidRequest unless exactly one kind was given."""
        from actions.undo import UndoRequest, build_cause

        cause = build_cause(
            self.cause.since,
            self.cause.until,
            model=self.cause.model,
            prompt_version=self.cause.prompt_version,
            zone=context.zone,
        )
        return UndoRequest(self.changes, self.document, self.job, self.scan, cause)


@dataclass(frozen=True, slots=True)
class Extent:
    """The changes that an undo covers, counted before it starts."""

    changes: frozenset[int]
    documents: int

    @property
    def is_large(self) -> bool:
        return len(self.changes) > _ASK_ABOVE

    def __str__(self) -> str:
        return f"{plural(len(self.changes), 'field')} of {plural(self.documents, 'document')}"


@app.command("history")
@async_command
async def history(
    ctx: typer.Context,
    name: Instance = None,
    document: Annotated[
        str, typer.Option(metavar="NAME/ID", help="Only changes of this document.")
    ] = "",
    since: Since = None,
    rejected: Annotated[
        bool, typer.Option("--rejected", metavar=FLAG, help="Show rejected suggestions instead.")
    ] = False,
    limit: Annotated[
        int | None,
        typer.Option(
            parser=parse_number,
            metavar="N",
            help="Show at most this many; default: 50, CSV: all.",
        ),
    ] = None,
    as_json: AsJson = False,
    as_csv: Annotated[
        bool, typer.Option("--csv", metavar=FLAG, help="Print CSV for a spreadsheet.")
    ] = False,
) -> Exit:
    """List what was written, newest first."""
    from actions.history import export_history_csv
    from core.calendar import day_range
    from store import DONE_TO_PAPERLESS, HistoryFilter

    if as_csv and as_json:
        raise typer.BadParameter("cannot be combined with --csv", param_hint="--json")
    ref = parse_document(document) if document else None
    states = frozenset({ChangeState.REJECTED}) if rejected else DONE_TO_PAPERLESS
    async with open_context_for_reading(ctx.obj) as context:
        instance = context.select_instances(name)[0] if name else None
        start, _ = day_range(since, None, context.zone)
        wanted = HistoryFilter(instance, ref, since=start, states=states)
        if as_csv:
            async for lines in export_history_csv(context.caller, wanted, limit):
                sys.stdout.write(lines.replace("\r\n", "\n"))
            return Exit.OK
        changes = await context.store.changes.list_history(wanted, limit or _SHOWN)
        if as_json:
            print_json(changes)
        elif not changes:
            console().print(f"nothing was {'rejected' if rejected else 'written'} yet")
        else:
            rows = [_columns(change, context) for change in changes]
            print_table(tuple(rows[0]), (tuple(row.values()) for row in rows))
        return Exit.OK


@app.command("undo")
def undo(
    ctx: typer.Context,
    changes: Annotated[
        list[int] | None,
        typer.Argument(
            parser=parse_number, metavar="CHANGE", help="Numbers of changes, from `history`."
        ),
    ] = None,
    document: Annotated[
        str, typer.Option(metavar="NAME/ID", help="Everything written to it.")
    ] = "",
    job: Annotated[
        int | None,
        typer.Option(parser=parse_number, metavar="JOB", help="Everything this job wrote."),
    ] = None,
    scan: Annotated[
        int | None,
        typer.Option(
            parser=parse_number, metavar="SCAN", help="Everything that resulted from this scan."
        ),
    ] = None,
    since: Since = None,
    until: Until = None,
    model: Annotated[
        str | None, typer.Option(metavar="MODEL", help="What this model suggested.")
    ] = None,
    prompt: Annotated[
        str | None,
        typer.Option(metavar="VERSION", help="What this prompt version suggested; see `job`."),
    ] = None,
    preview: Annotated[
        bool,
        typer.Option("--preview", metavar=FLAG, help="Show what would be undone; write nothing."),
    ] = False,
    yes: Annotated[
        bool, typer.Option("--yes", "-y", metavar=FLAG, help="Do not ask before a large undo.")
    ] = False,
) -> None:
    """Undo changes, except fields that someone has edited since."""

    def arguments() -> UndoArguments:
        ref = parse_document(document) if document else None
        if since and until and since > until:
            raise UsageError("--since is later than --until")
        cause = UndoCause(since, until, model, prompt)
        if sum(map(bool, (changes, ref, job, scan, cause != UndoCause()))) != 1:
            raise UsageError(
                "specify what to undo: numbers of changes, --document, --job or --scan;"
                " or any of --since, --until, --model, --prompt"
            )
        return UndoArguments(tuple(changes or ()), ref, job, scan, cause)

    if preview:
        run(lambda: _preview(ctx.obj, arguments()))
    # The question is asked outside the event loop, where Ctrl-C ends it.
    extent = result_of(lambda: _count_changes(ctx.obj, arguments()))
    if extent.is_large and not yes:
        instead = "Add --yes to undo them, or --preview to see them first."
        confirm(f"Undo {extent}?", instead=instead)
    run(lambda: _undo(ctx.obj, arguments(), extent))


@app.command("export")
@async_command
async def export(
    ctx: typer.Context,
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="A new file that ends with .csv or .json.")
    ],
    name: Annotated[
        str | None, typer.Option("--instance", metavar="NAME", help="Only this instance.")
    ] = None,
    since: Since = None,
    until: Until = None,
) -> Exit:
    """Export everything that was written, undone or rejected, as CSV or JSON."""
    from actions.history import export_history_csv, export_history_json
    from core.calendar import day_range
    from core.changes import ChangeState
    from core.private_files import make_private_file
    from store import DONE_TO_PAPERLESS, HistoryFilter

    if file.suffix.lower() not in _FORMATS:
        raise UsageError(f"{file} must end with .csv or .json")
    if file.exists():
        raise UsageError(f"{file} exists already")
    async with open_context_for_reading(ctx.obj) as context:
        instance = context.select_instances(name)[0] if name else None
        start, end = day_range(since, until, context.zone)
        states = DONE_TO_PAPERLESS | {ChangeState.REJECTED}
        wanted = HistoryFilter(instance, since=start, until=end, states=states)
        is_csv = file.suffix.lower() == ".csv"
        export_history = export_history_csv if is_csv else export_history_json
        make_private_file(file)
        with file.open("w", encoding="utf-8", newline="") as target:
            async for lines in export_history(context.caller, wanted):
                target.write(lines)
    console().print(f"{file}: {file.stat().st_size / 1000:,.1f} kB")
    return Exit.OK


async def _preview(options: Options, arguments: UndoArguments) -> Exit:
    """Print what an undo would do; write nothing."""
    from actions import undo
    from actions.documents import get_titles
    from daemon.cli.progress import kept_line, undo_line, width_of
    from daemon.services import open_services

    async with open_context_for_reading(options) as context:
        changes = await undo.list_written(context.caller, arguments.to_request(context))
        names = {change.document.instance for change in changes}
        async with open_services(context, names) as services:
            documents = await undo.preview(services.caller, changes)
            titles = await get_titles(services.store, {change.document for change in changes})
    for document in documents:
        width = width_of([*document.preview.back, *document.preview.kept])
        console().print(f"{document.document}  {titles[document.document]}")
        for change in document.preview.back:
            console().print(undo_line(change, width))
        for change in document.preview.kept:
            console().print(kept_line(change, width))
    undone = sum(len(document.preview.back) for document in documents)
    kept = sum(len(document.preview.kept) for document in documents)
    console().print(f"{plural(undone, 'field')} would be undone, {kept} kept")
    return Exit.OK


async def _count_changes(options: Options, arguments: UndoArguments) -> Extent:
    """Return which changes an undo covers; raise NothingToUndo."""
    from actions.undo import list_written

    async with open_context_for_reading(options) as context:
        changes = await list_written(context.caller, arguments.to_request(context))
    documents = {change.document for change in changes}
    return Extent(frozenset(change.id for change in changes), len(documents))


async def _undo(options: Options, arguments: UndoArguments, extent: Extent) -> Exit:
    """Undo changes, except fields that someone has edited since.

    Changes written after `extent` was counted are not undone: nobody confirmed them.
    """
    from actions import undo
    from daemon.cli.progress import process_queued
    from daemon.services import open_services

    async with open_context(options) as context:
        found = await undo.list_written(context.caller, arguments.to_request(context))
        changes = [change for change in found if change.id in extent.changes]
        names = {change.document.instance for change in changes}
        async with open_services(context, names) as services:
            queued = await undo.undo(services.caller, changes)
            ended = await process_queued(services, queued)
        await _print_undone(context.store, queued.jobs, changes)
    return ended


async def _print_undone(store: "Store", jobs: Iterable[Job], changes: Iterable[Change]) -> None:
    """Print how many fields were undone; documents whose undo has not run yet do not count."""
    now = [await store.jobs.get(job.id) for job in jobs]
    completed = {job.document for job in now if job.status is JobStatus.COMPLETED}
    after = await store.changes.list_by_ids(
        [change.id for change in changes if change.document in completed]
    )
    if not after:
        return
    undone = sum(change.state is ChangeState.UNDONE for change in after)
    kept = len(after) - undone
    summary = f"{plural(undone, 'field')} undone"
    console().print(f"{summary}, {kept} kept" if kept else summary)


def _columns(change: Change, context: "Context") -> dict[str, str]:
    """Return the cells of a change by column heading, from left to right."""
    return {
        "change": str(change.id),
        "job": str(change.job_id),
        "when": format_local(change.settled_at, context.zone),
        "document": str(change.document),
        "field": field_label(change.field),
        "value": change_label(change),
        "state": _describe_state(change, context),
    }


def _describe_state(change: Change, context: "Context") -> str:
    """Return the state of a change, with the time if it was undone or changed since."""
    state, at = state_details(change), change.undone_at or change.changed_seen_at
    return state if at is None else f"{state} ({format_local(at, context.zone)})"
