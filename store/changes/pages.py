"""Pages of changes: full as long as there are more, also where some cannot be read."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeAlias

from sqlalchemy import Connection, RowMapping, Select

from core.changes import Change
from store.readable import readable
from store.rows import change_of

Found: TypeAlias = Select[*tuple[object, ...]]
"""A statement that finds changes."""


def page_of(
    connection: Connection, limit: int, first: Callable[[int], Found]
) -> tuple[Change, ...]:
    """List so many changes that can be read; `first` finds the first so many of them all.

    The next takes the place of one that cannot be read: so a page that is not full is the last.
    """
    found: tuple[Change, ...] = ()
    looked = 0
    while (missing := limit - len(found)) > 0:
        statement = first(looked + missing).limit(missing).offset(looked)
        rows = connection.execute(statement).mappings().all()
        found += readable_changes(rows)
        looked += len(rows)
        if len(rows) < missing:
            break
    return found


def readable_changes(rows: Sequence[RowMapping]) -> tuple[Change, ...]:
    """List what can still be read: one damaged row must not hide all the others."""
    read = (readable(partial(change_of, row), change=row["id"]) for row in rows)
    return tuple(change for change in read if change is not None)
