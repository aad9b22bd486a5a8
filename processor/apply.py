"""Write a document's changes: intents first, then one PATCH, then the facts."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from core.changes import RULE, Change, ChangeOutcome, ChangeState, PlannedChange
from processor.attempt import Attempt
from processor.instance import Instance
from processor.reconcile import ComparedChange, Comparison, reconcile, tag_of, write_target_of
from processor.tags import Marks, ancestors_to_add, ids_with_descendants, is_mark, plan_marks
from processor.writer import DocumentSnapshot, needs_new_name, run_uninterrupted


@dataclass(frozen=True, slots=True)
class WritePlan:
    """Changes to send after a fresh read, and changes that this read has settled."""

    send: tuple[Change, ...] = ()
    further: tuple[PlannedChange, ...] = ()
    """Changes to send that are not stored yet: ancestors of tags, and the marks."""
    outcomes: tuple[ChangeOutcome, ...] = ()
    is_finished: bool = False
    """Whether nothing on the document is left for review."""


async def apply_changes(
    attempt: Attempt, instance: Instance, changes: Iterable[Change]
) -> tuple[Change, ...]:
    """Write the intended changes and, if nothing is left for review, the marks.

    Return the settled changes. Raise the error of the write if a change is neither written nor
    settled otherwise.
    """
    intended = [change for change in changes if change.state is ChangeState.INTENDED]
    marks = await _find_marks(attempt, instance)
    if not intended and marks in (None, Marks()):
        return ()
    writer = instance.writer
    named = await writer.create_names(attempt.job, intended)
    reading = await writer.read(attempt.document.id, named)
    plan = plan_write(named, reading, marks)
    # Once the write has started, it is read back and stored even if a stop is requested.
    settled = await run_uninterrupted(_carry_out(attempt, instance, plan, reading))
    if instance.tags.remove and plan.is_finished and _all_tags_removed(settled):
        # A tag that a workflow puts back immediately must not look like a person's request.
        await attempt.store.documents.mark_trigger_removed(attempt.document, now=attempt.now())
    return settled


def plan_write(
    changes: Iterable[Change], reading: DocumentSnapshot, marks: Marks | None
) -> WritePlan:
    """Decide what to send, by what Paperless has; `marks` is None if something is for review.

    A conflict found now is also for review, and then the document is not marked.
    """
    compared = [_unless_nameless(one) for one in reconcile(changes, reading.current)]
    if any(one.comparison is Comparison.DIFFERS for one in compared):
        marks = None
    removed = frozenset(ids_with_descendants(marks.remove, reading.names)) if marks else frozenset()
    lost = [one for one in compared if _is_lost(one, removed)]
    send = [
        one.change
        for one in compared
        if one.comparison is Comparison.OPEN
        and one not in lost
        and (marks or not is_mark(one.change))
    ]
    return WritePlan(
        send=tuple(send),
        further=_further(send, reading, marks),
        outcomes=(*_settled_by_read(compared), *(_overridden(one) for one in lost)),
        is_finished=marks is not None,
    )


async def _find_marks(attempt: Attempt, instance: Instance) -> Marks | None:
    if await attempt.store.changes.list_for_review(document=attempt.document, limit=1):
        return None
    if not instance.tags.done | instance.tags.remove:
        return Marks()
    names = await instance.catalogue.names()
    return Marks(
        done=names.tags(names.tag_ids.one_per_name(instance.tags.done)),
        remove=names.tags(names.tag_ids.one_per_name(instance.tags.remove)),
    )


async def _carry_out(
    attempt: Attempt, instance: Instance, plan: WritePlan, reading: DocumentSnapshot
) -> tuple[Change, ...]:
    """Mark the write as begun, write, and store the result."""
    if not plan.send and not plan.further:
        return await attempt.store.changes.settle(attempt.job, plan.outcomes, now=attempt.now())
    begun = await attempt.store.changes.begin(
        attempt.job, plan.send, plan.further, decided_by=RULE, now=attempt.now()
    )
    result = await instance.writer.write(attempt.document.id, begun, reading)
    settled = await attempt.store.changes.settle(
        attempt.job, (*plan.outcomes, *result.outcomes), now=attempt.now()
    )
    result.raise_if_unwritten()
    return settled


def _further(
    send: Sequence[Change], reading: DocumentSnapshot, marks: Marks | None
) -> tuple[PlannedChange, ...]:
    """Return the changes that must accompany `send` and are not part of it."""
    current, names = reading.current, reading.names
    planned = plan_marks(current, names, marks) if marks else ()
    there = {write_target_of(change) for change in send}
    new = [one for one in planned if write_target_of(one) not in there]
    return (*new, *ancestors_to_add((*send, *new), current, names))


def _unless_nameless(one: ComparedChange) -> ComparedChange:
    """Return a change whose name was not created, as a conflict.

    Paperless had another value when the name would have been created.
    """
    is_open = one.comparison is Comparison.OPEN
    return (
        replace(one, comparison=Comparison.DIFFERS)
        if is_open and needs_new_name(one.change)
        else one
    )


def _is_lost(one: ComparedChange, removed: frozenset[int]) -> bool:
    """Return whether a tag to add is beneath a trigger tag and would be removed with it."""
    tag = tag_of(one.change)
    is_added = tag is not None and one.change.after is not None and tag.id in removed
    return is_added and one.comparison is Comparison.OPEN


def _settled_by_read(compared: Iterable[ComparedChange]) -> tuple[ChangeOutcome, ...]:
    return tuple(
        _applied(one) if one.comparison is Comparison.THERE else _conflict(one)
        for one in compared
        if one.comparison is not Comparison.OPEN
    )


def _applied(one: ComparedChange) -> ChangeOutcome:
    return ChangeOutcome(one.change.id, ChangeState.APPLIED, after=one.change.after)


def _conflict(one: ComparedChange) -> ChangeOutcome:
    return ChangeOutcome(
        one.change.id, ChangeState.CONFLICT, found=one.found, after=one.change.after
    )


def _overridden(one: ComparedChange) -> ChangeOutcome:
    return ChangeOutcome(
        one.change.id, ChangeState.OVERRIDDEN, found=one.found, after=one.change.after
    )


def _all_tags_removed(changes: Iterable[Change]) -> bool:
    taken = [change for change in changes if change.after is None and tag_of(change)]
    return all(change.state is ChangeState.APPLIED for change in taken)
