"""What a model endpoint was found to understand, so that it is found out once."""

from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, Connection, and_, delete, select

from core.analysis import Capabilities as Found
from store.database import Database
from store.engine import insert_into
from store.rows import Values, capabilities_of
from store.tables import capabilities

GOOD_FOR = timedelta(days=7)
"""Servers are updated: what they can do is found out anew after this time."""


class Capabilities:
    """What endpoints can do, by endpoint and model. Each method is one transaction."""

    def __init__(self, database: Database) -> None:
        write, read = database.as_write, database.as_read
        self.get = read(get)
        self.save = write(save)
        self.delete = write(forget)


def get(connection: Connection, endpoint: str, model: str, *, now: datetime) -> Found | None:
    """Return what was found out; None if that never happened or is too long ago."""
    fresh = capabilities.c.learned_at > now - GOOD_FOR
    statement = select(capabilities).where(_of(endpoint, model), fresh)
    row = connection.execute(statement).mappings().first()
    return None if row is None else capabilities_of(row)


def save(connection: Connection, endpoint: str, model: str, found: Found, *, now: datetime) -> None:
    learned: Values = {
        "mode": found.mode,
        "token_parameter": found.token_parameter,
        "temperature": found.temperature,
        "learned_at": now,
    }
    connection.execute(
        insert_into(connection, capabilities)
        .values(endpoint=endpoint, model=model, **learned)
        .on_conflict_do_update(index_elements=["endpoint", "model"], set_=learned)
    )


def forget(connection: Connection, endpoint: str, model: str) -> None:
    """Drop what was found out, because it proved wrong."""
    connection.execute(delete(capabilities).where(_of(endpoint, model)))


def _of(endpoint: str, model: str) -> ColumnElement[bool]:
    return and_(capabilities.c.endpoint == endpoint, capabilities.c.model == model)
