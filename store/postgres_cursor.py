"""A cursor of psycopg that describes the columns of a result only by name and type.

SQLAlchemy asks for the description of every result and needs no more; psycopg's own takes a
microsecond per column. Imported only for PostgreSQL, because psycopg is optional.
"""

from typing import Any

from psycopg import Cursor
from psycopg.rows import TupleRow

_UNKNOWN = (None,) * 5
"""The DB-API allows None for the rest of a column's description."""


class BriefCursor(Cursor[TupleRow]):
    """A cursor with a short description."""

    @property
    def description(self) -> list[Any] | None:
        result = self.pgresult
        if result is None or not result.nfields:
            return None
        return [
            ((result.fname(number) or b"").decode(), result.ftype(number), *_UNKNOWN)
            for number in range(result.nfields)
        ]
