"""Decisions in review: each is one transaction, with the job that writes it."""

from collections import Counter
from collections.abc import Mapping
from datetime import datetime

from sqlalchemy import Connection, RowMapping, case, null, select, text, update

from core.changes import (
    UNWRITTEN,
    AcceptedChange,
    ChangeState,
    Decision,
    FilingOutcome,
    RevisedChange,
    as_person_name,
)
from core.documents import DocumentRef
from core.fields import FieldName, value_to_json
from core.jobs import APPLY, Cancellation, EventName, Job, JobStatus, NewJob, Priority
from store import document_rows, names
from store.changes.plans import (
    forget_outcomes,
    how_it_waited,
    insert_changes,
    intended_columns,
)
from store.changes.reads import is_of_document
from store.errors import DocumentBusy, NotForReview
from store.queue import enqueue, events, moves
from store.queue.reads import find_newest_analysis
from store.rows import Values, job_of, planned_row
from store.tables import PENDING, PROCESSING, WAITS, changes, jobs

_NOT_SUGGESTED: Values = {
    "evidence": "",
    "evidence_found": False,
    "confidence": 1.0,
    "reasons": [],
    "similar": [],
    "e_invoice": None,
}
"""Columns of a change whose value no model suggested."""
_REPLACED_BY_DECISION = (
    *("state", "before", "after", "found", "decided_by", "why"),
    *("evidence", "evidence_found", "confidence", "reasons", "similar", "pattern", "e_invoice"),
)
"""Columns that a decision replaces; `settled_at` is a time and stored as text."""


def decide(
    connection: Connection,
    document: DocumentRef,
    decision: Decision,
    *,
    by: str,
    max_attempts: int,
    now: datetime,
) -> Job:
    """Store a person's whole decision and return the job that will write it.

    Raise NotForReview or DocumentBusy; then nothing is stored.
    """
    if decision.is_empty:
        raise ValueError(f"nothing was decided about {document}")
    by = as_person_name(by)
    job = _enqueue_apply_job(connection, document, max_attempts, now)
    decided = [
        *(
            (accepted.change_id, _accepted_columns(accepted, job, by))
            for accepted in decision.accept
        ),
        *((id_, _rejected_columns(by, decision.why, now)) for id_ in decision.reject),
        *((id_, _rejected_columns(by, "", now)) for id_ in decision.unchanged),
    ]
    before = _read_before(connection, document, decision, job)
    for change_id, values in decided:
        remembered: Values = {"before_decision": before.get(change_id)}
        _update_for_review(connection, document, change_id, values | remembered)
    origin = find_newest_analysis(connection, document) or job.id
    row = intended_columns(origin, by, now) | {"apply_job_id": job.id}
    insert_changes(connection, document, [planned_row(planned) | row for planned in decision.add])
    for meaning in decision.remember:
        names.save_alias(connection, document.instance, meaning, by=by, now=now)
    _record_outcome(connection, job, decision.outcome)
    facts = {
        "accepted": len(decision.accept),
        "rejected": len(decision.reject),
        "reviewed": len(decision.unchanged),
        "added": len(decision.add),
    }
    events.append(connection, job, EventName.CHANGES_RECORDED, at=now, by=by, **facts)
    return job


def undo_decision(connection: Connection, job_id: int, *, by: str, now: datetime) -> int:
    """Return what a decision left unwritten to review, as it was; return the number of changes.

    Changes that were written stay, and so does everything if the document was analyzed again.
    Raise JobNotFound, DocumentIgnored, or DocumentBusy if the job is writing.
    """
    job = moves.get(connection, job_id)
    document_rows.refuse_ignored(connection, job.document)
    if job.status is JobStatus.PROCESSING or job.ends_as is not None:
        raise DocumentBusy(job.document)
    newest = find_newest_analysis(connection, job.document)
    restored = 0
    for row in _list_decided(connection, job):
        if row["job_id"] == newest:
            before = row["before_decision"]
            values = _restored_decision(before)
            connection.execute(update(changes).where(changes.c.id == row["id"]).values(**values))
            for field, key in before["aliases"]:
                names.delete_alias(connection, job.document.instance, FieldName(field), key)
            restored += 1
    _withdraw_added(connection, job, now)
    if job.status is JobStatus.PENDING:
        moves.cancel_for(connection, job_id, Cancellation.of_undo(by), now=now)
    if restored:
        forget_outcomes(connection, [job.id])
        facts = {"by": as_person_name(by), "restored": restored}
        events.append(connection, job, EventName.CHANGES_RECORDED, at=now, **facts)
    return restored


def revise(
    connection: Connection, document: DocumentRef, revised: RevisedChange, *, by: str, now: datetime
) -> None:
    """Change the value or the reasons of a change that stays for review. Raise NotForReview."""
    values: Values = {
        "after": value_to_json(revised.after),
        "reasons": list(revised.reasons),
        "similar": [],
        "pattern": revised.pattern,
    }
    job_id = _update_for_review(connection, document, revised.change_id, values)
    _append_events(connection, {job_id: {"by": by, "revised": revised.change_id}}, now)


def reject_all(connection: Connection, document: DocumentRef, by: str, now: datetime) -> None:
    """Reject all changes for review of a document that is being ignored."""
    by = as_person_name(by)
    waiting = connection.execute(
        select(changes).where(is_of_document(document), text(WAITS))
    ).mappings()
    of_jobs: Counter[int] = Counter()
    for row in waiting.all():
        waited = how_it_waited(row["state"], row["decided_by"], row["settled_at"])
        values = _rejected_columns(by, "", now) | {"before_ignored": waited}
        connection.execute(update(changes).where(changes.c.id == row["id"]).values(**values))
        of_jobs[row["job_id"]] += 1
    _append_events(connection, {id_: {"by": by, "rejected": n} for id_, n in of_jobs.items()}, now)


def restore_ignored(connection: Connection, document: DocumentRef, now: datetime) -> None:
    """Return changes to review that were rejected because the document was ignored."""
    rejected = changes.c.state == ChangeState.REJECTED.value
    found = select(changes).where(
        is_of_document(document), rejected, changes.c.before_ignored.is_not(null())
    )
    of_jobs: Counter[int] = Counter()
    for row in connection.execute(found).mappings().all():
        values = _restored_columns(row["before_ignored"])
        connection.execute(update(changes).where(changes.c.id == row["id"]).values(**values))
        of_jobs[row["job_id"]] += 1
    _append_events(connection, {id_: {"restored": n} for id_, n in of_jobs.items()}, now)


def _list_decided(connection: Connection, job: Job) -> list[RowMapping]:
    """List the unwritten changes about which a job's decision was."""
    unwritten = changes.c.state.in_([ChangeState.INTENDED.value, ChangeState.REJECTED.value])
    found = select(changes).where(
        is_of_document(job.document),
        unwritten,
        changes.c.write_begun_at.is_(None),
        changes.c.before_decision.is_not(null()),
    )
    rows = connection.execute(found.order_by(changes.c.id)).mappings()
    return [row for row in rows if row["before_decision"]["job"] == job.id]


def _withdraw_added(connection: Connection, job: Job, now: datetime) -> None:
    """Withdraw the values that a person added to the suggestions."""
    added = (
        changes.c.apply_job_id == job.id,
        changes.c.state == ChangeState.INTENDED.value,
        changes.c.write_begun_at.is_(None),
        changes.c.before_decision.is_(null()),
    )
    withdrawn = _rejected_columns(UNWRITTEN, "", now)
    connection.execute(update(changes).where(*added).values(**withdrawn))


def _read_before(
    connection: Connection, document: DocumentRef, decision: Decision, job: Job
) -> Mapping[int, Values]:
    """Return each change for review as it is before a decision, by its id."""
    found = select(changes).where(is_of_document(document), text(WAITS))
    rows = connection.execute(found).mappings()
    learned = [[rule.field.value, rule.key] for rule in decision.remember]
    about: Values = {"job": job.id, "aliases": learned}
    return {row["id"]: about | _decided_columns(row) for row in rows}


def _decided_columns(row: RowMapping) -> Values:
    """Return the columns of a change that a decision replaces, as JSON."""
    columns: Values = {name: row[name] for name in _REPLACED_BY_DECISION}
    settled_at = row["settled_at"]
    return columns | {"settled_at": settled_at and settled_at.isoformat()}


def _restored_decision(before: Values) -> Values:
    settled_at = before["settled_at"]
    return {
        **{name: before[name] for name in _REPLACED_BY_DECISION},
        "settled_at": datetime.fromisoformat(str(settled_at)) if settled_at else None,
        "apply_job_id": None,
        "is_edited": None,
        "before_decision": None,
    }


def _append_events(connection: Connection, facts: Mapping[int, Values], now: datetime) -> None:
    """Write an event for each of these jobs; a change may outlive its job."""
    there = connection.scalars(select(jobs.c.id).where(jobs.c.id.in_(facts)))
    of_jobs = {job_id: facts[job_id] for job_id in there}
    events.append_all(connection, EventName.CHANGES_RECORDED, of_jobs, at=now)


def _enqueue_apply_job(
    connection: Connection, document: DocumentRef, max_attempts: int, now: datetime
) -> Job:
    """Enqueue the job that writes, or return the one that is already pending."""
    new = NewJob(
        document,
        kind=APPLY,
        priority=Priority.BY_HAND,
        asked_by="review",
        max_attempts=max_attempts,
    )
    return enqueue.enqueue(connection, new, now=now) or _get_pending_job(connection, document)


def _record_outcome(connection: Connection, job: Job, outcome: FilingOutcome) -> None:
    """Store how the document is filed; two different decisions together are an edit."""
    is_other = jobs.c.outcome != outcome.value
    both = case((is_other, FilingOutcome.EDITED.value), else_=outcome.value)
    connection.execute(update(jobs).where(jobs.c.id == job.id).values(outcome=both))


def _get_pending_job(connection: Connection, document: DocumentRef) -> Job:
    live = select(jobs).where(
        jobs.c.instance == document.instance,
        jobs.c.document_id == document.id,
        jobs.c.kind == APPLY,
        jobs.c.status.in_([PENDING, PROCESSING]),
    )
    live_job = job_of(connection.execute(live).mappings().one())
    if live_job.status is JobStatus.PROCESSING or live_job.ends_as is not None:
        # It has already read what to write, or writes nothing more: a change accepted now would
        # not be written.
        raise DocumentBusy(document)
    return live_job


def _update_for_review(
    connection: Connection, document: DocumentRef, change_id: int, values: Values
) -> int:
    """Update a change for review, or raise NotForReview; return the id of its job."""
    waits = (changes.c.id == change_id, is_of_document(document), text(WAITS))
    statement = update(changes).where(*waits).values(**values).returning(changes.c.job_id)
    job_id: int | None = connection.scalar(statement)
    if job_id is None:
        raise NotForReview(change_id)
    return job_id


def _accepted_columns(accepted: AcceptedChange, job: Job, by: str) -> Values:
    return {
        "state": ChangeState.INTENDED.value,
        "apply_job_id": job.id,
        "before": value_to_json(accepted.seen),
        "after": value_to_json(accepted.after),
        "found": None,
        "decided_by": by,
        "settled_at": None,
        "is_edited": accepted.is_edited,
        **(_NOT_SUGGESTED if accepted.is_edited else {}),
    }


def _restored_columns(waited: Values) -> Values:
    settled_at = waited["settled_at"]
    return {
        "state": waited["state"],
        "decided_by": waited["decided_by"],
        "settled_at": datetime.fromisoformat(str(settled_at)) if settled_at else None,
        "before_ignored": None,
    }


def _rejected_columns(by: str, why: str, now: datetime) -> Values:
    rejected = ChangeState.REJECTED.value
    return {"state": rejected, "decided_by": by, "why": why, "settled_at": now}
