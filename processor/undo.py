"""Undo written changes, except where someone changed the value since."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from core.changes import UNDOABLE, Change, ChangeOutcome, ChangeState
from processor.apply import require_write_allowed
from processor.attempt import Attempt
from processor.instance import Instance
from processor.names.catalogue import NamesInUse
from processor.reconcile import ComparedChange, Comparison, CurrentValues, reconcile, tag_of
from processor.writer import DocumentSnapshot, run_uninterrupted


@dataclass(frozen=True, slots=True)
class UndoPreview:
    """What an undo of one document would do."""

    back: tuple[Change, ...]
    """Changes whose previous value is restored."""
    kept: tuple[Change, ...]
    """Changes whose value someone changed since."""


async def preview_undo(instance: Instance, document: int, changes: Iterable[Change]) -> UndoPreview:
    """Return what an undo of `changes` of one document would do; write nothing."""
    applied = undoable_newest_first(changes)
    compared = compare_undo(applied, await instance.writer.read(document, applied))
    back = {c.change.id for c in compared if c.comparison is not Comparison.DIFFERS}
    return UndoPreview(
        back=tuple(change for change in applied if change.id in back),
        kept=tuple(change for change in applied if change.id not in back),
    )


async def undo_changes(
    attempt: Attempt, instance: Instance, changes: Iterable[Change]
) -> tuple[Change, ...]:
    """Restore the previous values where Paperless still has ours; return the undone changes.

    Raise the error of the write if a change could have been undone and was not.
    """
    applied = undoable_newest_first(changes)
    if not applied:
        return ()
    reading = await instance.writer.read(attempt.document.id, applied)
    compared = compare_undo(applied, reading)
    await require_write_allowed(attempt, instance)
    return await run_uninterrupted(_carry_out(attempt, instance, applied, compared, reading))


def compare_undo(
    applied: Sequence[Change], reading: DocumentSnapshot
) -> tuple[ComparedChange, ...]:
    """Compare the reversed applied changes with what Paperless has.

    Tags that still have tags beneath them are left out.
    """
    reversed_changes = [reverse_change(change) for change in applied]
    possible = removable_changes(reversed_changes, reading.current, reading.names)
    return reconcile(possible, reading.current)


def removable_changes(
    changes: Iterable[Change], current: CurrentValues, names: NamesInUse
) -> Iterator[Change]:
    """Yield the changes of an undo, without the tags that still have others beneath them.

    Removing such a tag would also remove the ones beneath it, which someone else added.
    """
    changes = tuple(changes)
    going = {tag.id for change in changes if change.after is None and (tag := tag_of(change))}
    for change in changes:
        tag = tag_of(change)
        takes_tag = tag is not None and change.after is None
        beneath = names.descendants(tag.id) if takes_tag and tag and tag.id else frozenset()
        if not (beneath & current.tag_ids) - going:
            yield change


def undoable_newest_first(changes: Iterable[Change]) -> list[Change]:
    """Return the undoable ones of `changes`, newest first, the order in which to undo them."""
    written = (change for change in changes if change.state in UNDOABLE)
    return sorted(written, key=lambda change: change.id, reverse=True)


def reverse_change(change: Change) -> Change:
    """Return the change from the value after to the value before."""
    return replace(change, before=change.after, after=change.before)


def outcome_of_undo(outcome: ChangeOutcome) -> ChangeOutcome:
    """Return the state of a change by the result of its reversed change."""
    is_back = outcome.state is ChangeState.APPLIED
    return ChangeOutcome(outcome.change_id, ChangeState.UNDONE if is_back else ChangeState.APPLIED)


def restores_trigger_tag(changes: Iterable[Change]) -> bool:
    """Return whether undoing `changes` adds a tag again that we had removed."""
    return any(change.after is None and tag_of(change) for change in changes)


async def _carry_out(
    attempt: Attempt,
    instance: Instance,
    applied: Sequence[Change],
    compared: Sequence[ComparedChange],
    reading: DocumentSnapshot,
) -> tuple[Change, ...]:
    """Mark the undo as begun, write, and store the result."""
    store, job = attempt.store.changes, attempt.job
    there = [c.change.id for c in compared if c.comparison is Comparison.THERE]
    outcomes = [ChangeOutcome(id_, ChangeState.UNDONE) for id_ in there]
    send = {c.change.id: c.change for c in compared if c.comparison is Comparison.OPEN}
    if not send:
        return await store.settle(job, outcomes, now=attempt.now())
    begun = [change for change in applied if change.id in send]
    await store.begin_undo(job, begun, now=attempt.now())
    result = await instance.writer.write(attempt.document.id, list(send.values()), reading)
    outcomes += map(outcome_of_undo, result.outcomes)
    settled = await store.settle(job, outcomes, now=attempt.now())
    result.raise_if_unwritten()
    return tuple(change for change in settled if change.state is ChangeState.UNDONE)
