"""Moves of several jobs in one transaction: each as `moves.py` makes it, with its own event."""

from collections.abc import Iterable
from datetime import datetime

from sqlalchemy import Connection, select

from core.jobs import Job
from store.errors import NotFound, Refused
from store.queue import moves
from store.tables import PENDING, PROCESSING, jobs


def restart_each(
    connection: Connection, ids: Iterable[int], by: str, now: datetime
) -> tuple[tuple[Job, ...], tuple[NotFound | Refused, ...]]:
    """Start jobs anew that failed or were cancelled; one that cannot be stops no other."""
    started: list[Job] = []
    refused: list[NotFound | Refused] = []
    for job_id in ids:
        try:
            # It refuses before it writes anything: what the others wrote can stand.
            started.append(moves.restart(connection, job_id, by, now))
        except (NotFound, Refused) as error:
            refused.append(error)
    return tuple(started), tuple(refused)


def cancel_of_scan(
    connection: Connection, scan_id: int, by: str, now: datetime, after_id: int, limit: int
) -> tuple[Job, ...]:
    """Cancel the next live jobs of a scan, whether they wait or are worked on."""
    live = select(jobs.c.id).where(
        jobs.c.scan_id == scan_id,
        jobs.c.status.in_([PENDING, PROCESSING]),
        jobs.c.id > after_id,
    )
    ids = connection.scalars(live.order_by(jobs.c.id).limit(limit)).all()
    return tuple(moves.cancel(connection, job_id, by, now) for job_id in ids)
