"""Every move of a change that a job makes: planned, added, settled.

proposed --accept--> intended --settle--> applied --undo--> undone
    |                   |---------------> conflict   (waits for a person again)
    |                   `---------------> overridden
    `-------reject, supersede-----------> rejected   (intended as well, when its job is dead)
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime

from sqlalchemy import ColumnElement, Connection, TextClause, insert, select, text, update

from core.changes import KEEP, Change, ChangeState, Outcome, Plan, PlannedChange
from core.documents import DocumentRef
from core.fields import value_to_json
from core.jobs import ANALYZE, APPLY, EventName, Job
from store import change_reads, events
from store.errors import ChangeNotFound, WrongMove
from store.fence import require_ours
from store.job_reads import newest_analysis
from store.rows import Values, change_of, planned_row
from store.tables import PENDING, PROCESSING, WAITS, changes, jobs

RULE = "rule"
"""Who decided when the settings allowed the write."""
SUPERSEDED = "superseded"
"""Who decided when a later analysis of the same document made the question moot."""
VANISHED = "vanished"
"""Who decided when the document is gone from Paperless."""

_INTENDED = changes.c.state == ChangeState.INTENDED.value
_OUTCOMES: Mapping[ChangeState, frozenset[ChangeState]] = {
    ChangeState.INTENDED: frozenset(
        {ChangeState.APPLIED, ChangeState.CONFLICT, ChangeState.OVERRIDDEN}
    ),
    ChangeState.APPLIED: frozenset({ChangeState.UNDONE}),
}


def record_plan(connection: Connection, job: Job, plan: Plan, now: datetime) -> tuple[Change, ...]:
    """Store intent before the deed; if an earlier attempt has done so, return what it stored."""
    require_ours(connection, job)
    if stored := change_reads.of_job(connection, job.id):
        return stored
    superseded = withdraw_waiting(connection, job.document, SUPERSEDED, now)
    if not _may_be_written_still(connection, job.document):
        # What a job that came to nothing meant to write must not come up after this analysis.
        superseded += _withdraw(connection, job.document, _INTENDED, SUPERSEDED, now)
    made = [
        insert_change(connection, job.document, planned, _intended(job.id, RULE, now))
        for planned in plan.now
    ]
    made += [
        insert_change(connection, job.document, planned, _proposed(job.id, now))
        for planned in plan.review
    ]
    facts = {"now": len(plan.now), "review": len(plan.review), "superseded": superseded}
    left = [
        {"field": str(one.field), "after": value_to_json(one.after), "reasons": list(one.reasons)}
        for one in plan.leave
    ]
    events.tell(connection, job, EventName.CHANGES_RECORDED, at=now, leave=left, **facts)
    return tuple(made)


def add(
    connection: Connection,
    job: Job,
    planned: Sequence[PlannedChange],
    decided_by: str,
    now: datetime,
) -> tuple[Change, ...]:
    """Store further intended changes; one that is intended already is not stored twice.

    They belong to the analysis that they follow from, so that undoing it takes them back as well.
    """
    require_ours(connection, job)
    origin = job.id if job.kind == ANALYZE else newest_analysis(connection, job.document) or job.id
    stored = [
        one for one in change_reads.of_job(connection, origin) if one.state is ChangeState.INTENDED
    ]
    added = 0
    answer = []
    for wanted in planned:
        change = next((one for one in stored if _is_same(one, wanted)), None)
        if change is None:
            row = _intended(origin, decided_by, now)
            change = insert_change(connection, job.document, wanted, row)
            added += 1
        answer.append(change)
    if added:
        events.tell(connection, job, EventName.CHANGES_RECORDED, at=now, now=added, by=decided_by)
    return tuple(answer)


def settle(
    connection: Connection, job: Job, outcomes: Sequence[Outcome], now: datetime
) -> tuple[Change, ...]:
    """Store the fact after the deed, for changes of the job's document."""
    require_ours(connection, job)
    settled = tuple(_settle_one(connection, job.document, outcome, now) for outcome in outcomes)
    if settled:
        states = Counter(change.state.value for change in settled)
        told = [
            {"id": change.id, "field": str(change.field), "state": change.state.value}
            for change in settled
        ]
        events.tell(connection, job, EventName.CHANGES_SETTLED, at=now, changes=told, **states)
    return settled


def insert_change(
    connection: Connection, document: DocumentRef, planned: PlannedChange, row: Values
) -> Change:
    # Kept with the change, because it outlives its job and is undone with its scan all the same.
    scan = select(jobs.c.scan_id).where(jobs.c.id == row["job_id"]).scalar_subquery()
    where: Values = {
        "instance": document.instance,
        "document_id": document.id,
        "scan_id": scan,
    }
    statement = insert(changes).values(where | planned_row(planned) | row).returning(changes)
    return change_of(connection.execute(statement).mappings().one())


def _intended(job_id: int, decided_by: str, now: datetime) -> Values:
    return {
        "job_id": job_id,
        "state": ChangeState.INTENDED.value,
        "decided_by": decided_by,
        "created_at": now,
    }


def _proposed(job_id: int, now: datetime) -> Values:
    return _intended(job_id, "", now) | {"state": ChangeState.PROPOSED.value}


def withdraw_waiting(
    connection: Connection, document: DocumentRef, decided_by: str, now: datetime
) -> int:
    """Put nothing of a document before a person any more; return how much that was."""
    return _withdraw(connection, document, text(WAITS), decided_by, now)


def _may_be_written_still(connection: Connection, document: DocumentRef) -> bool:
    """Tell whether a job waits that writes what a person accepted."""
    live = select(jobs.c.id).where(
        jobs.c.instance == document.instance,
        jobs.c.document_id == document.id,
        jobs.c.kind == APPLY,
        jobs.c.status.in_([PENDING, PROCESSING]),
    )
    return connection.execute(live.limit(1)).first() is not None


def _withdraw(
    connection: Connection,
    document: DocumentRef,
    which: ColumnElement[bool] | TextClause,
    decided_by: str,
    now: datetime,
) -> int:
    found = select(changes.c.id).where(change_reads.is_of(document), which)
    ids = connection.scalars(found).all()
    rejected = {"state": ChangeState.REJECTED.value, "decided_by": decided_by, "settled_at": now}
    if ids:
        connection.execute(update(changes).where(changes.c.id.in_(ids)).values(**rejected))
    return len(ids)


def _is_same(change: Change, planned: PlannedChange) -> bool:
    return (change.field, change.before, change.after) == (
        planned.field,
        planned.before,
        planned.after,
    )


def _settle_one(
    connection: Connection, document: DocumentRef, outcome: Outcome, now: datetime
) -> Change:
    change = change_reads.get(connection, outcome.change_id)
    if change.document != document:
        raise ChangeNotFound(outcome.change_id)
    if outcome.state not in _OUTCOMES.get(change.state, frozenset()):
        raise WrongMove(f"change {change.id}", state=change.state, wanted=outcome.state)
    values: Values = {
        "state": outcome.state.value,
        "found": value_to_json(outcome.found),
        "settled_at": now,
    }
    if outcome.after is not KEEP:
        values["after"] = value_to_json(outcome.after)
    still_so = (changes.c.id == change.id, changes.c.state == change.state.value)
    statement = update(changes).where(*still_so).values(**values).returning(changes)
    return change_of(connection.execute(statement).mappings().one())
