"""`history` and `undo`: what was written, and how to take it back."""

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date

from actions import undo as undoing
from actions.history import export_history_csv
from actions.undo import DocumentUndoPreview, UndoRequest, build_cause, list_written
from core.calendar import day_range
from core.changes import Change, ChangeState
from core.documents import DocumentRef
from core.jobs import Job, JobStatus
from daemon.cli.exits import Exit
from daemon.cli.options import Options
from daemon.cli.output import console, format_local, plural, print_json, print_table
from daemon.cli.progress import back_line, kept_line
from daemon.context import Context, open_context
from daemon.drain import process_queued
from daemon.services import open_services
from i18n.labels import change_label, field_label, state_details
from store import DONE_TO_PAPERLESS, HistoryFilter, OpenMode, Store

_SHOWN = 50
"""Lines on a terminal, if nobody says how many."""
_ASK_ABOVE = 10
"""Number of fields that are undone without asking."""


@dataclass(frozen=True, slots=True)
class UndoCause:
    """What the changes to be taken back have in common, as it was typed."""

    since: date | None = None
    until: date | None = None
    """This day is the last."""
    model: str | None = None
    prompt_version: str | None = None


@dataclass(frozen=True, slots=True)
class UndoArguments:
    """What was typed after `undo`."""

    changes: tuple[int, ...]
    document: DocumentRef | None
    job: int | None
    scan: int | None
    cause: UndoCause

    def within(self, memory: Context) -> UndoRequest:
        """Turn the owner's days into moments; raise AskedWrongly if not exactly one was said."""
        typed = self.cause
        cause = build_cause(
            typed.since,
            typed.until,
            model=typed.model,
            prompt_version=typed.prompt_version,
            zone=memory.zone,
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


@dataclass(frozen=True, slots=True)
class HistoryArguments:
    """Which part of the history to show, as it was typed."""

    name: str | None
    document: DocumentRef | None
    since: date | None
    states: frozenset[ChangeState] = DONE_TO_PAPERLESS
    limit: int | None = None

    def within(self, memory: Context) -> HistoryFilter:
        """Turn the owner's days into moments."""
        instance = memory.select_instances(self.name)[0] if self.name else None
        since, _ = day_range(self.since, None, memory.zone)
        return HistoryFilter(instance, self.document, since=since, states=self.states)


async def export_history(options: Options, looked: HistoryArguments) -> Exit:
    """Write the whole of it as a table for a spreadsheet, or so many lines of it."""
    async with open_context(options, opening=OpenMode.LOOK) as memory:
        async for lines in export_history_csv(memory.caller, looked.within(memory), looked.limit):
            sys.stdout.write(lines.replace("\r\n", "\n"))
        return Exit.OK


async def show_history(options: Options, looked: HistoryArguments, *, as_json: bool) -> Exit:
    """Show what was written or rejected, newest first."""
    async with open_context(options, opening=OpenMode.LOOK) as memory:
        limit = _SHOWN if looked.limit is None else looked.limit
        changes = await memory.store.changes.list_history(looked.within(memory), limit)
        if as_json:
            print_json(changes)
        elif not changes:
            written = looked.states == DONE_TO_PAPERLESS
            console().print(f"nothing was {'written' if written else 'rejected'} yet")
        else:
            rows = [_columns(change, memory) for change in changes]
            print_table(tuple(rows[0]), (tuple(row.values()) for row in rows))
        return Exit.OK


async def preview(options: Options, typed: UndoArguments) -> Exit:
    """Say what an undo would do; write nothing."""
    async with open_context(options, opening=OpenMode.LOOK) as memory:
        changes = await list_written(memory.caller, typed.within(memory))
        async with open_services(
            memory, {change.document.instance for change in changes}
        ) as services:
            told = await undoing.preview(services.caller, changes)
    for one in told:
        console().print(str(one.document))
        for change in one.preview.back:
            console().print(back_line(change))
        for change in one.preview.kept:
            console().print(kept_line(change))
    back, kept = (sum(map(len, piles)) for piles in zip(*map(_piles, told), strict=True))
    console().print(f"{plural(back, 'field')} would go back to the value before, {kept} kept")
    return Exit.OK


def _piles(one: DocumentUndoPreview) -> tuple[Sequence[Change], Sequence[Change]]:
    return one.preview.back, one.preview.kept


async def extent_of(options: Options, typed: UndoArguments) -> Extent:
    """Return which changes an undo covers; raise NothingToUndo."""
    async with open_context(options, opening=OpenMode.LOOK) as memory:
        changes = await list_written(memory.caller, typed.within(memory))
    documents = {change.document for change in changes}
    return Extent(frozenset(change.id for change in changes), len(documents))


async def undo(options: Options, typed: UndoArguments, extent: Extent) -> Exit:
    """Undo changes, except those that someone changed since.

    Changes written after `extent` was counted are not undone: nobody confirmed them.
    """
    async with open_context(options) as memory:
        found = await list_written(memory.caller, typed.within(memory))
        changes = [change for change in found if change.id in extent.changes]
        async with open_services(
            memory, {change.document.instance for change in changes}
        ) as services:
            queued = await undoing.undo(services.caller, changes)
            ended = await process_queued(services, queued)
        await _sum_up(memory.store, queued.jobs, changes)
    return ended


async def _sum_up(store: Store, jobs: Iterable[Job], changes: Iterable[Change]) -> None:
    """Count what went back; of a document whose undo is still to come nothing is said."""
    now = [await store.jobs.get(job.id) for job in jobs]
    settled = {job.document for job in now if job.status is JobStatus.COMPLETED}
    after = await store.changes.list_by_ids([c.id for c in changes if c.document in settled])
    if not after:
        return
    undone = sum(change.state is ChangeState.UNDONE for change in after)
    kept = len(after) - undone
    said = f"{plural(undone, 'field')} went back to the value before"
    console().print(f"{said}, {kept} kept" if kept else said)


def _columns(change: Change, memory: Context) -> dict[str, str]:
    """Return the cells of a change by column heading, from left to right."""
    return {
        "change": str(change.id),
        "job": str(change.job_id),
        "when": format_local(change.settled_at, memory.zone),
        "document": str(change.document),
        "field": field_label(change.field),
        "value": change_label(change),
        "state": _describe_state(change, memory),
    }


def _describe_state(change: Change, memory: Context) -> str:
    """Return the state of a change, with the time if it was undone or changed since."""
    said, at = state_details(change), change.undone_at or change.changed_seen_at
    return said if at is None else f"{said} ({format_local(at, memory.zone)})"
