"""What happened in a span of time, for who tells the owner about it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, Connection, func, select, text

from core.documents import DocumentRef
from core.jobs import ANALYZE, JobStatus
from store.database import Database
from store.tables import WAITS, WRITTEN, changes, instance_of_job, jobs

Span = tuple[datetime, datetime]
"""From the first moment to before the second."""


@dataclass(frozen=True, slots=True)
class Failures:
    """Documents that failed for one cause."""

    user_message: str
    first_at: datetime
    documents: tuple[DocumentRef, ...]
    """The oldest failure first, each once."""


@dataclass(frozen=True, slots=True)
class Happened:
    """How much happened in a span."""

    completed: int
    """Documents of which an analysis went through."""
    failed: int
    """Documents of which one failed."""
    written: int
    """Documents to which something was written."""


class News:
    """What happened, over several instances. Each method is one reading transaction."""

    def __init__(self, database: Database) -> None:
        self._read = database.read

    async def failures(self, instances: Sequence[str], span: Span) -> tuple[Failures, ...]:
        """List what failed then and is still failed, the most common cause first."""
        return await self._read(failures, instances, span)

    async def happened(self, instances: Sequence[str], span: Span) -> Happened:
        """Count what ended, and what was written."""
        return await self._read(happened, instances, span)

    async def newest_waiting(self, instances: Sequence[str]) -> int:
        """Return the number of the newest change that waits for a person; 0 if none does."""
        return await self._read(newest_waiting, instances)


def failures(connection: Connection, instances: Sequence[str], span: Span) -> tuple[Failures, ...]:
    said = jobs.c.problem["user_message"].as_string()
    found = (
        select(said, jobs.c.finished_at, jobs.c.instance, jobs.c.document_id)
        .where(*_ended(instances, span), jobs.c.status == JobStatus.FAILED.value)
        .order_by(jobs.c.finished_at, jobs.c.id)
    )
    causes: dict[str, dict[DocumentRef, datetime]] = {}
    for why, at, instance, number in connection.execute(found):
        causes.setdefault(why or "", {}).setdefault(DocumentRef(instance, number), at)
    grouped = [Failures(why, min(of_it.values()), tuple(of_it)) for why, of_it in causes.items()]
    return tuple(sorted(grouped, key=lambda one: -len(one.documents)))


def happened(connection: Connection, instances: Sequence[str], span: Span) -> Happened:
    ended = _ended(instances, span)
    # A document may have been analysed more than once.
    once = select(jobs.c.status, jobs.c.instance, jobs.c.document_id).distinct()
    analysed = once.where(*ended, jobs.c.kind == ANALYZE).subquery()
    by_status = select(analysed.c.status, func.count()).group_by(analysed.c.status)
    tally: dict[str, int] = dict(connection.execute(by_status).all())
    then = (changes.c.settled_at >= span[0], changes.c.settled_at < span[1])
    where = (changes.c.instance.in_(instances), text(WRITTEN), *then)
    documents = select(changes.c.instance, changes.c.document_id).where(*where).distinct()
    return Happened(
        completed=tally.get(JobStatus.COMPLETED.value, 0),
        failed=tally.get(JobStatus.FAILED.value, 0),
        written=connection.scalar(select(func.count()).select_from(documents.subquery())) or 0,
    )


def newest_waiting(connection: Connection, instances: Sequence[str]) -> int:
    waiting = (changes.c.instance.in_(instances), text(WAITS))
    return connection.scalar(select(func.max(changes.c.id)).where(*waiting)) or 0


def _ended(instances: Sequence[str], span: Span) -> tuple[ColumnElement[bool], ...]:
    within = (jobs.c.finished_at >= span[0], jobs.c.finished_at < span[1])
    return (*within, instance_of_job.in_(instances))
