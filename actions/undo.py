"""Select written changes, preview their undo, and request it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, tzinfo
from itertools import groupby

from actions.caller import Caller
from actions.errors import InvalidRequest, NothingToUndo
from actions.jobs import EnqueueResult
from core.calendar import day_range
from core.changes import Change, ChangeFilter
from core.documents import DocumentRef
from core.jobs import UNDO, Job, NewJob, Priority
from core.messages import message
from processor.undo import UndoPreview, preview_undo, undoable_newest_first
from store import AlreadyQueued, StoreError


@dataclass(frozen=True, slots=True)
class UndoRequest:
    """What to undo; exactly one field is set."""

    changes: tuple[int, ...] = ()
    document: DocumentRef | None = None
    job: int | None = None
    scan: int | None = None
    cause: ChangeFilter | None = None

    def __post_init__(self) -> None:
        given = [self.changes or None, self.document, self.job, self.scan, self.cause]
        if sum(target is not None for target in given) != 1:
            raise InvalidRequest(
                message(
                    "specify exactly one: changes, a document, a job, a scan, or a selection by "
                    "days, model and prompt version"
                )
            )


@dataclass(frozen=True, slots=True)
class DocumentUndoPreview:
    """What an undo would do to one document."""

    document: DocumentRef
    preview: UndoPreview


def build_cause(
    since: date | None,
    until: date | None,
    *,
    model: str | None,
    prompt_version: str | None,
    zone: tzinfo | None,
) -> ChangeFilter | None:
    """Build a filter from days in the owner's time zone, both inclusive; None if all is empty."""
    cause = ChangeFilter(*day_range(since, until, zone), model, prompt_version)
    return None if cause == ChangeFilter() else cause


async def list_written(caller: Caller, request: UndoRequest) -> list[Change]:
    """Return the requested changes that can be undone, newest first; raise NothingToUndo."""
    found = await _find_changes(caller, request)
    changes = undoable_newest_first(
        change for change in found if caller.can_see(change.document.instance)
    )
    if not changes:
        raise NothingToUndo
    return changes


async def preview(caller: Caller, changes: Iterable[Change]) -> tuple[DocumentUndoPreview, ...]:
    """Return what an undo of these changes would do; write nothing."""
    previews = []
    for ref, of_document in _group_by_document(changes):
        instance = caller.get_instance(ref.instance)
        undone = await preview_undo(instance, ref.id, of_document)
        previews.append(DocumentUndoPreview(ref, undone))
    return tuple(previews)


async def undo(caller: Caller, changes: Iterable[Change]) -> EnqueueResult:
    """Enqueue an undo job for each document of these changes.

    Documents whose undo is already queued are skipped. Raise AlreadyQueued if all of them are.
    """
    documents = _group_by_document(changes)
    for ref, _ in documents:
        caller.require_instance(ref.instance)
    jobs: list[Job] = []
    refused: list[StoreError] = []
    for ref, of_document in documents:
        job = await _enqueue(caller, ref, of_document)
        if job is None:
            refused.append(AlreadyQueued(ref, kind=UNDO))
        else:
            jobs.append(job)
    return EnqueueResult(tuple(jobs), tuple(refused)).raise_if_refused()


async def _find_changes(caller: Caller, request: UndoRequest) -> Sequence[Change]:
    changes = caller.store.changes
    if request.cause is not None:
        return await changes.list_applied(request.cause)
    if request.document is not None:
        return await changes.list_for_document(request.document)
    if request.job is not None:
        found = await changes.list_for_job(request.job)
        if not any(caller.can_see(change.document.instance) for change in found):
            # Changes outlive their job; without any that can be seen, the job must be there.
            await caller.get_job(request.job)
        return found
    if request.scan is not None:
        return await changes.list_for_scan((await caller.get_scan(request.scan)).id)
    return [await caller.get_change(id_) for id_ in request.changes]


async def _enqueue(caller: Caller, ref: DocumentRef, changes: Iterable[Change]) -> Job | None:
    wanted = NewJob(
        ref,
        UNDO,
        Priority.BY_HAND,
        asked_by=caller.by,
        max_attempts=caller.max_attempts(ref),
        payload={"changes": [change.id for change in changes]},
    )
    return await caller.store.jobs.enqueue(wanted, now=caller.now())


def _group_by_document(changes: Iterable[Change]) -> list[tuple[DocumentRef, list[Change]]]:
    ordered = sorted(changes, key=lambda change: change.document)
    return [(ref, list(group)) for ref, group in groupby(ordered, key=lambda c: c.document)]
