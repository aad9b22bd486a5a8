"""The fence: only the holder of a job's present claim may touch it."""

from sqlalchemy import ColumnElement, and_, select
from sqlalchemy.orm import Session

from core.jobs import Job
from store.errors import NotOurs
from store.rows import job_of
from store.tables import PROCESSING, jobs


def still_ours(job: Job) -> ColumnElement[bool]:
    """Hold while the claim that `job` came from is the present one."""
    return and_(jobs.c.id == job.id, jobs.c.status == PROCESSING, jobs.c.claim == job.claim)


def require_ours(session: Session, job: Job) -> Job:
    """Return the job as it is now, or raise NotOurs."""
    row = session.execute(select(jobs).where(still_ours(job)).with_for_update()).mappings().first()
    if row is None:
        raise NotOurs(job.id, claim=job.claim)
    return job_of(row)
