"""Nested tags, and their effect on the tags of a document."""

from collections.abc import Iterable, Mapping

from sandbox.paperless.records import Name

MAX_DEPTH = 5


def ancestors(tags: Mapping[int, Name], tag: int) -> list[int]:
    """Return the ancestors of a tag, nearest first."""
    found: list[int] = []
    parent = tags[tag].parent
    while parent is not None:
        found.append(parent)
        parent = tags[parent].parent
    return found


def descendants(tags: Mapping[int, Name], tag: int) -> set[int]:
    return {other for other in tags if tag in ancestors(tags, other)}


def height(tags: Mapping[int, Name], tag: int) -> int:
    """Return the number of levels from a tag to its lowest descendant, itself included."""
    own = len(ancestors(tags, tag))
    return 1 + max((len(ancestors(tags, low)) - own for low in descendants(tags, tag)), default=0)


def replaced(tags: Mapping[int, Name], before: set[int], sent: set[int]) -> set[int]:
    """Return a document's tags after PATCH.

    An added tag adds its ancestors. An omitted tag removes its descendants, even
    those that were sent: a document with a parent and its child loses both when only the child
    is sent again.
    """
    brought = with_ancestors(tags, sent - before)
    taken = {below for tag in before - sent for below in descendants(tags, tag)}
    return (sent | brought) - taken


def with_ancestors(tags: Mapping[int, Name], some: Iterable[int]) -> set[int]:
    return {found for tag in some for found in (tag, *ancestors(tags, tag))}


def with_descendants(tags: Mapping[int, Name], some: Iterable[int]) -> set[int]:
    return {found for tag in some for found in (tag, *descendants(tags, tag))}
