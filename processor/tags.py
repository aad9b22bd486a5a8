"""What Paperless does with nested tags when one is added or taken away, told beforehand.

Adding a tag adds those above it, taking one away takes those beneath it. Each of these is a change
of its own, so that an undo puts back exactly what there was.
"""

from collections.abc import Iterable, Iterator

from core.changes import Change, PlannedChange
from core.fields import FieldName, Name
from processor.catalogue import NamesInUse
from processor.current import Current
from processor.reconcile import tag_of

CAME_ALONG = "came_along"
"""Reason of a change that Paperless makes by itself along with another."""


def any_is_nested(changes: Iterable[Change], names: NamesInUse) -> bool:
    """Tell whether a tag that `changes` add stands beneath another."""
    return any(names.parents.get(tag.id) for tag in _tags(changes) if tag.id is not None)


def ancestors_to_add(
    changes: Iterable[Change], current: Current, names: NamesInUse
) -> tuple[PlannedChange, ...]:
    """Return the tags that come along when `changes` add theirs."""
    wanted = [tag.id for tag in _tags(changes) if tag.id is not None]
    covered = current.tag_ids.union(wanted)
    new = [tag for tag in wanted if tag not in current.tag_ids]
    above = {one: None for tag in new for one in names.ancestors(tag) if one not in covered}
    return tuple(_addition(names.named(FieldName.TAGS, one)) for one in above)


def plan_marks(
    current: Current, names: NamesInUse, *, done: Iterable[Name], remove: Iterable[Name]
) -> tuple[PlannedChange, ...]:
    """Return the changes that mark a document as finished: done tag on, trigger tags off."""
    marks = [
        PlannedChange(FieldName.TAGS, None, tag) for tag in done if tag.id not in current.tag_ids
    ]
    gone = {
        below: None for tag in remove if tag.id for below in (tag.id, *names.descendants(tag.id))
    }
    marks += [
        PlannedChange(FieldName.TAGS, names.named(FieldName.TAGS, tag), None)
        for tag in gone
        if tag in current.tag_ids
    ]
    return tuple(marks)


def removable(changes: Iterable[Change], current: Current, names: NamesInUse) -> Iterator[Change]:
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


def _tags(changes: Iterable[Change]) -> list[Name]:
    return [tag for change in changes if change.after is not None and (tag := tag_of(change))]


def _addition(tag: Name | None) -> PlannedChange:
    return PlannedChange(FieldName.TAGS, None, tag, reasons=(CAME_ALONG,))
