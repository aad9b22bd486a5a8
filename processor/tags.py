"""Plan changes of nested tags, and the tags that mark a finished document.

Paperless adds the ancestors of an added tag, and removes the descendants of a removed one. Each of
these is a change of its own, so that an undo restores exactly the previous tags.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from core.changes import RULE, Change, PlannedChange
from core.fields import FieldName, Name
from processor.names.catalogue import NamesInUse
from processor.reconcile import CurrentValues, tag_of

CAME_ALONG = "came_along"
"""Reason of a change that Paperless makes together with another."""


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
    """Return additions of the ancestors that Paperless adds along with the tags of `changes`."""
    added = (tag_of(change) for change in changes if change.after is not None)
    wanted = [tag.id for tag in added if tag is not None and tag.id is not None]
    covered = current.tag_ids.union(wanted)
    new = [tag for tag in wanted if tag not in current.tag_ids]
    above = {id_: None for tag in new for id_ in names.ancestors(tag) if id_ not in covered}
    tags = (names.get_name(FieldName.TAGS, id_) for id_ in above)
    return tuple(PlannedChange(FieldName.TAGS, None, tag, reasons=(CAME_ALONG,)) for tag in tags)


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
    return tuple(dict.fromkeys(id_ for tag in ids for id_ in (tag, *names.descendants(tag))))


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
