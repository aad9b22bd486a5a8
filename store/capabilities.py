"""Capabilities of model endpoints, so that each is probed only once."""

from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, Connection, and_, delete, select

from core.analysis import Capabilities as Found
from store.database import Database
from store.engine import insert_into
from store.rows import Values, capabilities_of
from store.tables import capabilities

GOOD_FOR = timedelta(days=7)
"""Capabilities are probed again after this time, because servers are updated."""


class Capabilities:
    """Capabilities by endpoint and model. Each method is one transaction."""

    def __init__(self, database: Database) -> None:
        write, read = database.as_write, database.as_read
        self.get = read(get)
        self.save = write(save)
        self.delete = write(forget)


def get(connection: Connection, endpoint: str, model: str, *, now: datetime) -> Found | None:
    """Return the stored capabilities; None if there are none or they are too old."""
    fresh = capabilities.c.learned_at > now - GOOD_FOR
    statement = select(capabilities).where(_is_of(endpoint, model), fresh)
    row = connection.execute(statement).mappings().first()
    return None if row is None else capabilities_of(row)


def save(connection: Connection, endpoint: str, model: str, found: Found, *, now: datetime) -> None:
    columns: Values = {
        "mode": found.mode,
        "token_parameter": found.token_parameter,
        "temperature": found.temperature,
        "streams": found.streams,
        "learned_at": now,
    }
    connection.execute(
        insert_into(connection, capabilities)
        .values(endpoint=endpoint, model=model, **columns)
        .on_conflict_do_update(index_elements=["endpoint", "model"], set_=columns)
    )


def forget(connection: Connection, endpoint: str, model: str) -> None:
    """Delete stored capabilities that proved wrong."""
    connection.execute(delete(capabilities).where(_is_of(endpoint, model)))


def _is_of(endpoint: str, model: str) -> ColumnElement[bool]:
    return and_(capabilities.c.endpoint == endpoint, capabilities.c.model == model)
