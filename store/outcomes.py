"""Counts of how documents were filed, and of what people decided about each field."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import (
    ColumnElement,
    CompoundSelect,
    Connection,
    Select,
    and_,
    bindparam,
    case,
    exists,
    func,
    literal,
    literal_column,
    or_,
    select,
    union_all,
)
from sqlalchemy import text as sql_text

from core.changes import ChangeState
from core.fields import Field, field_from_text
from core.jobs import ANALYZE, APPLY, JobStatus
from store.tables import DECIDED_BY_PERSON, WAITS, changes, jobs

_instance: ColumnElement[str] = literal_column("(changes.instance || '')")
"""For the bare column SQLite would use an index with all changes of an instance."""
FAILED = "failed"
"""Counted beside the values of FilingOutcome."""


@dataclass(frozen=True, slots=True)
class FieldDecisions:
    """How many suggestions for a field people accepted unchanged, edited and rejected."""

    accepted: int = 0
    edited: int = 0
    rejected: int = 0

    @property
    def total(self) -> int:
        return self.accepted + self.edited + self.rejected

    @property
    def share_accepted(self) -> float | None:
        """Return the share that was accepted unchanged; None without decisions."""
        return self.accepted / self.total if self.total else None


def count_outcomes(
    connection: Connection, instances: Sequence[str], begins: Sequence[datetime]
) -> tuple[Mapping[str, int], ...]:
    """Return the number of documents by outcome, or failed, for each time span.

    `begins` are the starts of the spans and, last, the end of the last one. Documents for review
    are counted when a person has decided about them.
    """
    spans = len(begins) - 1
    counts: tuple[Counter[str], ...] = tuple(Counter() for _ in range(spans))
    moments = {f"begin{number}": moment for number, moment in enumerate(begins)}
    for instance, span, outcome, count in connection.execute(_build_query(spans), moments):
        if instance in instances:
            counts[span][outcome] += count
    return counts


@cache
def _build_query(spans: int) -> CompoundSelect[*tuple[Any, ...]]:
    """Build the query; building it takes longer than running it."""
    return union_all(*(_select_span(number) for number in range(spans)))


def _select_span(number: int) -> Select[*tuple[Any, ...]]:
    """Build the query for one span: of all instances, so that SQLite reads one index in order."""
    is_failed = jobs.c.status == JobStatus.FAILED.value
    is_filed = and_(jobs.c.status == JobStatus.COMPLETED.value, jobs.c.outcome.is_not(None))
    outcome: ColumnElement[str] = case((is_failed, FAILED), else_=jobs.c.outcome)
    by = (jobs.c.instance, outcome)
    return (
        select(jobs.c.instance, literal(number), outcome, func.count(jobs.c.document_id.distinct()))
        .where(jobs.c.finished_at >= bindparam(f"begin{number}"))
        .where(jobs.c.finished_at < bindparam(f"begin{number + 1}"))
        .where(jobs.c.kind.in_([ANALYZE, APPLY]), or_(is_failed, is_filed))
        .group_by(*by)
    )


def count_partly_filed(connection: Connection, instances: Sequence[str]) -> int:
    """Return the number of documents for review that are partly written by the same analysis."""
    written = changes.alias("written")
    of_it = (
        written.c.instance == changes.c.instance,
        written.c.document_id == changes.c.document_id,
        written.c.job_id == changes.c.job_id,
        written.c.state == ChangeState.APPLIED.value,
    )
    waiting = select(changes.c.instance, changes.c.document_id).distinct()
    partly = waiting.where(sql_text(f"changes.{WAITS}"), changes.c.instance.in_(instances))
    found = partly.where(exists().where(*of_it)).subquery()
    return connection.scalar(select(func.count()).select_from(found)) or 0


def _span_of(moment: ColumnElement[datetime], spans: int) -> ColumnElement[int]:
    return case(*((moment < bindparam(f"begin{number + 1}"), number) for number in range(spans)))


def count_decisions(
    connection: Connection, instances: Sequence[str], begins: Sequence[datetime]
) -> tuple[Mapping[Field, FieldDecisions], ...]:
    """Return what people decided about suggestions, by field, for each time span.

    `begins` are as for `count_outcomes`. What a person added is no suggestion and is left out.
    """
    spans = len(begins) - 1
    is_rejected = changes.c.state == ChangeState.REJECTED.value
    decided_at = changes.c.settled_at
    by = (_span_of(decided_at, spans), changes.c.field, is_rejected, changes.c.is_edited)
    counted = (
        select(*by, func.count())
        .where(decided_at >= bindparam("begin0"), decided_at < bindparam(f"begin{spans}"))
        .where(sql_text(DECIDED_BY_PERSON), _instance.in_(instances))
        .where(or_(is_rejected, changes.c.is_edited.is_not(None)))
        .group_by(*by)
    )
    moments = {f"begin{number}": moment for number, moment in enumerate(begins)}
    found: tuple[dict[str, Counter[str]], ...] = tuple({} for _ in range(spans))
    for span, field, rejected, edited, count in connection.execute(counted, moments):
        decision = "rejected" if rejected else "edited" if edited else "accepted"
        found[span].setdefault(field, Counter())[decision] += count
    return tuple(
        {field_from_text(field): FieldDecisions(**tally) for field, tally in fields.items()}
        for fields in found
    )
