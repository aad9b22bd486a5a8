"""Tries at the password: counted before they are looked at, and limited."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Connection, delete, insert, select

from core.access import Patience
from store.access_tables import login_attempts


def attempt(
    connection: Connection, address: str, patience: Patience, now: datetime
) -> datetime | None:
    """Count a try, unless the door is shut; return until when it is."""
    connection.execute(delete(login_attempts).where(login_attempts.c.at <= now - patience.span))
    shut = patience.shut_until(_tries(connection, address), _tries(connection), now=now)
    if shut is None:
        connection.execute(insert(login_attempts).values(address=address, at=now))
    return shut


def forgive(connection: Connection, address: str) -> None:
    """Forget the tries from an address."""
    connection.execute(delete(login_attempts).where(login_attempts.c.address == address))


def _tries(connection: Connection, address: str | None = None) -> Sequence[datetime]:
    """List the tries, oldest first: those from an address, or all."""
    found = select(login_attempts.c.at).order_by(login_attempts.c.at)
    if address is not None:
        found = found.where(login_attempts.c.address == address)
    return connection.scalars(found).all()
