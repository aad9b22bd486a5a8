"""Figures for people: how much waits, what each day brought, why jobs failed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Column, ColumnElement, Connection, case, func, select, text

from core.jobs import ANALYZE, JobStatus
from store.database import Database
from store.tables import WAITS, changes, jobs

Instances = Sequence[str]


@dataclass(frozen=True, slots=True)
class FailureCause:
    """Why jobs failed, and how many of one instance did."""

    code: str
    user_message: str
    hint: str
    jobs: int


class Figures:
    """Counts over several instances. Each method is one query."""

    def __init__(self, database: Database) -> None:
        self._read = database.read

    async def for_review(self, instances: Instances) -> Mapping[str, int]:
        """Count the documents of each instance with something that waits for a person."""
        return await self._read(_for_review, instances)

    async def finished_by_day(
        self, instances: Instances, begins: Sequence[datetime]
    ) -> tuple[Mapping[JobStatus, int], ...]:
        """Count the analyses that ended, by how, in each of the spans that begin so.

        The last of `begins` is where the last span ends.
        """
        return await self._read(_finished_by_day, instances, begins)

    async def causes(self, instances: Instances) -> tuple[FailureCause, ...]:
        """Say why the failed jobs failed, the most common cause first."""
        return await self._read(_causes, instances)


def _for_review(connection: Connection, instances: Instances) -> Mapping[str, int]:
    documents = select(changes.c.instance, changes.c.document_id).where(text(WAITS)).distinct()
    of_these = documents.where(changes.c.instance.in_(instances)).subquery()
    counted = select(of_these.c.instance, func.count()).group_by(of_these.c.instance)
    found: dict[str, int] = dict(connection.execute(counted).all())
    return {name: found.get(name, 0) for name in instances}


def _finished_by_day(
    connection: Connection, instances: Instances, begins: Sequence[datetime]
) -> tuple[Mapping[JobStatus, int], ...]:
    span = _span(jobs.c.finished_at, begins)
    within = (jobs.c.finished_at >= begins[0], jobs.c.finished_at < begins[-1])
    counted = (
        select(span, jobs.c.status, func.count())
        .where(jobs.c.instance.in_(instances), jobs.c.kind == ANALYZE, *within)
        .group_by(span, jobs.c.status)
    )
    days: list[dict[JobStatus, int]] = [{} for _ in begins[1:]]
    for number, status, count in connection.execute(counted):
        days[number][JobStatus(status)] = count
    return tuple(days)


def _causes(connection: Connection, instances: Instances) -> tuple[FailureCause, ...]:
    code, said, hint = (
        jobs.c.problem[part].as_string() for part in ("code", "user_message", "hint")
    )
    failed = (jobs.c.instance.in_(instances), jobs.c.status == JobStatus.FAILED.value)
    counted = (
        select(code, func.max(said), func.max(hint), func.count())
        .where(*failed, jobs.c.problem.is_not(None))
        .group_by(code)
        .order_by(func.count().desc(), code)
    )
    return tuple(FailureCause(*row) for row in connection.execute(counted).all())


def _span(moment: Column[datetime], begins: Sequence[datetime]) -> ColumnElement[int]:
    """Give each span its number: the days of people are not those of the database."""
    ends = enumerate(begins[1:])
    # As literals: PostgreSQL does not see that two parameters with one value are the same.
    return case(*((moment < end, text(str(number))) for number, end in ends)).label("span")
