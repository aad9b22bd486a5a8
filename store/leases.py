"""Leases: which process does what only one may do, on the database's clock.

Each time a lease is taken it gets a new term. Every write of its holder is fenced by the term, as a
claim fences the writes of a job: a holder that froze and comes back later writes nothing.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import Connection, or_, select, update

from store.database import Database
from store.engine import insert_into
from store.errors import LeaseLost
from store.shared_clock import read_database_time
from store.tables import leases

LEASE_TIMEOUT = timedelta(seconds=30)
"""Another process takes the lease over when it was not renewed for this long."""


@dataclass(frozen=True, slots=True)
class Lease:
    """A lease as it is stored."""

    name: str
    holder: str
    term: int
    expires_at: datetime


class HeldLease:
    """A lease that this process holds, or tries to get. Only for a database that is shared."""

    def __init__(self, database: Database, name: str, holder: str) -> None:
        self._acquire = database.as_write(acquire, announces=None)
        self._renew = database.as_write(renew, announces=None)
        self._release = database.as_write(release, announces=None)
        self._name = name
        self._holder = holder
        self.term: int | None = None
        """None while another process holds it."""

    async def acquire(self) -> bool:
        """Take the lease for a new term if it is free; return whether it is held now."""
        found = await self._acquire(self._name, holder=self._holder)
        self.term = None if found is None else found.term
        return found is not None

    async def renew(self) -> bool:
        """Renew the lease; return False if another process has taken it."""
        if self.term is None:
            return False
        renewed = await self._renew(self._name, term=self.term)
        if not renewed:
            self.term = None
        return renewed

    async def release(self) -> None:
        """Let another process take the lease at once; harmless if it is not held."""
        term, self.term = self.term, None
        if term is not None:
            await self._release(self._name, term=term)

    def require(self, connection: Connection) -> None:
        """Raise LeaseLost unless this process still holds the lease, for the term it knows of."""
        if self.term is None or get(connection, self._name).term != self.term:
            raise LeaseLost(self._name)


def acquire(connection: Connection, name: str, *, holder: str) -> Lease | None:
    """Take a lease that nobody holds, for a new term; None if another process holds it.

    A process of the same name has taken the place of the holder, as a restarted container does.
    """
    now = read_database_time(connection)
    expires_at = now + LEASE_TIMEOUT
    new = insert_into(connection, leases).values(
        name=name, holder=holder, term=1, expires_at=expires_at
    )
    is_free = or_(leases.c.expires_at <= now, leases.c.holder == holder)
    taken = new.on_conflict_do_update(
        index_elements=["name"],
        set_={"holder": holder, "term": leases.c.term + 1, "expires_at": expires_at},
        where=is_free,
    )
    row = connection.execute(taken.returning(leases)).mappings().first()
    return None if row is None else Lease(**row)


def renew(connection: Connection, name: str, *, term: int) -> bool:
    """Extend a lease; return False if another process has taken it since.

    An expired lease that nobody has taken is renewed: nobody else has written anything.
    """
    expires_at = read_database_time(connection) + LEASE_TIMEOUT
    return _set_expiry(connection, name, term, expires_at)


def release(connection: Connection, name: str, *, term: int) -> None:
    """Make a lease free; harmless if another process has taken it."""
    _set_expiry(connection, name, term, read_database_time(connection))


def get(connection: Connection, name: str) -> Lease:
    """Return the lease as it is stored; raise LeaseLost if nobody ever took it."""
    row = connection.execute(select(leases).where(leases.c.name == name)).mappings().first()
    if row is None:
        raise LeaseLost(name)
    return Lease(**row)


def _set_expiry(connection: Connection, name: str, term: int, expires_at: datetime) -> bool:
    held = update(leases).where(leases.c.name == name, leases.c.term == term)
    return connection.execute(held.values(expires_at=expires_at)).rowcount > 0
