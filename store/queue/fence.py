"""Fencing: only the holder of a job's current claim may change it.

Statements that every job needs are built once, because building takes longer than running them.
"""

from dataclasses import replace
from functools import lru_cache

from sqlalchemy import BindParameter, Connection, Update, and_, bindparam, select, update

from core.jobs import Job
from store.engine import Step, execute_move
from store.errors import ClaimLost
from store.rows import MUTABLE_JOB_FIELDS, Values, job_of, mutable_job_fields_of
from store.tables import PROCESSING, jobs

_STILL_OURS = and_(
    jobs.c.id == bindparam("our_job"),
    jobs.c.status == PROCESSING,
    jobs.c.claim == bindparam("our_claim"),
)
_READ = select(jobs).where(_STILL_OURS).with_for_update()


def require_claim(connection: Connection, job: Job) -> Job:
    """Return the job as it is stored now, or raise ClaimLost."""
    row = connection.execute(_READ, _claim_parameters(job)).mappings().first()
    if row is None:
        raise ClaimLost(job.id, claim=job.claim)
    return job_of(row)


def update_claimed(connection: Connection, job: Job, values: Values, *following: Step) -> Job:
    """Update the job if the claim of `job` is still the current one, or raise ClaimLost.

    The `following` steps run only if the update was made.
    """
    change = _build_update(tuple(values))
    row = execute_move(connection, change, _claim_parameters(job) | values, following)
    if row is None:
        raise ClaimLost(job.id, claim=job.claim)
    return replace(job, **mutable_job_fields_of(row))


@lru_cache(maxsize=64)
def _build_update(columns: tuple[str, ...]) -> Update:
    given: dict[str, BindParameter[object]] = {name: bindparam(name) for name in columns}
    changed = update(jobs).where(_STILL_OURS).values(given)
    return changed.returning(*(jobs.c[name] for name in MUTABLE_JOB_FIELDS))


def _claim_parameters(job: Job) -> Values:
    return {"our_job": job.id, "our_claim": job.claim}
