"""Apply the changes of a document: store what is begun, write it, store the outcomes.

A model call may take minutes. Right before a write, settings and pauses are checked again, because
a person may have forbidden it in the meantime.

Paperless adds the ancestors of an added tag, and removes the descendants of a removed one. Each of
these is a change of its own, so that an undo restores exactly the previous tags.
"""

from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass, replace

from core.changes import RULE, Change, ChangeOutcome, ChangeState, PlannedChange
from core.fields import FieldName, Name
from core.holds import PAUSE_ALL, filter_holds, pause_target
from core.jobs import ANALYZE
from core.messages import message
from processor.attempt import Attempt
from processor.instance import Instance
from processor.names.catalogue import NamesInUse
from processor.reconcile import (
    ComparedChange,
    Comparison,
    CurrentValues,
    reconcile,
    tag_of,
    write_target_of,
)
from processor.verdict import DocumentExcluded, NotYet
from processor.writer import DocumentSnapshot, needs_new_name, run_uninterrupted

ADDED_BY_PAPERLESS = "came_along"
"""Reason of a change that Paperless makes together with another."""


@dataclass(frozen=True, slots=True)
class Marks:
    """Tags that are added to and removed from a finished document."""

    done: tuple[Name, ...] = ()
    remove: tuple[Name, ...] = ()


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
    if any(map(needs_new_name, intended)):
        await require_write_allowed(attempt, instance)
    named = await writer.create_names(attempt.job, intended)
    reading = await writer.read(attempt.document.id, named)
    plan = plan_write(named, reading, marks)
    if attempt.job.kind == ANALYZE:
        refuse_excluded(
            frozenset(reading.raw.fields.tags),
            reading.names,
            restrict_to_current(attempt, instance),
        )
    await require_write_allowed(attempt, instance)
    # Once the write has started, it is read back and stored even if a stop is requested.
    settled = await run_uninterrupted(_carry_out(attempt, instance, plan, reading))
    removed = [change for change in settled if change.after is None and tag_of(change)]
    are_removed = all(change.state is ChangeState.APPLIED for change in removed)
    if instance.tags.remove and plan.is_finished and are_removed:
        # A tag that a workflow puts back immediately must not look like a person's request.
        await attempt.store.documents.mark_trigger_removed(attempt.document, now=attempt.now())
    return settled


def plan_write(
    changes: Iterable[Change], reading: DocumentSnapshot, marks: Marks | None
) -> WritePlan:
    """Decide what to send, by what Paperless has; `marks` is None if something is for review.

    A conflict found now is also for review, and then the document is not marked.
    """
    compared_changes = [_refuse_nameless(c) for c in reconcile(changes, reading.current)]
    if any(compared.comparison is Comparison.DIFFERS for compared in compared_changes):
        marks = None
    removed = frozenset(ids_with_descendants(marks.remove, reading.names)) if marks else frozenset()
    lost = [compared for compared in compared_changes if _is_lost(compared, removed)]
    send = [
        compared.change
        for compared in compared_changes
        if compared.comparison is Comparison.OPEN
        and compared not in lost
        and (marks or not is_mark(compared.change))
    ]
    current, names = reading.current, reading.names
    sent = {write_target_of(change) for change in send}
    planned = plan_marks(current, names, marks) if marks else ()
    new = [change for change in planned if write_target_of(change) not in sent]
    return WritePlan(
        send=tuple(send),
        further=(*new, *ancestors_to_add((*send, *new), current, names)),
        outcomes=tuple(_settle_by_read(compared_changes, lost)),
        is_finished=marks is not None,
    )


def restrict_to_current(attempt: Attempt, instance: Instance) -> Instance:
    """Return the instance with the stricter of the settings that it had and the current ones.

    Raise NotYet if its settings were removed: the job waits until they are back.
    """
    current = attempt.get_current(instance)
    if current is None:
        raise NotYet(message("the settings file was removed"))
    return instance if current is instance else instance.restricted_by(current)


async def require_write_allowed(attempt: Attempt, instance: Instance) -> None:
    """Raise NotYet if the write must wait: for a resume, for settings, or for another plan.

    What a person decided does not depend on the modes.
    """
    allowed = restrict_to_current(attempt, instance)
    if attempt.job.kind == ANALYZE and allowed.policy != instance.policy:
        raise NotYet(message("the settings have changed"))
    targets = {PAUSE_ALL, pause_target(instance.name)}
    if pauses := filter_holds(await attempt.store.holds.list_active(), targets):
        raise NotYet(pauses[0].cause.message)


def refuse_excluded(tags: Set[int], names: NamesInUse, instance: Instance) -> None:
    """Raise DocumentExcluded if a document has an excluded tag."""
    excluded = names.tag_ids.all_ids(instance.tags.exclude)
    carried = [tag.name for tag in names.tags(excluded) if tag.id in tags]
    if carried:
        raise DocumentExcluded(message("has the excluded tag {tags}", tags=", ".join(carried)))


def is_mark(change: Change) -> bool:
    """Return whether a stored change marks a document as finished.

    No other automatic tag change is without evidence and without a reason.
    """
    is_ours = change.field is FieldName.TAGS and change.decided_by == RULE
    return is_ours and not change.evidence and not change.reasons


def plan_marks(
    current: CurrentValues, names: NamesInUse, marks: Marks
) -> tuple[PlannedChange, ...]:
    """Return the changes that mark a document as finished: done tag on, trigger tags off."""
    on = [tag for tag in marks.done if tag.id not in current.tag_ids]
    off = [tag for tag in ids_with_descendants(marks.remove, names) if tag in current.tag_ids]
    return (
        *(PlannedChange(FieldName.TAGS, None, tag) for tag in on),
        *(PlannedChange(FieldName.TAGS, names.get_name(FieldName.TAGS, tag), None) for tag in off),
    )


def ancestors_to_add(
    changes: Iterable[Change | PlannedChange], current: CurrentValues, names: NamesInUse
) -> tuple[PlannedChange, ...]:
    """Return additions of the ancestors that Paperless adds along with the tags of `changes`."""
    added = (tag_of(change) for change in changes if change.after is not None)
    wanted = [tag.id for tag in added if tag is not None and tag.id is not None]
    covered = current.tag_ids.union(wanted)
    new = [tag for tag in wanted if tag not in current.tag_ids]
    above = {id_: None for tag in new for id_ in names.ancestors(tag) if id_ not in covered}
    tags = (names.get_name(FieldName.TAGS, id_) for id_ in above)
    return tuple(
        PlannedChange(FieldName.TAGS, None, tag, reasons=(ADDED_BY_PAPERLESS,)) for tag in tags
    )


def ids_with_descendants(tags: Iterable[Name], names: NamesInUse) -> tuple[int, ...]:
    """Return the ids of `tags`, each followed by the tags beneath it, which change with it."""
    ids = [tag.id for tag in tags if tag.id]
    return tuple(dict.fromkeys(id_ for tag in ids for id_ in (tag, *names.descendants(tag))))


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


def _refuse_nameless(compared: ComparedChange) -> ComparedChange:
    """Turn an open change whose name was not created into a conflict.

    Paperless had another value when the name would have been created.
    """
    if compared.comparison is Comparison.OPEN and needs_new_name(compared.change):
        return replace(compared, comparison=Comparison.DIFFERS)
    return compared


def _is_lost(compared: ComparedChange, removed: frozenset[int]) -> bool:
    """Return whether a tag to add is beneath a trigger tag and would be removed with it."""
    tag = tag_of(compared.change)
    is_added = tag is not None and compared.change.after is not None and tag.id in removed
    return is_added and compared.comparison is Comparison.OPEN


def _settle_by_read(
    compared_changes: Iterable[ComparedChange], lost: Iterable[ComparedChange]
) -> Iterator[ChangeOutcome]:
    """Yield the outcomes of changes that are not sent: applied already, a conflict, or lost."""
    for compared in compared_changes:
        change, found = compared.change, compared.found
        if compared.comparison is Comparison.THERE:
            yield ChangeOutcome(change.id, ChangeState.APPLIED, after=change.after)
        elif compared.comparison is Comparison.DIFFERS:
            yield ChangeOutcome(change.id, ChangeState.CONFLICT, found=found, after=change.after)
    for compared in lost:
        change, found = compared.change, compared.found
        yield ChangeOutcome(change.id, ChangeState.OVERRIDDEN, found=found, after=change.after)
