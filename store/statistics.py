"""Figures for people: how much waits, what each day brought, why jobs failed."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from itertools import starmap
from typing import Any

from sqlalchemy import (
    Connection,
    Select,
    Subquery,
    Text,
    bindparam,
    case,
    cast,
    exists,
    func,
    literal,
    not_,
    or_,
    select,
    text,
    union_all,
)

from core.jobs import ANALYZE, APPLY, JobStatus
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


@dataclass(frozen=True, slots=True)
class DocumentCounts:
    """Number of documents that were done and that failed in a time span."""

    done: int
    failed: int


class Figures:
    """Counts over several instances. Each method is one query."""

    def __init__(self, database: Database) -> None:
        self._read = database.read

    async def for_review(self, instances: Instances) -> Mapping[str, int]:
        """Count the documents of each instance with something that waits for a person."""
        return await self._read(for_review, instances)

    async def documents_by_day(
        self, instances: Instances, begins: Sequence[datetime]
    ) -> tuple[DocumentCounts, ...]:
        """Count the documents that were done or failed in each time span.

        `begins` are the starts of the spans and, last, the end of the last one. A document counts
        once, in the span in which its last job ended. A document for review is not done.
        """
        return await self._read(documents_by_day, instances, begins)

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


def documents_by_day(
    connection: Connection, instances: Instances, begins: Sequence[datetime]
) -> tuple[DocumentCounts, ...]:
    done, failed = ([0] * (len(begins) - 1) for _ in range(2))
    moments = {f"begin{number}": moment for number, moment in enumerate(begins)}
    found = connection.execute(_ended_documents(len(begins) - 1), moments)
    for instance, day, is_failed, count in found:
        if instance in instances:
            (failed if is_failed else done)[day] += count
    return tuple(starmap(DocumentCounts, zip(done, failed, strict=True)))


@cache
def _ended_documents(spans: int) -> Select[*tuple[Any, ...]]:
    """Build the query that counts by span; building it takes longer than running it."""
    last = _last_ends(spans)
    is_failed = func.coalesce(last.c.failed_at > last.c.done_at, last.c.done_at.is_(None))
    at = case((is_failed, last.c.failed_at), else_=last.c.done_at)
    day = case(*((at < bindparam(f"begin{number + 1}"), number) for number in range(spans)))
    waits = exists().where(
        changes.c.instance == last.c.instance,
        changes.c.document_id == last.c.document_id,
        text(f"changes.{WAITS}"),
    )
    by = (last.c.instance, day, is_failed)
    return select(*by, func.count()).where(or_(is_failed, not_(waits))).group_by(*by)


def _last_ends(spans: int) -> Subquery:
    """Build the query for when the jobs of each document last completed and last failed.

    It covers all instances: with a condition on them, SQLite would use a slower index.
    """
    ended = jobs.c.finished_at
    within = (ended >= bindparam("begin0"), ended < bindparam(f"begin{spans}"))
    done, failed = (
        func.max(case((jobs.c.status == status.value, ended)))
        for status in (JobStatus.COMPLETED, JobStatus.FAILED)
    )
    by = (jobs.c.instance, jobs.c.document_id)
    found = select(*by, done.label("done_at"), failed.label("failed_at"))
    statuses = (JobStatus.COMPLETED.value, JobStatus.FAILED.value)
    counted = (jobs.c.kind.in_([ANALYZE, APPLY]), jobs.c.status.in_(statuses))
    return found.where(*within, *counted).group_by(*by).subquery()


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
