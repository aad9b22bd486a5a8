"""`history` and `undo`: what was written, and how to take it back."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import groupby

from core.changes import Cause, Change, ChangeState
from core.days import start_of
from core.documents import DocumentRef
from core.jobs import UNDO, Job, JobStatus, NewJob, Priority
from daemon.drain import work_on
from daemon.exits import Exit, UsageError
from daemon.lines import back_line, kept_line
from daemon.memory import Memory, Options, open_memory
from daemon.output import console, local, plural, print_json, print_table
from daemon.wiring import Clerk, open_clerk
from processor.undo import newest_first, preview_undo
from processor.words import change_words, field_words, standing_words
from store import HistoryFilter, Store


@dataclass(frozen=True, slots=True)
class UndoRequest:
    """What is to be taken back; exactly one of these is given."""

    changes: tuple[int, ...] = ()
    document: DocumentRef | None = None
    job: int | None = None
    scan: int | None = None
    cause: "UndoCause | None" = None

    def __post_init__(self) -> None:
        given = [self.changes or None, self.document, self.job, self.scan, self.cause]
        if sum(one is not None for one in given) != 1:
            raise UsageError(
                "say what to undo: CHANGE numbers, --document, --job, --scan, "
                "or a cause (--since, --until, --model, --prompt)"
            )


@dataclass(frozen=True, slots=True)
class UndoCause:
    """What the changes to be taken back have in common."""

    since: date | None = None
    until: date | None = None
    """This day is the last."""
    model: str | None = None
    prompt_version: str | None = None

    def within(self, memory: Memory) -> Cause:
        """Turn the owner's days into moments."""
        after = self.until + timedelta(days=1) if self.until else None
        return Cause(
            _start_of(self.since, memory),
            _start_of(after, memory),
            self.model,
            self.prompt_version,
        )


async def show_history(
    options: Options,
    *,
    name: str | None,
    document: DocumentRef | None,
    since: date | None,
    limit: int,
    as_json: bool,
) -> Exit:
    """Show what was written, newest first."""
    async with open_memory(options) as memory:
        instance = memory.chosen(name)[0] if name else None
        wanted = HistoryFilter(instance, document, since=_start_of(since, memory))
        changes = await memory.store.changes.history(wanted, limit)
        if as_json:
            print_json(changes)
        elif not changes:
            console().print("nothing was written yet")
        else:
            headings = ("change", "job", "when", "document", "field", "", "")
            print_table(headings, (_row(change, memory) for change in changes))
        return Exit.OK


async def preview(options: Options, request: UndoRequest) -> Exit:
    """Say what an undo would do; write nothing."""
    async with open_memory(options) as memory:
        changes = await _applied(memory, request)
        async with open_clerk(memory, {change.document.instance for change in changes}) as clerk:
            back, kept = 0, 0
            for ref, of_it in _by_document(changes):
                told = await preview_undo(clerk.instances[ref.instance], ref.id, of_it)
                console().print(str(ref))
                for change in told.back:
                    console().print(back_line(change))
                for change in told.kept:
                    console().print(kept_line(change))
                back, kept = back + len(told.back), kept + len(told.kept)
    console().print(f"{plural(back, 'field')} would go back to the value before, {kept} kept")
    return Exit.OK


async def undo(options: Options, request: UndoRequest) -> Exit:
    """Take changes back, except what someone changed since."""
    async with open_memory(options) as memory:
        changes = await _applied(memory, request)
        async with open_clerk(memory, {change.document.instance for change in changes}) as clerk:
            jobs = [await _enqueue(clerk, ref, of_it) for ref, of_it in _by_document(changes)]
            ended = await work_on(clerk, jobs)
        await _sum_up(memory.store, jobs, changes)
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


async def _applied(memory: Memory, request: UndoRequest) -> list[Change]:
    changes = newest_first(await _meant(memory, request))
    if not changes:
        raise UsageError("there is nothing to take back")
    return changes


async def _meant(memory: Memory, request: UndoRequest) -> Sequence[Change]:
    store = memory.store
    if request.cause is not None:
        return await store.changes.by_cause(request.cause.within(memory))
    if request.document is not None:
        return await store.changes.of_document(request.document)
    if request.job is not None:
        await store.jobs.get(request.job)
        return await store.changes.of_job(request.job)
    if request.scan is not None:
        await store.scans.get(request.scan)
        return await store.changes.of_scan(request.scan)
    return [await store.changes.get(id_) for id_ in request.changes]


async def _enqueue(clerk: Clerk, ref: DocumentRef, changes: Iterable[Change]) -> Job:
    wanted = NewJob(
        ref,
        UNDO,
        Priority.BY_HAND,
        asked_by="hand",
        max_attempts=clerk.instances[ref.instance].retry.max_attempts,
        payload={"changes": [change.id for change in changes]},
    )
    job = await clerk.store.jobs.enqueue(wanted, now=clerk.memory.clock())
    if job is None:
        raise UsageError(f"an undo of {ref} is in the queue already")
    return job


def _by_document(changes: Iterable[Change]) -> list[tuple[DocumentRef, list[Change]]]:
    ordered = sorted(changes, key=lambda change: change.document)
    return [(ref, list(of_it)) for ref, of_it in groupby(ordered, key=lambda c: c.document)]


def _row(change: Change, memory: Memory) -> tuple[str, ...]:
    return (
        str(change.id),
        str(change.job_id),
        local(change.settled_at, memory.zone),
        str(change.document),
        field_words(change.field),
        change_words(change),
        standing_words(change),
    )


def _start_of(day: date | None, memory: Memory) -> datetime | None:
    return None if day is None else start_of(day, memory.zone)
