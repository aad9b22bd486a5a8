"""Vital signs: how long the queue is, how much failed lately, how long a document takes."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from functools import cache
from typing import Any

from sqlalchemy import Connection, Select, bindparam, func, select, text

from core.analysis import STARTED
from core.jobs import ANALYZE, EventName, JobStatus
from store.database import Database
from store.tables import LIVE, events, instance_of_job, jobs, model_calls

_LATEST = 50
"""So many documents tell how long one takes."""


@dataclass(frozen=True, slots=True)
class Spent:
    """What ended calls of an instance to a model took."""

    instance: str
    model: str
    outcome: str
    calls: int
    tokens_in: int
    tokens_out: int
    took_ms: int
    cost: Decimal


@dataclass(frozen=True, slots=True)
class Pulse:
    """The figures of an operator, all of one moment."""

    waiting: int
    """Jobs in the queue."""
    failed: tuple[int, ...]
    """Jobs that failed since each of the times asked about, and were not started again."""
    mean_time: timedelta | None


class Vitals:
    """Counts over all instances, or some. Each method is one transaction."""

    def __init__(self, database: Database) -> None:
        self._read = database.read

    async def queue(self) -> Mapping[str, Mapping[JobStatus, int]]:
        """Count the live jobs, by instance and status."""
        return await self._read(queue)

    async def pulse(
        self, *, failed_since: Sequence[datetime], instances: Collection[str] | None = None
    ) -> Pulse:
        """Tell how long the queue is, how much failed since these times, and how long one takes."""
        return await self._read(pulse, tuple(failed_since), instances)

    async def mean_time(self, instances: Collection[str] | None = None) -> timedelta | None:
        """Tell how long the latest analyses took from their last claim to their end; None: none.

        They are those of some instances, or of all.
        """
        return await self._read(mean_time, instances)

    async def spent(self, *, since: datetime) -> tuple[Spent, ...]:
        """Add up the calls that began then or later and have ended, by instance and model."""
        return await self._read(spent, since)


def queue(connection: Connection) -> Mapping[str, Mapping[JobStatus, int]]:
    by = (instance_of_job, jobs.c.status)
    counted = select(*by, func.count()).where(text(LIVE)).group_by(*by)
    found: defaultdict[str, dict[JobStatus, int]] = defaultdict(dict)
    for instance, status, count in connection.execute(counted):
        found[instance][JobStatus(status)] = count
    return dict(found)


def pulse(
    connection: Connection, failed_since: Sequence[datetime], instances: Collection[str] | None
) -> Pulse:
    waiting = {name: one.get(JobStatus.PENDING, 0) for name, one in queue(connection).items()}
    return Pulse(
        waiting=sum(waiting[name] for name in waiting if instances is None or name in instances),
        failed=tuple(failed(connection, since, instances) for since in failed_since),
        mean_time=mean_time(connection, instances),
    )


def failed(
    connection: Connection, since: datetime, instances: Collection[str] | None = None
) -> int:
    of_late = (jobs.c.finished_at >= since, jobs.c.status == JobStatus.FAILED.value)
    counted = select(func.count()).select_from(jobs).where(*of_late)
    if instances is not None:
        counted = counted.where(instance_of_job.in_(instances))
    return connection.scalar(counted) or 0


def mean_time(connection: Connection, instances: Collection[str] | None = None) -> timedelta | None:
    given = {} if instances is None else {"instances": list(instances)}
    rows = connection.execute(_latest(of_some=instances is not None), given).all()
    took = [finished - begun for finished, begun in rows]
    return sum(took, timedelta()) / len(took) if took else None


@cache
def _latest(*, of_some: bool) -> Select[*tuple[Any, ...]]:
    """Find when the latest analyses ended, and were last claimed."""
    ended = (jobs.c.status == JobStatus.COMPLETED.value, jobs.c.kind == ANALYZE)
    latest = select(jobs.c.id, jobs.c.finished_at).where(*ended, jobs.c.finished_at.is_not(None))
    if of_some:
        latest = latest.where(instance_of_job.in_(bindparam("instances", expanding=True)))
    newest = latest.order_by(jobs.c.finished_at.desc()).limit(_LATEST).subquery()
    claim = (events.c.job_id == newest.c.id) & (events.c.name == EventName.CLAIMED.value)
    claimed = select(newest.c.finished_at, func.max(events.c.at)).join(events, claim)
    return claimed.group_by(newest.c.id, newest.c.finished_at)


def spent(connection: Connection, since: datetime) -> tuple[Spent, ...]:
    calls = model_calls.c
    by = (calls.instance, calls.model, calls.outcome)
    sums = (func.sum(one) for one in (calls.tokens_in, calls.tokens_out, calls.took_ms, calls.cost))
    # What is under way is booked with an estimate: a counter must not go down when it ends.
    ended = (calls.at >= since, calls.outcome != STARTED)
    added_up = select(*by, func.count(), *sums).where(*ended).group_by(*by).order_by(*by)
    return tuple(Spent(*row) for row in connection.execute(added_up))
