"""Figures for people: how much waits, what each day brought, why jobs failed."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import (
    CompoundSelect,
    Connection,
    Select,
    Text,
    bindparam,
    cast,
    func,
    literal,
    select,
    text,
    union_all,
)

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
        return await self._read(for_review, instances)

    async def finished_by_day(
        self, instances: Instances, begins: Sequence[datetime]
    ) -> tuple[Mapping[JobStatus, int], ...]:
        """Count the analyses that ended, by how, in each of the spans that begin so.

        The last of `begins` is where the last span ends.
        """
        return await self._read(finished_by_day, instances, begins)

    async def tally(self, instances: Instances, *, most: int) -> Mapping[JobStatus, int]:
        """Count the jobs by status; of what there is more than `most` of, only so many."""
        return await self._read(tally, instances, most)

    async def causes(self, instances: Instances) -> tuple[FailureCause, ...]:
        """Say why the failed jobs failed, the most common cause first."""
        return await self._read(causes, instances)


def for_review(connection: Connection, instances: Instances) -> Mapping[str, int]:
    documents = func.count(changes.c.document_id.distinct())
    counted = select(changes.c.instance, documents).where(text(WAITS))
    of_these = counted.where(changes.c.instance.in_(instances)).group_by(changes.c.instance)
    found: dict[str, int] = dict(connection.execute(of_these).all())
    return {name: found.get(name, 0) for name in instances}


def finished_by_day(
    connection: Connection, instances: Instances, begins: Sequence[datetime]
) -> tuple[Mapping[JobStatus, int], ...]:
    days: list[Counter[JobStatus]] = [Counter() for _ in begins[1:]]
    moments = {f"begin{number}": moment for number, moment in enumerate(begins)}
    for number, instance, status, count in connection.execute(_finished_in(len(days)), moments):
        if instance in instances:
            days[number][JobStatus(status)] += count
    return tuple(days)


@cache
def _finished_in(spans: int) -> CompoundSelect[*tuple[Any, ...]]:
    """Count what ended in each of so many spans; to build it takes longer than to carry it out."""
    return union_all(*(_finished_within(number) for number in range(spans)))


def _finished_within(number: int) -> Select[*tuple[Any, ...]]:
    """Count what ended in a span; of all instances, for else SQLite takes the index of those."""
    finished, by = jobs.c.finished_at, (jobs.c.instance, jobs.c.status)
    counted = select(literal(number), *by, func.count()).group_by(*by)
    begins, ends = f"begin{number}", f"begin{number + 1}"
    within = (finished >= bindparam(begins), finished < bindparam(ends))
    return counted.where(*within, jobs.c.kind == ANALYZE)


def causes(connection: Connection, instances: Instances) -> tuple[FailureCause, ...]:
    # Whole, and read here: to take it apart is what takes the time, and there are few causes.
    code, one = jobs.c.problem["code"].as_string(), func.max(cast(jobs.c.problem, Text))
    failed = (jobs.c.instance.in_(instances), jobs.c.status == JobStatus.FAILED.value)
    counted = (
        select(code, one, func.count())
        .where(*failed, jobs.c.problem.is_not(None))
        .group_by(code)
        .order_by(func.count().desc(), code)
    )
    return tuple(
        FailureCause(cause, said.get("user_message", ""), said.get("hint", ""), count)
        for cause, text_, count in connection.execute(counted)
        for said in [json.loads(text_)]
    )


def tally(connection: Connection, instances: Instances, most: int) -> Mapping[JobStatus, int]:
    counts = [_at_most(instance, status, most) for instance in instances for status in JobStatus]
    tally = dict.fromkeys(JobStatus, 0)
    for status, count in connection.execute(union_all(*counts)) if counts else ():
        tally[JobStatus(status)] += count
    return {status: min(count, most) for status, count in tally.items()}


def _at_most(instance: str, status: JobStatus, most: int) -> Select[*tuple[Any, ...]]:
    of_it = (jobs.c.instance == instance, jobs.c.status == status.value)
    first = select(jobs.c.id).where(*of_it).limit(most).subquery()
    return select(literal(status.value), func.count()).select_from(first)
