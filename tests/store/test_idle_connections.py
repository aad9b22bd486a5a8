"""Connections to PostgreSQL that were not used for a while."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import Engine, event, text
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import OperationalError
from sqlalchemy.pool import ConnectionPoolEntry

from store.engine import IDLE_BEFORE_PING, engines_for


@pytest.fixture
def writer(fresh_postgres: str, tmp_path: Path) -> Iterator[Engine]:
    engines = engines_for(fresh_postgres, tmp_path)
    yield engines.writer
    engines.dispose()


def backend_of(engine: Engine) -> int:
    with engine.begin() as connection:
        return int(connection.execute(text("SELECT pg_backend_pid()")).scalar_one())


def cut(url: str, backend: int) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("SELECT pg_terminate_backend(%s, 5000)", (backend,))


def let_rest(engine: Engine, rest: timedelta) -> None:
    """Let the pool believe that its connection was last used so long ago."""

    @event.listens_for(engine, "checkin")
    def on_checkin(_: DBAPIConnection | None, entry: ConnectionPoolEntry) -> None:
        entry.info["used_at"] -= rest.total_seconds()


def test_one_that_died_in_its_sleep_is_replaced(writer: Engine, fresh_postgres: str) -> None:
    let_rest(writer, IDLE_BEFORE_PING * 2)
    before = backend_of(writer)

    cut(fresh_postgres, before)

    assert backend_of(writer) != before


def test_one_that_lives_is_used_again_after_its_rest(writer: Engine) -> None:
    let_rest(writer, IDLE_BEFORE_PING * 2)

    assert backend_of(writer) == backend_of(writer)


def test_one_that_was_just_used_is_not_asked(writer: Engine, fresh_postgres: str) -> None:
    let_rest(writer, -timedelta(hours=1))
    before = backend_of(writer)

    cut(fresh_postgres, before)

    with pytest.raises(OperationalError):
        backend_of(writer)
