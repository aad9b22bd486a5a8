"""Take changes back, unless someone changed the value since."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from core.changes import Change, ChangeState, Outcome
from processor.attempt import Attempt
from processor.instance import Instance
from processor.reconcile import Compared, Standing, reconcile, tag_of
from processor.tags import removable
from processor.writer import Reading, uninterrupted


@dataclass(frozen=True, slots=True)
class UndoPreview:
    """What an undo of one document would do."""

    back: tuple[Change, ...]
    """Fields that go back to the value before, with what they have."""
    kept: tuple[Change, ...]
    """Fields that someone changed since."""


async def preview_undo(instance: Instance, document: int, changes: Iterable[Change]) -> UndoPreview:
    """Return what undoing `changes` of one document would do; write nothing."""
    applied = newest_first(changes)
    compared = compare_undo(applied, await instance.writer.read(document, applied))
    back = {one.change.id for one in compared if one.standing is not Standing.DIFFERS}
    return UndoPreview(
        back=tuple(change for change in applied if change.id in back),
        kept=tuple(change for change in applied if change.id not in back),
    )


async def take_back(
    attempt: Attempt, instance: Instance, changes: Iterable[Change]
) -> tuple[Change, ...]:
    """Write the value before where Paperless still has ours; return the changes that are undone.

    Raise what went wrong if something could be written and was not.
    """
    applied = newest_first(changes)
    if not applied:
        return ()
    reading = await instance.writer.read(attempt.document.id, applied)
    compared = compare_undo(applied, reading)
    return await uninterrupted(_carry_out(attempt, instance, compared, reading))


def compare_undo(applied: Sequence[Change], reading: Reading) -> tuple[Compared, ...]:
    """Compare applied changes, turned round, with what Paperless has.

    Tags that still have others beneath them are left out.
    """
    turned = [reverse(change) for change in applied]
    possible = removable(turned, reading.current, reading.names)
    return reconcile(possible, reading.current)


def newest_first(changes: Iterable[Change]) -> list[Change]:
    """Return the applied ones of `changes`, the newest first, as they must be taken back."""
    applied = (change for change in changes if change.state is ChangeState.APPLIED)
    return sorted(applied, key=lambda change: change.id, reverse=True)


def reverse(change: Change) -> Change:
    """Turn a change round."""
    return replace(change, before=change.after, after=change.before)


def undone(outcomes: Iterable[Outcome]) -> list[Outcome]:
    """Turn the outcomes of turned changes into those of an undo; the others stay applied."""
    done = (one for one in outcomes if one.state is ChangeState.APPLIED)
    return [Outcome(one.change_id, ChangeState.UNDONE) for one in done]


def puts_trigger_back(changes: Iterable[Change]) -> bool:
    """Tell whether taking `changes` back puts a tag on again that we had taken away."""
    return any(change.after is None and tag_of(change) for change in changes)


async def _carry_out(
    attempt: Attempt, instance: Instance, compared: Sequence[Compared], reading: Reading
) -> tuple[Change, ...]:
    there = [one.change.id for one in compared if one.standing is Standing.THERE]
    outcomes = [Outcome(id_, ChangeState.UNDONE) for id_ in there]
    send = [one.change for one in compared if one.standing is Standing.OPEN]
    if not send:
        return await attempt.store.changes.settle(attempt.job, outcomes, now=attempt.now())
    result = await instance.writer.write(attempt.document.id, send, reading)
    outcomes += undone(result.outcomes)
    settled = await attempt.store.changes.settle(attempt.job, outcomes, now=attempt.now())
    result.raise_if_unwritten()
    return settled
