"""Workers: the processes that share the work, and their last heartbeats."""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime, timedelta

from sqlalchemy import Connection, case, delete, select

from core.jobs import Job
from core.workers import NO_HEARTBEATS, SCANNER, Heartbeats, Worker, WorkerStatus
from store.database import Database
from store.engine import insert_into
from store.rows import job_of, worker_of
from store.tables import PROCESSING, jobs, leases, workers

FORGOTTEN_AFTER = timedelta(days=7)
"""The row of a process that was killed is deleted after this time."""


class Workers:
    """The worker processes. Each method is one transaction."""

    def __init__(self, database: Database) -> None:
        write, read = database.as_write, database.as_read
        self.record_heartbeat = write(record_heartbeat, announces=None)
        self.list_alive = read(list_alive)
        self.list_with_jobs = read(list_with_jobs)
        self.remove = write(remove, announces=None)


def list_alive(connection: Connection, *, since: datetime) -> tuple[Worker, ...]:
    """List the processes with a heartbeat at `since` or later, by name."""
    alive = select(workers).where(workers.c.beat_at >= since).order_by(workers.c.name)
    return tuple(worker_of(row) for row in connection.execute(alive).mappings())


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
            tuple(sorted((job for job in running_jobs if job.worker == worker.name), key=_id_of)),
            scans=worker.name in holders,
        )
        for worker in list_alive(connection, since=since)
    )


def _id_of(job: Job) -> int:
    return job.id


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
    return worker_of(connection.execute(beaten.returning(workers)).mappings().one())


def remove(connection: Connection, name: str) -> None:
    """Delete the row of a process that has ended; harmless if there is none."""
    connection.execute(delete(workers).where(workers.c.name == name))
