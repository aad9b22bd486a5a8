"""The newest of several instances, each by the head of its own part of an index.

Asked for all at once (`instance IN ...`), a database reads and sorts everything that they have.
"""

from collections.abc import Iterable, Sequence

from sqlalchemy import Connection, Select, Subquery, Table, func, select, union_all


def ids_of_heads(heads: Iterable[Select[tuple[int]]]) -> Subquery | None:
    """Put heads together, each a statement with order and limit; None if there are none."""
    parts = [head.subquery() for head in heads]
    return union_all(*(select(part.c.id) for part in parts)).subquery() if parts else None


def instances_in(connection: Connection, table: Table) -> Sequence[str]:
    """Name the instances that a table knows; an index begins with them and is leapt through."""
    name = table.c.instance
    leaps = select(func.min(name).label("name")).cte("leaps", recursive=True)
    following = select(func.min(name)).where(name > leaps.c.name).scalar_subquery()
    leaps = leaps.union_all(select(following).where(leaps.c.name.is_not(None)))
    found: Sequence[str] = connection.scalars(
        select(leaps.c.name).where(leaps.c.name.is_not(None))
    ).all()
    return found


def chosen_among(
    connection: Connection, table: Table, *wishes: Iterable[str] | None
) -> Sequence[str]:
    """Return the instances that all wishes allow; None allows any."""
    given = [frozenset(wish) for wish in wishes if wish is not None]
    if not given:
        return instances_in(connection, table)
    return sorted(frozenset.intersection(*given))
