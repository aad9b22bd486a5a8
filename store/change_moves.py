"""Every move of a change that a job makes: planned, added, settled.

proposed --accept--> intended --settle--> applied --undo--> undone
    |                   |---------------> conflict   (waits for a person again)
    |                   `---------------> overridden
    `-------reject, supersede-----------> rejected   (intended as well, when its job is dead)
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from sqlalchemy import (
    ColumnElement,
    Connection,
    TextClause,
    bindparam,
    insert,
    select,
    text,
    update,
)

from core.changes import (
    KEEP,
    RULE,
    SUPERSEDED,
    Change,
    ChangeState,
    Outcome,
    Plan,
    PlannedChange,
    as_person,
)
from core.documents import DocumentRef
from core.fields import FieldName, Value, value_to_json
from core.jobs import ANALYZE, APPLY, EventName, Job
from store import change_reads, document_rows, events
from store.errors import ChangeNotFound, WrongMove
from store.fence import require_ours
from store.job_reads import newest_analysis
from store.rows import Values, change_of, planned_row
from store.tables import PENDING, PROCESSING, WAITS, changes, jobs

_INTENDED = changes.c.state == ChangeState.INTENDED.value
_OUTCOMES: Mapping[ChangeState, frozenset[ChangeState]] = {
    ChangeState.INTENDED: frozenset(
        {ChangeState.APPLIED, ChangeState.CONFLICT, ChangeState.OVERRIDDEN}
    ),
    ChangeState.APPLIED: frozenset({ChangeState.UNDONE}),
}

_INSERT = insert(changes).returning(changes, sort_by_parameter_order=True)
_SETTLE = update(changes).where(changes.c.id == bindparam("settled"))


def record_plan(connection: Connection, job: Job, plan: Plan, now: datetime) -> tuple[Change, ...]:
    """Store intent before the deed; if an earlier attempt has done so, return what it stored."""
    present = require_ours(connection, job)
    if stored := change_reads.of_job(connection, job.id):
        return stored
    superseded = withdraw_waiting(connection, job.document, SUPERSEDED, now)
    if not _may_be_written_still(connection, job.document):
        # What a job that came to nothing meant to write must not come up after this analysis.
        superseded += _withdraw(connection, job.document, _INTENDED, SUPERSEDED, now)
    by_rule, proposed = intended(job.id, RULE, now), _proposed(connection, present, now)
    rows = [planned_row(planned) | by_rule for planned in plan.now]
    rows += [planned_row(planned) | proposed for planned in plan.review]
    made = insert_changes(connection, job.document, rows)
    facts = {"now": len(plan.now), "review": len(plan.review), "superseded": superseded}
    left = [
        {"field": str(one.field), "after": value_to_json(one.after), "reasons": list(one.reasons)}
        for one in plan.leave
    ]
    checked = [_checked(one) for one in (*plan.now, *plan.review, *plan.leave) if one.checks]
    told = {"leave": left, "checks": checked}
    events.tell(connection, job, EventName.CHANGES_RECORDED, at=now, **told, **facts)
    return made


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
    there = [one for one in stored if any(_is_same(one, wanted) for wanted in planned)]
    missing = [one for one in planned if not any(_is_same(change, one) for change in stored)]
    row = intended(origin, decided_by, now)
    added = insert_changes(connection, job.document, [planned_row(one) | row for one in missing])
    if added:
        facts = {"now": len(added), "by": decided_by}
        events.tell(connection, job, EventName.CHANGES_RECORDED, at=now, **facts)
    return (*there, *added)


def settle(
    connection: Connection, job: Job, outcomes: Sequence[Outcome], now: datetime
) -> tuple[Change, ...]:
    """Store the fact after the deed, for changes of the job's document."""
    require_ours(connection, job)
    found = change_reads.listed(connection, [outcome.change_id for outcome in outcomes])
    changes_of = {change.id: change for change in found if change.document == job.document}
    settled = tuple(_settled(changes_of.get(one.change_id), one, job, now) for one in outcomes)
    if settled:
        connection.execute(_SETTLE, [_settled_row(change) for change in settled])
        states = Counter(change.state.value for change in settled)
        told = [
            {"id": change.id, "field": str(change.field), "state": change.state.value}
            for change in settled
        ]
        events.tell(connection, job, EventName.CHANGES_SETTLED, at=now, changes=told, **states)
    for change in settled:
        if change.field is FieldName.TITLE and isinstance(title := _left_behind(change), str):
            document_rows.retitle(connection, job.document, title)
    return settled


def _left_behind(change: Change) -> Value:
    """Return what Paperless has of a field when a change of it is settled."""
    match change.state:
        case ChangeState.APPLIED:
            return change.after
        case ChangeState.UNDONE:
            return change.before
        case _:
            return change.found


def insert_changes(
    connection: Connection, document: DocumentRef, rows: Sequence[Values]
) -> tuple[Change, ...]:
    """Store the changes of one job that `rows` describe; return them in the same order."""
    if not rows:
        return ()
    # Kept with the change, because it outlives its job and is undone with its scan all the same.
    scan = connection.scalar(select(jobs.c.scan_id).where(jobs.c.id == rows[0]["job_id"]))
    where: Values = {"instance": document.instance, "document_id": document.id, "scan_id": scan}
    made = connection.execute(_INSERT, [where | row for row in rows])
    return tuple(change_of(row) for row in made.mappings())


def intended(job_id: int, decided_by: str, now: datetime) -> Values:
    """Give the part of a change's row that says that it is to be written."""
    return {
        "job_id": job_id,
        "state": ChangeState.INTENDED.value,
        "decided_by": decided_by,
        "created_at": now,
        "settled_at": None,
        "before_ignored": None,
    }


def _proposed(connection: Connection, job: Job, now: datetime) -> Values:
    """Give the part that lets a change wait; nothing waits of what is to be left alone by now."""
    asked = job.cancel_requested
    if asked is not None and document_rows.is_ignored(connection, job.document):
        rejected = {"state": ChangeState.REJECTED.value, "settled_at": now}
        waited = {"state": ChangeState.PROPOSED.value, "decided_by": "", "settled_at": None}
        return intended(job.id, as_person(asked), now) | rejected | {"before_ignored": waited}
    return intended(job.id, "", now) | {"state": ChangeState.PROPOSED.value}


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


def _checked(planned: PlannedChange) -> Mapping[str, object]:
    """Tell how the checks of a suggestion ended: those that passed, and what the others doubt."""
    return {
        "field": str(planned.field),
        "value": value_to_json(planned.after),
        "passed": [one.check for one in planned.checks if not one.doubt],
        "failed": {one.check: one.doubt for one in planned.checks if one.doubt},
    }


def _is_same(change: Change, planned: PlannedChange) -> bool:
    return (change.field, change.before, change.after) == (
        planned.field,
        planned.before,
        planned.after,
    )


def _settled(change: Change | None, outcome: Outcome, job: Job, now: datetime) -> Change:
    """Return the change as it is after `outcome`, if it may come to that."""
    if change is None:
        raise ChangeNotFound(outcome.change_id)
    if outcome.state not in _OUTCOMES.get(change.state, frozenset()):
        raise WrongMove(f"change {change.id}", state=change.state, wanted=outcome.state)
    after = change.after if outcome.after is KEEP else outcome.after
    # Whoever had it written is not who takes it back.
    by = as_person(job.asked_by) if outcome.state is ChangeState.UNDONE else change.decided_by
    settled = replace(change, state=outcome.state, decided_by=by, settled_at=now)
    return replace(settled, found=outcome.found, after=after)


def _settled_row(change: Change) -> Values:
    return {
        "settled": change.id,
        "state": change.state.value,
        "found": value_to_json(change.found),
        "after": value_to_json(change.after),
        "decided_by": change.decided_by,
        "settled_at": change.settled_at,
    }
