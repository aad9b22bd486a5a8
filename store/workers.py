"""The processes that share a queue: their heartbeats, leases, and clock.

Each time a lease is taken, it gets a new term. The term fences every write of its holder, as a
claim fences the writes of a job: a holder that froze and comes back later writes nothing.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta

import structlog
from sqlalchemy import Connection, RowMapping, case, delete, func, or_, select, update

from core.calendar import Clock
from core.workers import NO_HEARTBEATS, SCANNER, Heartbeats, Worker, WorkerStatus
from store.database import Database
from store.engine import insert_into
from store.errors import LeaseLost
from store.rows import job_of
from store.tables import PROCESSING, jobs, leases, workers

log = structlog.get_logger()

FORGOTTEN_AFTER = timedelta(days=7)
"""The row of a process that was killed is deleted after this time."""

LEASE_TIMEOUT = timedelta(seconds=30)
"""Another process takes the lease over when it was not renewed for this long."""

IGNORED_OFFSET = timedelta(seconds=1)
"""Smaller differences are ignored: a worker counts as dead only after minutes of silence."""


class Workers:
    """The worker processes. Each method is one transaction."""

    def __init__(self, database: Database) -> None:
        write, read = database.as_write, database.as_read
        self.record_heartbeat = write(record_heartbeat, announces=None)
        self.list_alive = read(list_alive)
        self.list_with_jobs = read(list_with_jobs)
        self.remove = write(remove, announces=None)
        self.remove_others = write(remove_others, announces=None)


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
        self._acquire = database.as_write(acquire_lease, announces=None)
        self._renew = database.as_write(renew_lease, announces=None)
        self._release = database.as_write(release_lease, announces=None)
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
        if self.term is None or get_lease(connection, self._name).term != self.term:
            raise LeaseLost(self._name)


class SharedClock:
    """A clock with the database's time, once it is synchronized."""

    def __init__(self, local_clock: Clock) -> None:
        self._local_clock = local_clock
        self._behind = timedelta()

    def __call__(self) -> datetime:
        return self._local_clock() + self._behind

    def synchronize(self, connection: Connection) -> None:
        """Measure the difference to the database's clock; ignore a slow, inaccurate answer."""
        asked_at = self._local_clock()
        database_time = read_database_time(connection)
        took = self._local_clock() - asked_at
        if timedelta() <= took <= IGNORED_OFFSET:
            self._set(database_time - (asked_at + took / 2))

    def _set(self, behind: timedelta) -> None:
        before = self._behind
        self._behind = behind if abs(behind) > IGNORED_OFFSET else timedelta()
        if self._behind and not before:
            log.warning("clock set by the database", seconds=round(behind.total_seconds(), 1))
        elif before and not self._behind:
            log.info("clock agrees with the database")


def list_alive(connection: Connection, *, since: datetime) -> tuple[Worker, ...]:
    """List the processes with a heartbeat at `since` or later, by name."""
    alive = select(workers).where(workers.c.beat_at >= since).order_by(workers.c.name)
    return tuple(_worker_of(row) for row in connection.execute(alive).mappings())


def list_alive_names(connection: Connection, since: datetime) -> Sequence[str]:
    """List only the names: older schemas lack some of the other columns."""
    alive = select(workers.c.name).where(workers.c.beat_at >= since).order_by(workers.c.name)
    return connection.scalars(alive).all()


def list_with_jobs(connection: Connection, *, since: datetime) -> tuple[WorkerStatus, ...]:
    """List the processes with a heartbeat at `since` or later, with their jobs, by name."""
    running = select(jobs).where(jobs.c.status == PROCESSING)
    running_jobs = [job_of(row) for row in connection.execute(running).mappings()]
    holders = set(connection.scalars(select(leases.c.holder).where(leases.c.name == SCANNER)))
    return tuple(
        WorkerStatus(
            worker,
            tuple(
                sorted(
                    (job for job in running_jobs if job.worker == worker.name),
                    key=lambda job: job.id,
                )
            ),
            scans=worker.name in holders,
        )
        for worker in list_alive(connection, since=since)
    )


def record_heartbeat(  # noqa: PLR0913  # callers do not pass the connection
    connection: Connection,
    name: str,
    *,
    pid: int,
    host: str,
    role: str,
    now: datetime,
    signs: Heartbeats = NO_HEARTBEATS,
    settings: str | None = None,
) -> Worker:
    """Store that a process and its parts are alive; the first time, also when it started."""
    connection.execute(delete(workers).where(workers.c.beat_at < now - FORGOTTEN_AFTER))
    statement = insert_into(connection, workers).values(
        name=name,
        pid=pid,
        host=host,
        role=role,
        started_at=now,
        beat_at=now,
        settings=settings,
        **asdict(signs),
    )
    new = statement.excluded
    # Another process of the same name is a new start, as after the restart of a container.
    started_at = case((workers.c.pid == new.pid, workers.c.started_at), else_=new.started_at)
    again = {"pid": new.pid, "host": new.host, "role": new.role, "beat_at": now}
    again["settings"] = settings
    again |= asdict(signs)
    beaten = statement.on_conflict_do_update(
        index_elements=["name"], set_=again | {"started_at": started_at}
    )
    return _worker_of(connection.execute(beaten.returning(workers)).mappings().one())


def remove(connection: Connection, name: str) -> None:
    """Delete the row of a process that has ended; harmless if there is none."""
    connection.execute(delete(workers).where(workers.c.name == name))


def remove_others(connection: Connection, *, pid: int, host: str) -> None:
    """Delete the rows of all other processes, which have ended without removing theirs."""
    others = or_(workers.c.pid != pid, workers.c.host != host)
    connection.execute(delete(workers).where(others))


def acquire_lease(connection: Connection, name: str, *, holder: str) -> Lease | None:
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


def renew_lease(connection: Connection, name: str, *, term: int) -> bool:
    """Extend a lease; return False if another process has taken it since.

    An expired lease that nobody has taken is renewed: nobody else has written anything.
    """
    expires_at = read_database_time(connection) + LEASE_TIMEOUT
    return _set_lease_expiry(connection, name, term, expires_at)


def release_lease(connection: Connection, name: str, *, term: int) -> None:
    """Make a lease free; harmless if another process has taken it."""
    _set_lease_expiry(connection, name, term, read_database_time(connection))


def get_lease(connection: Connection, name: str) -> Lease:
    """Return the lease as it is stored; raise LeaseLost if nobody ever took it."""
    row = connection.execute(select(leases).where(leases.c.name == name)).mappings().first()
    if row is None:
        raise LeaseLost(name)
    return Lease(**row)


def read_database_time(connection: Connection) -> datetime:
    """Return the time of a PostgreSQL server."""
    database_time: datetime = connection.execute(select(func.clock_timestamp())).scalar_one()
    return database_time


def _worker_of(row: RowMapping) -> Worker:
    return Worker(
        name=row["name"],
        pid=row["pid"],
        host=row["host"],
        role=row["role"],
        started_at=row["started_at"],
        beat_at=row["beat_at"],
        signs=Heartbeats(row["processor_at"], row["scheduler_at"], row["web_at"]),
        settings=row["settings"],
    )


def _set_lease_expiry(connection: Connection, name: str, term: int, expires_at: datetime) -> bool:
    held = update(leases).where(leases.c.name == name, leases.c.term == term)
    return connection.execute(held.values(expires_at=expires_at)).rowcount > 0
