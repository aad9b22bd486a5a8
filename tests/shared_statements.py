"""Compiled statements that all stores of a test run share.

SQLAlchemy compiles each statement once per engine, which is nothing for a daemon. A test opens a
store of its own, and compiling takes longer than everything that it then does in the database.
"""

from typing import Any

from sqlalchemy import Engine
from sqlalchemy.dialects import registry
from sqlalchemy.dialects.postgresql.psycopg import PGDialect_psycopg
from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite

_COMPILED: dict[Any, Any] = {}


class _Shared:
    """Equals any other dialect of the same class, so that they share the cache."""

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other)

    def __hash__(self) -> int:
        return hash(type(self))

    @classmethod
    def engine_created(cls, engine: Engine) -> None:
        engine.update_execution_options(compiled_cache=_COMPILED)


class SharedSQLite(_Shared, SQLiteDialect_pysqlite):
    """The SQLite dialect with shared statements."""

    supports_statement_cache = True


class SharedPostgres(_Shared, PGDialect_psycopg):
    """The PostgreSQL dialect with shared statements."""

    supports_statement_cache = True


def share_statements() -> None:
    """Make all engines that are built later share their compiled statements."""
    for name in ("sqlite", "sqlite.pysqlite"):
        registry.register(name, __name__, SharedSQLite.__name__)
    registry.register("postgresql.psycopg", __name__, SharedPostgres.__name__)
