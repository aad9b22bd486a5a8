"""What Paperless does with nested tags when one is added or taken away, told beforehand.

Adding a tag adds those above it, taking one away takes those beneath it. Each of these is a change
of its own, so that an undo puts back exactly what there was.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from core.changes import RULE, Change, PlannedChange
from core.fields import FieldName, Name
from processor.names.catalogue import NamesInUse
from processor.reconcile import CurrentValues, tag_of

CAME_ALONG = "came_along"
"""Reason of a change that Paperless makes by itself along with another."""


@dataclass(frozen=True, slots=True)
class Marks:
    """Tags that are added to and removed from a finished document."""

    done: tuple[Name, ...] = ()
    remove: tuple[Name, ...] = ()


def is_mark(change: Change) -> bool:
    """Return whether a stored change marks a document as finished.

    No other automatic tag change is without evidence and without a reason.
    """
    is_ours = change.field is FieldName.TAGS and change.decided_by == RULE
    return is_ours and not change.evidence and not change.reasons


def ancestors_to_add(
    changes: Iterable[Change | PlannedChange], current: CurrentValues, names: NamesInUse
) -> tuple[PlannedChange, ...]:
    """Return the tags that come along when `changes` add theirs."""
    wanted = [tag.id for tag in _tags(changes) if tag.id is not None]
    covered = current.tag_ids.union(wanted)
    new = [tag for tag in wanted if tag not in current.tag_ids]
    above = {one: None for tag in new for one in names.ancestors(tag) if one not in covered}
    return tuple(_addition(names.get_name(FieldName.TAGS, one)) for one in above)


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


def ids_with_descendants(tags: Iterable[Name], names: NamesInUse) -> tuple[int, ...]:
    """Return the ids of `tags`, each followed by the tags beneath it, which change with it."""
    ids = [tag.id for tag in tags if tag.id]
    return tuple(dict.fromkeys(one for tag in ids for one in (tag, *names.descendants(tag))))


def removable_changes(
    changes: Iterable[Change], current: CurrentValues, names: NamesInUse
) -> Iterator[Change]:
    """Yield the changes of an undo, without the tags that still have others beneath them.

    Taking such a tag away would take the ones beneath it too, which someone put there.
    """
    changes = tuple(changes)
    going = {tag.id for change in changes if change.after is None and (tag := tag_of(change))}
    for change in changes:
        tag = tag_of(change)
        takes_tag = tag is not None and change.after is None
        beneath = names.descendants(tag.id) if takes_tag and tag and tag.id else frozenset()
        if not (beneath & current.tag_ids) - going:
            yield change


def _tags(changes: Iterable[Change | PlannedChange]) -> list[Name]:
    return [tag for change in changes if change.after is not None and (tag := tag_of(change))]


def _addition(tag: Name | None) -> PlannedChange:
    return PlannedChange(FieldName.TAGS, None, tag, reasons=(CAME_ALONG,))
