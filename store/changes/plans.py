"""The plan of a job: its changes and suggestions, and what becomes of an earlier plan.

Suggestions are kept as long as the result of the job.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime

from sqlalchemy import (
    ColumnElement,
    Connection,
    Index,
    RowMapping,
    TextClause,
    and_,
    delete,
    exists,
    false,
    insert,
    or_,
    select,
    text,
    update,
)
from sqlmodel import Field, SQLModel

from core.changes import (
    RULE,
    SUPERSEDED,
    SYSTEM_ACTORS,
    UNDOABLE,
    UNWRITTEN,
    Change,
    ChangeState,
    CheckResult,
    FilingOutcome,
    Plan,
    PlannedChange,
    PlannedSuggestion,
    as_person_name,
)
from core.documents import DocumentRef
from core.fields import FieldName, field_from_text, is_same_value, value_from_json, value_to_json
from core.jobs import EventName, Job
from store import document_rows
from store.changes import reads
from store.changes.reads import is_of_document
from store.columns import BigId, CleanText, Json
from store.queue import events
from store.queue.claims import require_claim
from store.rows import Values, change_of, planned_row
from store.tables import WAITS, changes, jobs, table_of


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
INTENDED = changes.c.state == ChangeState.INTENDED.value
_FILED = changes.c.state.in_([ChangeState.INTENDED.value, *(state.value for state in UNDOABLE)])
_INSERT = insert(changes).returning(changes, sort_by_parameter_order=True)
WAITING_AGAIN: Values = {
    "state": ChangeState.PROPOSED.value,
    "decided_by": "",
    "settled_at": None,
}
_NEVER_BEGUN_BY_RULE = and_(
    INTENDED, changes.c.write_begun_at.is_(None), changes.c.apply_job_id.is_(None)
)


def record_plan(
    connection: Connection, job: Job, plan: Plan, *, made_from: str, now: datetime
) -> tuple[Change, ...]:
    """Store the planned changes before anything is written; return the changes of the job.

    A stored plan is kept if its fingerprint `made_from` is the same. Otherwise this one replaces
    it, except for changes that were written or decided by a person. Changes of earlier jobs of
    the document that are still for review are superseded. Raise ClaimLost.
    """
    present = require_claim(connection, job)
    stored = reads.list_for_job(connection, job.id)
    if stored and _read_fingerprint(connection, job) == made_from:
        return stored
    superseded = withdraw_waiting(connection, job.document, SUPERSEDED, now)
    superseded += _withdraw(connection, job.document, _NEVER_BEGUN_BY_RULE, SUPERSEDED, now)
    write_now = [planned for planned in plan.now if not _is_decided(planned, stored)]
    review = [planned for planned in plan.review if not _is_decided(planned, stored)]
    by_rule, proposed = (
        intended_columns(job.id, RULE, now),
        _proposed_columns(connection, present, now),
    )
    rows = [planned_row(planned) | by_rule for planned in write_now]
    rows += [planned_row(planned) | proposed for planned in review]
    insert_changes(connection, job.document, rows)
    planned_values: Values = {"plan_made_from": made_from}
    if plan.now or plan.review:
        planned_values["outcome"] = None if plan.review else FilingOutcome.AUTOMATIC.value
    connection.execute(update(jobs).where(jobs.c.id == job.id).values(**planned_values))
    replace_suggestions(connection, job.id, plan)
    facts = {
        "now": len(write_now),
        "review": len(review),
        "superseded": superseded,
        "leave": [str(planned.field) for planned in plan.leave],
    }
    events.append(connection, job, EventName.CHANGES_RECORDED, at=now, **facts)
    return reads.list_for_job(connection, job.id)


def insert_changes(
    connection: Connection, document: DocumentRef, rows: Sequence[Values]
) -> tuple[Change, ...]:
    """Store the changes of one job that `rows` describe; return them in the same order."""
    if not rows:
        return ()
    # Stored with the change, because it outlives its job and is undone with its scan.
    scan = connection.scalar(select(jobs.c.scan_id).where(jobs.c.id == rows[0]["job_id"]))
    where: Values = {"instance": document.instance, "document_id": document.id, "scan_id": scan}
    made = connection.execute(_INSERT, [where | row for row in rows])
    return tuple(change_of(row) for row in made.mappings())


def intended_columns(job_id: int, decided_by: str, now: datetime) -> Values:
    """Return the columns of a change that is to be written."""
    return {
        "job_id": job_id,
        "state": ChangeState.INTENDED.value,
        "decided_by": decided_by,
        "created_at": now,
        "settled_at": None,
        "before_ignored": None,
    }


def withdraw_waiting(
    connection: Connection, document: DocumentRef, decided_by: str, now: datetime
) -> int:
    """Withdraw all changes for review of a document; return their number."""
    return _withdraw(connection, document, text(WAITS), decided_by, now)


def withdraw_unwritten(connection: Connection, job: Job, now: datetime) -> None:
    """Withdraw what an ended analysis was to write and did not; a restart plans it again."""
    unwritten = and_(changes.c.job_id == job.id, _NEVER_BEGUN_BY_RULE)
    _withdraw(connection, job.document, unwritten, UNWRITTEN, now)


def forget_plans(connection: Connection, job_ids: Collection[int]) -> None:
    """Make the jobs plan again when they are restarted: their stored plans are incomplete."""
    if job_ids:
        planned_by = jobs.c.id.in_(job_ids)
        connection.execute(update(jobs).where(planned_by).values(plan_made_from=None))


def forget_outcomes(connection: Connection, job_ids: Collection[int]) -> None:
    """Stop counting documents as filed by jobs whose changes were all undone."""
    if not job_ids:
        return
    by_apply_job = changes.c.apply_job_id == jobs.c.id
    by_analysis = and_(changes.c.job_id == jobs.c.id, changes.c.apply_job_id.is_(None))
    is_filed = or_(*(exists().where(by, _FILED) for by in (by_apply_job, by_analysis)))
    forgotten = update(jobs).where(jobs.c.id.in_(job_ids), ~is_filed)
    connection.execute(forgotten.values(outcome=None))


def how_it_waited(state: str, decided_by: str, settled_at: datetime | None) -> Values:
    """Return what to restore of a change for review when its document is no longer ignored."""
    return {
        "state": str(state),
        "decided_by": decided_by,
        "settled_at": settled_at and settled_at.isoformat(),
    }


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


def _read_fingerprint(connection: Connection, job: Job) -> str | None:
    found: str | None = connection.scalar(select(jobs.c.plan_made_from).where(jobs.c.id == job.id))
    return found


def _is_decided(planned: PlannedChange, stored: Iterable[Change]) -> bool:
    """Return whether a person has accepted any value for the field, or declined this value."""
    declined = {ChangeState.REJECTED, ChangeState.UNDONE}
    by_person = (change for change in stored if _is_by_person(change))
    return any(
        is_same_value(change.after, planned.after)
        or (change.field is not FieldName.TAGS and change.state not in declined)
        for change in by_person
        if change.field == planned.field
    )


def _is_by_person(change: Change) -> bool:
    decided = bool(change.decided_by) and change.decided_by not in SYSTEM_ACTORS
    return decided or change.state is ChangeState.UNDONE


def _proposed_columns(connection: Connection, job: Job, now: datetime) -> Values:
    """Return the columns of a change for review; of an ignored document it is rejected."""
    cancellation = job.cancellation
    if cancellation is not None and document_rows.is_ignored(connection, job.document):
        rejected = {"state": ChangeState.REJECTED.value, "settled_at": now}
        waited = {"before_ignored": WAITING_AGAIN}
        return intended_columns(job.id, as_person_name(cancellation.by), now) | rejected | waited
    return intended_columns(job.id, "", now) | {"state": ChangeState.PROPOSED.value}


def _withdraw(
    connection: Connection,
    document: DocumentRef,
    which: ColumnElement[bool] | TextClause,
    decided_by: str,
    now: datetime,
) -> int:
    found = select(changes.c.id, changes.c.job_id).where(is_of_document(document), which)
    job_of_change = dict(connection.execute(found).all())
    rejected = {"state": ChangeState.REJECTED.value, "decided_by": decided_by, "settled_at": now}
    if job_of_change:
        connection.execute(
            update(changes).where(changes.c.id.in_(job_of_change)).values(**rejected)
        )
        forget_plans(connection, set(job_of_change.values()))
    return len(job_of_change)


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
