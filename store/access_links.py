"""Links that are good once: the first way in, and the way back in for a forgotten password."""

from datetime import datetime

from sqlalchemy import ColumnElement, Connection, and_, delete, exists, select, update

from store.access_tables import one_time_links


def issue(connection: Connection, token_hash: str, expires_at: datetime) -> None:
    """Make a link good, and every other one useless."""
    connection.execute(delete(one_time_links))
    new = {"token_hash": token_hash, "expires_at": expires_at}
    connection.execute(one_time_links.insert().values(new))


def issue_unless_good(
    connection: Connection, token_hash: str, expires_at: datetime, now: datetime
) -> datetime | None:
    """Issue a link unless an unused one is still valid; return the expiry of that one."""
    good = (one_time_links.c.expires_at > now, one_time_links.c.used_at.is_(None))
    until: datetime | None = connection.scalar(select(one_time_links.c.expires_at).where(*good))
    if until is None:
        issue(connection, token_hash, expires_at)
    return until


def admit(connection: Connection, token_hash: str, now: datetime) -> bool:
    """Tell whether a link is good."""
    return bool(connection.scalar(select(exists().where(_good(token_hash, now)))))


def redeem(connection: Connection, token_hash: str, now: datetime) -> bool:
    """Use a link up; tell whether it was good."""
    used = update(one_time_links).where(_good(token_hash, now)).values(used_at=now)
    return connection.execute(used).rowcount == 1


def _good(token_hash: str, now: datetime) -> ColumnElement[bool]:
    return and_(
        one_time_links.c.token_hash == token_hash,
        one_time_links.c.expires_at > now,
        one_time_links.c.used_at.is_(None),
    )
