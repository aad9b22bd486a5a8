"""Take changes back, unless someone changed the value since."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from core.changes import UNDOABLE, Change, ChangeState, Outcome
from core.jobs import Job
from processor.instance import Instance
from processor.reconcile import Standing, tag_of
from processor.tags import removable
from processor.writing import Ending, Written


@dataclass(frozen=True, slots=True)
class UndoPreview:
    """What an undo of one document would do."""

    back: tuple[Change, ...]
    """Fields that go back to the value before, with what they have."""
    kept: tuple[Change, ...]
    """Fields that someone changed since."""


async def preview_undo(instance: Instance, document: int, changes: Iterable[Change]) -> UndoPreview:
    """Say what taking `changes` of one document back would do; write nothing."""
    applied = newest_first(changes)
    possible = await _possible(instance, document, applied)
    compared = await instance.pen.compare(document, [reverse(change) for change in possible])
    back = {one.change.id for one in compared if one.standing is not Standing.DIFFERS}
    return UndoPreview(
        back=tuple(change for change in applied if change.id in back),
        kept=tuple(change for change in applied if change.id not in back),
    )


async def take_back(instance: Instance, job: Job, changes: Iterable[Change]) -> Written:
    """Write the value before where Paperless still has ours."""
    possible = await _possible(instance, job.document.id, newest_first(changes))
    return await instance.pen.carry_out(job, [reverse(change) for change in possible])


def undone(written: Written) -> list[Outcome]:
    """Return the changes that are taken back; the others stay applied."""
    done = (one for one in written.ended if one.ending is Ending.DONE)
    return [Outcome(one.change.id, ChangeState.UNDONE) for one in done]


def newest_first(changes: Iterable[Change]) -> list[Change]:
    """Return those of `changes` that can be undone, the newest first, as it must be done."""
    written = (change for change in changes if change.state in UNDOABLE)
    return sorted(written, key=lambda change: change.id, reverse=True)


def reverse(change: Change) -> Change:
    """Turn a change round."""
    return replace(change, before=change.after, after=change.before)


async def _possible(instance: Instance, document: int, applied: Sequence[Change]) -> list[Change]:
    """Leave out tags that still have others beneath them."""
    current = await instance.pen.current(document)
    names = await instance.catalogue.names()
    turned = removable([reverse(change) for change in applied], current, names)
    able = {change.id for change in turned}
    return [change for change in applied if change.id in able]


def puts_trigger_back(changes: Iterable[Change]) -> bool:
    """Tell whether taking `changes` back puts a tag on again that we had taken away."""
    return any(change.after is None and tag_of(change) for change in changes)
