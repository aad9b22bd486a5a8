"""Explain how our statements are executed, on a database with a history."""

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest
from sqlalchemy import Connection, Engine, event, text

from store.engine import engines_for
from store.migrate import prepare_database
from tests.postgres import Server
from tests.store.builders import NOON

WHOLE_TABLE = re.compile(
    r"Seq Scan on (jobs|changes|documents|events|model_calls)"  # PostgreSQL
    r"|SCAN (jobs|changes|documents|events|model_calls)(?! USING)"  # SQLite
)
SORTED = re.compile(r"Sort Key|TEMP B-TREE")
"""Matches a plan without an index for the order: all rows are read and sorted."""


def filled_engine(
    request: pytest.FixtureRequest,
    folders: pytest.TempPathFactory,
    fill: Callable[[Connection], None],
) -> Iterator[Engine]:
    """Yield the engine of a new database, filled by `fill`; the parameter names its kind."""
    if request.param == "sqlite":
        yield from _filled(None, folders.mktemp("history"), fill)
        return
    server: Server = request.getfixturevalue("postgres")
    name = server.create()
    yield from _filled(server.url(name), folders.mktemp("unused"), fill)
    server.drop(name)


def plans_of(
    engine: Engine,
    work: Callable[[Connection], object],
    given: Callable[[Connection], object] = bool,
) -> str:
    """Run a transaction, and return the plan of each statement with its values."""
    with engine.connect() as connection:
        given(connection)
        seen: list[tuple[str, Mapping[str, object]]] = []

        def note(
            _connection: object,
            _cursor: object,
            query: str,
            values: Mapping[str, object],
            *_: object,
        ) -> None:
            seen.append((query, values))

        event.listen(connection, "before_cursor_execute", note)
        work(connection)
        event.remove(connection, "before_cursor_execute", note)
        return "\n".join(_explain(connection, *asked) for asked in seen)


def _explain(connection: Connection, query: str, values: Mapping[str, object]) -> str:
    word = "EXPLAIN QUERY PLAN " if connection.dialect.name == "sqlite" else "EXPLAIN "
    cursor = connection.connection.cursor()
    cursor.execute(word + query, values)
    rows = cursor.fetchall()
    cursor.close()
    return "\n".join(str(row[-1]) for row in rows)


def _filled(url: str | None, data: Path, fill: Callable[[Connection], None]) -> Iterator[Engine]:
    engines = engines_for(url, data)
    prepare_database(engines, data, now=NOON)
    with engines.writer.begin() as connection:
        fill(connection)
        if engines.shared:
            # In production, autovacuum does this.
            connection.execute(text("ANALYZE"))
    yield engines.writer
    engines.dispose()
