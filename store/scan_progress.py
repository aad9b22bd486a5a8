"""Counts that show how far the jobs of running scans are."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

from sqlalchemy import ColumnElement, Connection, func, literal_column, select, text

from core.jobs import MODEL_KINDS
from core.scans import Scan
from store.rows import scan_of
from store.tables import LIVE, instance_of_job, jobs, scans

_scan: ColumnElement[int | None] = literal_column("(jobs.scan_id + 0)")
"""For the bare column SQLite would read all jobs that ever belonged to a scan."""


def count_live_jobs_by_scan(connection: Connection, instances: Sequence[str]) -> Mapping[int, int]:
    """Return the number of pending and running jobs of each scan that has any."""
    counted = (
        select(_scan, func.count())
        .select_from(jobs)
        .where(text(LIVE), instance_of_job.in_(instances))
        .group_by(_scan)
    )
    found = connection.execute(counted).all()
    return {scan_id: count for scan_id, count in found if scan_id is not None}


def count_finished_jobs(connection: Connection, instance: str, *, since: datetime) -> int:
    """Return the number of documents of an instance whose analysis ended since a time."""
    counted = (
        select(func.count())
        .select_from(jobs)
        .where(jobs.c.finished_at >= since, jobs.c.kind.in_(sorted(MODEL_KINDS)))
        .where(instance_of_job == instance)
    )
    return connection.scalar(counted) or 0


def list_by_ids(connection: Connection, ids: Collection[int]) -> tuple[Scan, ...]:
    """Return these scans, the newest first; ids that do not exist are left out."""
    found = select(scans).where(scans.c.id.in_(sorted(ids))).order_by(scans.c.id.desc())
    return tuple(scan_of(row) for row in connection.execute(found).mappings())
