"""`history` and `undo`: what was written, and how to take it back."""

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date

from actions import undo as undoing
from actions.history import history_csv
from actions.undo import Previewed, UndoRequest, cause_of_days, written
from core.calendar import span_of
from core.changes import Change, ChangeState
from core.documents import DocumentRef
from core.jobs import Job, JobStatus
from daemon.cli.exits import Exit
from daemon.cli.options import Options
from daemon.cli.output import console, local, plural, print_json, print_table
from daemon.cli.progress import back_line, kept_line
from daemon.context import Memory, open_memory
from daemon.drain import work_on_queued
from daemon.services import open_clerk
from i18n.labels import change_words, field_words, standing_words
from store import DONE_TO_PAPERLESS, HistoryFilter, Opening, Store

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
class Typed:
    """What was typed after `undo`."""

    changes: tuple[int, ...]
    document: DocumentRef | None
    job: int | None
    scan: int | None
    cause: UndoCause

    def within(self, memory: Memory) -> UndoRequest:
        """Turn the owner's days into moments; raise AskedWrongly if not exactly one was said."""
        typed = self.cause
        cause = cause_of_days(
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
class Looked:
    """Which part of the history to show, as it was typed."""

    name: str | None
    document: DocumentRef | None
    since: date | None
    states: frozenset[ChangeState] = DONE_TO_PAPERLESS
    limit: int | None = None

    def within(self, memory: Memory) -> HistoryFilter:
        """Turn the owner's days into moments."""
        instance = memory.chosen(self.name)[0] if self.name else None
        since, _ = span_of(self.since, None, memory.zone)
        return HistoryFilter(instance, self.document, since=since, states=self.states)


async def export_history(options: Options, looked: Looked) -> Exit:
    """Write the whole of it as a table for a spreadsheet, or so many lines of it."""
    async with open_memory(options, opening=Opening.LOOK) as memory:
        async for lines in history_csv(memory.caller, looked.within(memory), looked.limit):
            sys.stdout.write(lines.replace("\r\n", "\n"))
        return Exit.OK


async def show_history(options: Options, looked: Looked, *, as_json: bool) -> Exit:
    """Show what was written or rejected, newest first."""
    async with open_memory(options, opening=Opening.LOOK) as memory:
        limit = _SHOWN if looked.limit is None else looked.limit
        changes = await memory.store.changes.history(looked.within(memory), limit)
        if as_json:
            print_json(changes)
        elif not changes:
            written = looked.states == DONE_TO_PAPERLESS
            console().print(f"nothing was {'written' if written else 'rejected'} yet")
        else:
            rows = [_columns(change, memory) for change in changes]
            print_table(tuple(rows[0]), (tuple(row.values()) for row in rows))
        return Exit.OK


async def preview(options: Options, typed: Typed) -> Exit:
    """Say what an undo would do; write nothing."""
    async with open_memory(options, opening=Opening.LOOK) as memory:
        changes = await written(memory.caller, typed.within(memory))
        async with open_clerk(memory, {change.document.instance for change in changes}) as clerk:
            told = await undoing.preview(clerk.caller, changes)
    for one in told:
        console().print(str(one.document))
        for change in one.preview.back:
            console().print(back_line(change))
        for change in one.preview.kept:
            console().print(kept_line(change))
    back, kept = (sum(map(len, piles)) for piles in zip(*map(_piles, told), strict=True))
    console().print(f"{plural(back, 'field')} would go back to the value before, {kept} kept")
    return Exit.OK


def _piles(one: Previewed) -> tuple[Sequence[Change], Sequence[Change]]:
    return one.preview.back, one.preview.kept


async def extent_of(options: Options, typed: Typed) -> Extent:
    """Return which changes an undo covers; raise NothingToUndo."""
    async with open_memory(options, opening=Opening.LOOK) as memory:
        changes = await written(memory.caller, typed.within(memory))
    documents = {change.document for change in changes}
    return Extent(frozenset(change.id for change in changes), len(documents))


async def undo(options: Options, typed: Typed, extent: Extent) -> Exit:
    """Undo changes, except those that someone changed since.

    Changes written after `extent` was counted are not undone: nobody confirmed them.
    """
    async with open_memory(options) as memory:
        found = await written(memory.caller, typed.within(memory))
        changes = [change for change in found if change.id in extent.changes]
        async with open_clerk(memory, {change.document.instance for change in changes}) as clerk:
            queued = await undoing.undo(clerk.caller, changes)
            ended = await work_on_queued(clerk, queued)
        await _sum_up(memory.store, queued.jobs, changes)
    return ended


async def _sum_up(store: Store, jobs: Iterable[Job], changes: Iterable[Change]) -> None:
    """Count what went back; of a document whose undo is still to come nothing is said."""
    now = [await store.jobs.get(job.id) for job in jobs]
    settled = {job.document for job in now if job.status is JobStatus.COMPLETED}
    after = await store.changes.listed([c.id for c in changes if c.document in settled])
    if not after:
        return
    undone = sum(change.state is ChangeState.UNDONE for change in after)
    kept = len(after) - undone
    said = f"{plural(undone, 'field')} went back to the value before"
    console().print(f"{said}, {kept} kept" if kept else said)


def _columns(change: Change, memory: Memory) -> dict[str, str]:
    """Return the cells of a change by column heading, from left to right."""
    return {
        "change": str(change.id),
        "job": str(change.job_id),
        "when": local(change.settled_at, memory.zone),
        "document": str(change.document),
        "field": field_words(change.field),
        "value": change_words(change),
        "state": _standing(change, memory),
    }


def _standing(change: Change, memory: Memory) -> str:
    """Return the state of a change, with the time if it was undone or changed since."""
    said, at = standing_words(change), change.undone_at or change.changed_seen_at
    return said if at is None else f"{said} ({local(at, memory.zone)})"
