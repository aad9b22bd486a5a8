"""Carry changes out with their intent recorded before, and the fact after."""

from collections.abc import Iterable, Sequence

from core.changes import RULE, Change, ChangeState, Outcome
from processor.attempt import Attempt
from processor.instance import Instance
from processor.tags import ancestors_to_add, any_is_nested, plan_marks
from processor.writing import Ended, Ending, Written

_STATES = {
    Ending.DONE: ChangeState.APPLIED,
    Ending.DIFFERED: ChangeState.CONFLICT,
    Ending.OVERRIDDEN: ChangeState.OVERRIDDEN,
}


async def apply_changes(
    attempt: Attempt, instance: Instance, changes: Iterable[Change]
) -> tuple[Change, ...]:
    """Write what is intended; return the changes as they ended.

    Raise what went wrong if something is neither written nor accounted for.
    """
    intended = [change for change in changes if change.state is ChangeState.INTENDED]
    if not intended:
        return ()
    intended += await _intend_ancestors(attempt, instance, intended)
    written = await instance.pen.carry_out(attempt.job, intended)
    settled = await attempt.store.changes.settle(
        attempt.job, outcomes_of(written), now=attempt.now()
    )
    if written.trouble and any(one.ending is Ending.UNWRITTEN for one in written.ended):
        raise written.trouble
    return settled


async def mark_if_finished(attempt: Attempt, instance: Instance) -> tuple[Change, ...]:
    """Put the done tag on and take the trigger tags off, once nothing waits for a person."""
    if not instance.tags.done | instance.tags.remove:
        return ()
    if await attempt.store.changes.waiting(document=attempt.document):
        return ()
    names = await instance.catalogue.names()
    marks = plan_marks(
        await instance.pen.current(attempt.document.id),
        names,
        done=names.tags(names.tag_ids.one_each(instance.tags.done)),
        remove=names.tags(names.tag_ids.one_each(instance.tags.remove)),
    )
    added = await attempt.store.changes.add(attempt.job, marks, decided_by=RULE, now=attempt.now())
    settled = await apply_changes(attempt, instance, added)
    # Where a workflow put the tag back at once, nobody may take it for a person's wish.
    if instance.tags.remove and _all_taken_off(settled):
        await attempt.store.documents.mark_trigger_removed(attempt.document, now=attempt.now())
    return settled


def _all_taken_off(marks: Iterable[Change]) -> bool:
    return all(mark.state is ChangeState.APPLIED for mark in marks if mark.after is None)


def outcomes_of(written: Written) -> list[Outcome]:
    """Say what became of each change; one that can be tried again stays as it is."""
    return [_outcome(one) for one in written.ended if one.ending is not Ending.UNWRITTEN]


def _outcome(one: Ended) -> Outcome:
    state = _STATES[one.ending]
    found = one.found if state is not ChangeState.APPLIED else None
    return Outcome(one.change.id, state, found=found, after=one.change.after)


async def _intend_ancestors(
    attempt: Attempt, instance: Instance, intended: Sequence[Change]
) -> tuple[Change, ...]:
    names = await instance.catalogue.names()
    if not any_is_nested(intended, names):
        return ()
    current = await instance.pen.current(attempt.document.id)
    along = ancestors_to_add(intended, current, names)
    return await attempt.store.changes.add(attempt.job, along, decided_by=RULE, now=attempt.now())
