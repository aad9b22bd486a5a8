"""Sessions: browsers that are logged in, known by the hash of what their cookie holds."""

from datetime import datetime

from sqlalchemy import Connection, RowMapping, delete, insert, select, update

from core.access import Session
from store.access_tables import sessions
from store.database import Database

LONGEST_USER_AGENT = 120


class Sessions:
    """Who is logged in. Each method is one transaction."""

    def __init__(self, database: Database) -> None:
        self._write = database.write
        self._read = database.read

    async def begin(
        self, token_hash: str, account: str, *, user_agent: str, now: datetime, until: datetime
    ) -> Session:
        """Log someone in; sessions that have run out are deleted."""
        values = {
            "account": account,
            "token_hash": token_hash,
            "created_at": now,
            "seen_at": now,
            "expires_at": until,
            "user_agent": user_agent[:LONGEST_USER_AGENT],
        }
        return await self._write(_begin, values, now)

    async def get(self, token_hash: str, *, now: datetime) -> Session | None:
        """Return a session that has not run out."""
        return await self._read(_get, token_hash, now)

    async def seen(self, session: Session, *, now: datetime, until: datetime) -> None:
        """Let a session last longer because it is in use."""
        await self._write(_seen, session.id, now, until)

    async def of(self, account: str, *, now: datetime) -> tuple[Session, ...]:
        """List where someone is logged in, the latest seen first."""
        return await self._read(_of, account, now)

    async def end(self, token_hash: str) -> None:
        """Log one browser out; harmless if it is not logged in."""
        await self._write(_end, token_hash)

    async def end_all(self, account: str) -> int:
        """Log someone out everywhere; return of how many browsers."""
        return await self._write(end_all, account)


def end_all(connection: Connection, account: str) -> int:
    """End every session of an account."""
    return connection.execute(delete(sessions).where(sessions.c.account == account)).rowcount


def _begin(connection: Connection, values: dict[str, object], now: datetime) -> Session:
    connection.execute(delete(sessions).where(sessions.c.expires_at <= now))
    new = insert(sessions).values(values).returning(sessions)
    return _session_of(connection.execute(new).mappings().one())


def _get(connection: Connection, token_hash: str, now: datetime) -> Session | None:
    wanted = select(sessions).where(
        sessions.c.token_hash == token_hash, sessions.c.expires_at > now
    )
    row = connection.execute(wanted).mappings().first()
    return None if row is None else _session_of(row)


def _seen(connection: Connection, id_: int, now: datetime, until: datetime) -> None:
    connection.execute(
        update(sessions).where(sessions.c.id == id_).values(seen_at=now, expires_at=until)
    )


def _of(connection: Connection, account: str, now: datetime) -> tuple[Session, ...]:
    theirs = select(sessions).where(sessions.c.account == account, sessions.c.expires_at > now)
    rows = connection.execute(theirs.order_by(sessions.c.seen_at.desc(), sessions.c.id.desc()))
    return tuple(_session_of(row) for row in rows.mappings())


def _end(connection: Connection, token_hash: str) -> None:
    connection.execute(delete(sessions).where(sessions.c.token_hash == token_hash))


def _session_of(row: RowMapping) -> Session:
    return Session(
        id=row["id"],
        account=row["account"],
        created_at=row["created_at"],
        seen_at=row["seen_at"],
        expires_at=row["expires_at"],
        user_agent=row["user_agent"],
    )
