"""Who may come in: the password, sessions, API tokens, one-time links and tries to log in."""

from datetime import datetime

from sqlalchemy import Connection, select, update

from core.access import ADMIN, Patience, Visitor
from store.access_attempts import attempt, forget_devices, forgive, remember_device
from store.access_links import admit, issue, issue_unless_good, redeem
from store.access_sessions import Sessions, end_all
from store.access_tables import accounts
from store.access_tokens import ApiTokens
from store.database import Database
from store.engine import insert_into


class Access:
    """The keys to the house, as hashes. Each method is one transaction."""

    def __init__(self, database: Database) -> None:
        self._write = database.write
        self._read = database.read
        self.sessions = Sessions(database)
        self.tokens = ApiTokens(database)

    async def password(self) -> str | None:
        """Return the hash of the password; None if none is set yet."""
        return await self._read(_password)

    async def set_password(self, password_hash: str, *, now: datetime) -> None:
        """Set the password and end all sessions that used the previous one.

        Known devices are forgotten, too: someone with the old password could have added many.
        """
        await self._write(_set_password, password_hash, now)

    async def rehash(self, before: str, after: str) -> None:
        """Keep the same password under a better hash, unless it was changed meanwhile."""
        await self._write(_rehash, before, after)

    async def issue_link(self, token_hash: str, *, expires_at: datetime) -> None:
        """Let a link be good for setting the password, once; those before it are good no more."""
        await self._write(issue, token_hash, expires_at)

    async def issue_link_unless_good(
        self, token_hash: str, *, expires_at: datetime, now: datetime
    ) -> datetime | None:
        """Issue a link unless an unused one is still valid; return the expiry of that one."""
        return await self._write(issue_unless_good, token_hash, expires_at, now)

    async def admits(self, token_hash: str, *, now: datetime) -> bool:
        """Tell whether a link is still good."""
        return await self._read(admit, token_hash, now)

    async def redeem_link(self, token_hash: str, password_hash: str, *, now: datetime) -> bool:
        """Use a link up and set the password with it; tell whether it was good."""
        return await self._write(_redeem, token_hash, password_hash, now)

    async def attempt(
        self, visitor: Visitor, patience: Patience, *, now: datetime
    ) -> datetime | None:
        """Count a try at the password, before it is looked at; return until when none may be made.

        None means: go on. What is counted before cannot be guessed side by side.
        """
        return await self._write(attempt, visitor, patience, now)

    async def forgive(self, visitor: Visitor) -> None:
        """Delete the attempts of a visitor after a correct password."""
        await self._write(forgive, visitor)

    async def remember_device(self, token_hash: str, *, before: str = "", now: datetime) -> None:
        """Count the attempts of a device separately from now on; `before` is its previous hash."""
        await self._write(remember_device, token_hash, before, now)


def _password(connection: Connection) -> str | None:
    return connection.scalar(select(accounts.c.password_hash).where(accounts.c.name == ADMIN))


def _set_password(connection: Connection, password_hash: str, now: datetime) -> None:
    new = {"password_hash": password_hash, "changed_at": now}
    statement = insert_into(connection, accounts).values(name=ADMIN, **new)
    connection.execute(statement.on_conflict_do_update(index_elements=["name"], set_=new))
    end_all(connection, ADMIN)
    forget_devices(connection)


def _rehash(connection: Connection, before: str, after: str) -> None:
    unchanged = (accounts.c.name == ADMIN, accounts.c.password_hash == before)
    connection.execute(update(accounts).where(*unchanged).values(password_hash=after))


def _redeem(connection: Connection, token_hash: str, password_hash: str, now: datetime) -> bool:
    good = redeem(connection, token_hash, now)
    if good:
        _set_password(connection, password_hash, now)
    return good
