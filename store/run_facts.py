"""What came of jobs: the states of their changes, the model, and the cost."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from sqlalchemy import Connection, func, select, union_all

from core.changes import ChangeState
from core.jobs import DRY_RUN
from store.changes.suggestions import planned_suggestions
from store.tables import changes, jobs, model_calls


@dataclass(frozen=True, slots=True)
class RunFacts:
    """What came of one job."""

    states: Mapping[ChangeState, int] = field(default_factory=dict)
    """Number of its changes by state; for a job that wrote a decision, those that it wrote."""
    model: str = ""
    """The model that was called; "" if none was."""
    cost: Decimal = Decimal(0)
    would_write: int = 0
    """Suggestions that a dry run would write; 0 for other jobs."""
    would_review: int = 0
    """Suggestions that a dry run would leave for review."""


def list_run_facts(connection: Connection, job_ids: Sequence[int]) -> Mapping[int, RunFacts]:
    """Return what came of each of these jobs; not meant for thousands."""
    if not job_ids:
        return {}
    states = _count_states(connection, job_ids)
    calls = _sum_calls(connection, job_ids)
    tried = _count_tried(connection, job_ids)
    return {
        job_id: RunFacts(
            states.get(job_id, {}),
            *calls.get(job_id, ("", Decimal(0))),
            would_write=tried.get((job_id, False), 0),
            would_review=tried.get((job_id, True), 0),
        )
        for job_id in job_ids
    }


def _count_states(
    connection: Connection, job_ids: Sequence[int]
) -> Mapping[int, Mapping[ChangeState, int]]:
    counted = (
        select(column, changes.c.state, func.count())
        .where(column.in_(job_ids))
        .group_by(column, changes.c.state)
        for column in (changes.c.job_id, changes.c.apply_job_id)
    )
    found: dict[int, dict[ChangeState, int]] = {}
    for job_id, state, count in connection.execute(union_all(*counted)):
        found.setdefault(job_id, {})[ChangeState(state)] = count
    return found


def _sum_calls(connection: Connection, job_ids: Sequence[int]) -> Mapping[int, tuple[str, Decimal]]:
    calls = model_calls.c
    summed = (
        select(calls.job_id, func.max(calls.model), func.sum(calls.cost))
        .where(calls.job_id.in_(job_ids))
        .group_by(calls.job_id)
    )
    return {job_id: (model, cost) for job_id, model, cost in connection.execute(summed)}


def _count_tried(connection: Connection, job_ids: Sequence[int]) -> Mapping[tuple[int, bool], int]:
    """Count the suggestions of dry runs by job, and by whether they would be for review."""
    planned = planned_suggestions.c
    by = (planned.job_id, planned.for_review)
    counted = (
        select(*by, func.count())
        .join(jobs, jobs.c.id == planned.job_id)
        .where(planned.job_id.in_(job_ids), jobs.c.kind == DRY_RUN, ~planned.left_out)
        .group_by(*by)
    )
    return {(job_id, for_review): n for job_id, for_review, n in connection.execute(counted)}
