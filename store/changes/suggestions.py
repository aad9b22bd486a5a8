"""The suggestions of a job's plan: what they change, their checks, and what was left out.

They are kept as long as the job's result.
"""

from collections.abc import Collection, Mapping

from sqlalchemy import Connection, Index, RowMapping, delete, false, insert, select
from sqlmodel import Field, SQLModel

from core.changes import CheckResult, Plan, PlannedChange, PlannedSuggestion
from core.fields import field_from_text, value_from_json, value_to_json
from core.jobs import Job
from store.columns import BigId, CleanText, Json
from store.queue.fence import require_claim
from store.rows import Values
from store.tables import table_of


class PlannedSuggestionRow(SQLModel, table=True):
    """A suggestion of the last plan of a job."""

    __tablename__ = "planned_suggestions"
    __table_args__ = (Index("ix_planned_suggestions_job", "job_id", "id"),)

    id: int | None = Field(default=None, primary_key=True, sa_type=BigId)
    job_id: int = Field(sa_type=BigId, foreign_key="jobs.id", ondelete="CASCADE")
    field: str = Field(sa_type=CleanText)
    value: object = Field(default=None, sa_type=Json, nullable=True)
    left_out: bool
    reasons: list[str] = Field(sa_type=Json)
    passed: list[str] = Field(sa_type=Json)
    # By check, why it failed.
    failed: dict[str, str] = Field(sa_type=Json)
    before: object = Field(default=None, sa_type=Json, nullable=True)
    for_review: bool = Field(default=False, sa_column_kwargs={"server_default": false()})


planned_suggestions = table_of(PlannedSuggestionRow)


def replace_suggestions(connection: Connection, job_id: int, plan: Plan) -> None:
    """Store the suggestions of a plan; they replace those of an earlier one."""
    of_job = planned_suggestions.c.job_id == job_id
    connection.execute(delete(planned_suggestions).where(of_job))
    rows = [_row(job_id, planned) for planned in plan.now]
    rows += [_row(job_id, planned) | {"for_review": True} for planned in plan.review]
    rows += [_row(job_id, planned) | {"left_out": True} for planned in plan.leave]
    if rows:
        connection.execute(insert(planned_suggestions), rows)


def record_dry_run(connection: Connection, job: Job, plan: Plan) -> None:
    """Store what a dry run would write. Raise ClaimLost."""
    require_claim(connection, job)
    replace_suggestions(connection, job.id, plan)


def list_suggestions(connection: Connection, job_id: int) -> tuple[PlannedSuggestion, ...]:
    """List the suggestions of a job's last plan; none if an earlier version stored it."""
    return list_suggestions_of_jobs(connection, [job_id])[job_id]


def list_suggestions_of_jobs(
    connection: Connection, job_ids: Collection[int]
) -> Mapping[int, tuple[PlannedSuggestion, ...]]:
    """Return the suggestions of the last plans of these jobs, by job."""
    of_jobs = planned_suggestions.c.job_id.in_(job_ids)
    found = select(planned_suggestions).where(of_jobs).order_by(planned_suggestions.c.id)
    suggestions: dict[int, list[PlannedSuggestion]] = {job_id: [] for job_id in job_ids}
    for row in connection.execute(found).mappings():
        suggestions[row["job_id"]].append(_suggestion_of(row))
    return {job_id: tuple(listed) for job_id, listed in suggestions.items()}


def _row(job_id: int, planned: PlannedChange) -> Values:
    return {
        "job_id": job_id,
        "field": str(planned.field),
        "value": value_to_json(planned.after),
        "before": value_to_json(planned.before),
        "left_out": False,
        "for_review": False,
        "reasons": list(planned.reasons),
        "passed": [result.check for result in planned.checks if not result.failure],
        "failed": {result.check: result.failure for result in planned.checks if result.failure},
    }


def _suggestion_of(row: RowMapping) -> PlannedSuggestion:
    return PlannedSuggestion(
        field_from_text(row["field"]),
        value_from_json(row["value"]),
        row["left_out"],
        tuple(row["reasons"]),
        (
            *(CheckResult(check, failure) for check, failure in row["failed"].items()),
            *(CheckResult(check) for check in row["passed"]),
        ),
        before=value_from_json(row["before"]),
        is_for_review=row["for_review"],
    )
