"""The transitions of a change that a job makes, once its plan is stored (`plans.py`).

proposed --accept--> intended --settle--> applied --undo--> undone
    |                   |---------------> conflict   (for review again)
    |                   |---------------> overridden
    |                   `---give up-----> unconfirmed (an undo as well) --settle--> as above
    `-------reject, supersede-----------> rejected   (intended as well, if its write never began
                                                      or its job ended without having written it)

A write is marked as begun just before it is sent. The mark is removed once its effect is known. A
job does not end while one of its changes has the mark (`queue/moves.py`).
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from sqlalchemy import (
    Connection,
    bindparam,
    func,
    literal,
    select,
    text,
    update,
)

from core.changes import (
    KEEP,
    RULE,
    UNWRITTEN,
    WAITING,
    Change,
    ChangeOutcome,
    ChangeState,
    PlannedChange,
    as_person_name,
)
from core.documents import DocumentRef
from core.fields import FieldName, Value, value_to_json
from core.jobs import ANALYZE, APPLY, EventName, Job
from core.messages import Message, message
from store import document_rows
from store.changes import reads
from store.changes.plans import (
    INTENDED,
    WAITING_AGAIN,
    forget_outcomes,
    forget_plans,
    how_it_waited,
    insert_changes,
    intended_columns,
)
from store.changes.reads import is_of_document
from store.columns import UtcTime
from store.errors import ChangeNotFound, InvalidTransition
from store.queue import events
from store.queue.claims import require_claim
from store.queue.reads import find_newest_analysis, has_live_job
from store.rows import Values, planned_row
from store.tables import BEGUN, UNSETTLED, changes

_OUTCOMES: Mapping[ChangeState, frozenset[ChangeState]] = {
    ChangeState.INTENDED: frozenset(
        {
            ChangeState.APPLIED,
            ChangeState.CONFLICT,
            ChangeState.OVERRIDDEN,
            ChangeState.INTENDED,
        }
    ),
    ChangeState.APPLIED: frozenset({ChangeState.UNDONE, ChangeState.APPLIED}),
    ChangeState.UNCONFIRMED: frozenset(
        {
            ChangeState.APPLIED,
            ChangeState.CONFLICT,
            ChangeState.INTENDED,
            ChangeState.UNDONE,
        }
    ),
}
_BEGUN_BY_JOB = (
    changes.c.writer_job_id == bindparam("writer"),
    text(f"({BEGUN})"),
    text(UNSETTLED),
)
_SETTLE = update(changes).where(changes.c.id == bindparam("settled"))


def _add_planned(
    connection: Connection,
    job: Job,
    planned: Sequence[PlannedChange],
    decided_by: str,
    now: datetime,
) -> tuple[Change, ...]:
    """Store further intended changes, except those that are already intended.

    They belong to the analysis that they result from, so that undoing it undoes them as well.
    """
    require_claim(connection, job)
    origin = (
        job.id if job.kind == ANALYZE else find_newest_analysis(connection, job.document) or job.id
    )
    intended_before = [
        change
        for change in reads.list_for_job(connection, origin)
        if change.state is ChangeState.INTENDED
    ]
    known = [
        change for change in intended_before if any(_is_same(change, wanted) for wanted in planned)
    ]
    missing = [
        wanted
        for wanted in planned
        if not any(_is_same(change, wanted) for change in intended_before)
    ]
    row = intended_columns(origin, decided_by, now) | _apply_job_columns(job)
    rows = [planned_row(wanted) | row for wanted in missing]
    added = insert_changes(connection, job.document, rows)
    if added:
        facts = {"now": len(added), "by": decided_by}
        events.append(connection, job, EventName.CHANGES_RECORDED, at=now, **facts)
    return (*known, *added)


def begin(
    connection: Connection,
    job: Job,
    written: Sequence[Change],
    planned: Sequence[PlannedChange] = (),
    *,
    decided_by: str = RULE,
    now: datetime,
) -> tuple[Change, ...]:
    """Mark the write of these changes, and of further planned ones, as about to be sent.

    Their values are stored as given: new names have ids by now. Planned changes that are already
    intended are not stored twice. Raise ClaimLost, InvalidTransition.
    """
    further = _add_planned(connection, job, planned, decided_by, now)
    begun = {change.id: change for change in (*written, *further)}
    _mark(connection, job, begun.values(), ChangeState.INTENDED, {"write_begun_at": now})
    return tuple(replace(change, write_begun_at=now) for change in begun.values())


def begin_undo(
    connection: Connection, job: Job, undone: Sequence[Change], *, now: datetime
) -> tuple[Change, ...]:
    """Mark the undo of these changes as about to be sent. Raise ClaimLost, InvalidTransition."""
    require_claim(connection, job)
    by = as_person_name(job.asked_by)
    mark: Values = {"undo_begun_at": now, "undone_by": by}
    _mark(connection, job, undone, ChangeState.APPLIED, mark)
    return tuple(replace(change, undo_begun_at=now, undone_by=by) for change in undone)


def _mark(
    connection: Connection, job: Job, begun: Iterable[Change], state: ChangeState, mark: Values
) -> None:
    for change in begun:
        values: Values = {"after": value_to_json(change.after), "writer_job_id": job.id, **mark}
        is_it = (
            changes.c.id == change.id,
            is_of_document(job.document),
            changes.c.state == state.value,
        )
        marked = connection.execute(update(changes).where(*is_it).values(**values))
        if marked.rowcount != 1:
            raise InvalidTransition(_describe(change.id), state=change.state, wanted=state)


def _apply_job_columns(job: Job) -> Values:
    """Return the column value that names the apply job, if `job` is one."""
    return {"apply_job_id": job.id} if job.kind == APPLY else {"apply_job_id": None}


def write_has_begun(connection: Connection, job: Job) -> bool:
    """Return whether the job sent a write or an undo with an unknown effect."""
    begun = select(changes.c.id).where(is_of_document(job.document), *_BEGUN_BY_JOB)
    return connection.execute(begun.limit(1), {"writer": job.id}).first() is not None


def mark_unconfirmed(connection: Connection, job: Job, now: datetime) -> int:
    """Mark the job's begun changes as unconfirmed; return their number."""
    unconfirmed = (
        update(changes)
        .where(is_of_document(job.document), *_BEGUN_BY_JOB)
        .values(
            state=ChangeState.UNCONFIRMED.value,
            settled_at=func.coalesce(changes.c.settled_at, literal(now, UtcTime())),
        )
    )
    return connection.execute(unconfirmed, {"writer": job.id}).rowcount


def return_to_review(connection: Connection, job: Job, now: datetime) -> None:
    """Return what an apply job has not written to review, with the values the person chose.

    Changes that resulted from the acceptance, such as the done tag, are withdrawn; accepting again
    adds them again.
    """
    unwritten = (changes.c.apply_job_id == job.id, INTENDED, changes.c.write_begun_at.is_(None))
    withdrawn = {
        "state": ChangeState.REJECTED.value,
        "decided_by": UNWRITTEN,
        "settled_at": now,
    }
    connection.execute(
        update(changes).where(*unwritten, changes.c.decided_by == RULE).values(**withdrawn)
    )
    returned = WAITING_AGAIN
    if document_rows.is_ignored(connection, job.document):
        # An ignored document has nothing for review; the changes return once it is not ignored.
        rejected = {"state": ChangeState.REJECTED.value, "settled_at": now}
        returned = rejected | {"before_ignored": WAITING_AGAIN}
    connection.execute(update(changes).where(*unwritten).values(**returned))


def accept_again(connection: Connection, job: Job, by: str) -> None:
    """Accept the changes again that returned to review, when their apply job is restarted."""
    returned = (changes.c.apply_job_id == job.id, changes.c.state == ChangeState.PROPOSED.value)
    again = {"state": ChangeState.INTENDED.value, "decided_by": as_person_name(by)}
    connection.execute(update(changes).where(*returned).values(**again))


def settle(
    connection: Connection, job: Job, outcomes: Sequence[ChangeOutcome], *, now: datetime
) -> tuple[Change, ...]:
    """Store the outcomes of changes of the job's document, all or none.

    Raise ClaimLost, InvalidTransition, ChangeNotFound.
    """
    require_claim(connection, job)
    settled = _settle(connection, job.document, outcomes, job, now)
    if settled:
        states = Counter(change.state.value for change in settled)
        details = [
            {"id": change.id, "field": str(change.field), "state": change.state.value}
            for change in settled
        ]
        events.append(connection, job, EventName.CHANGES_SETTLED, at=now, changes=details, **states)
    return settled


def settle_unconfirmed(
    connection: Connection,
    document: DocumentRef,
    outcomes: Sequence[ChangeOutcome],
    *,
    now: datetime,
) -> tuple[Change, ...]:
    """Store the outcomes of a document's unconfirmed changes.

    Changes that were settled in the meantime are left alone, and so are all of them while the
    document has a live job: that job may have read the document already.
    """
    if has_live_job(connection, document):
        return ()
    found = reads.list_by_ids(connection, [outcome.change_id for outcome in outcomes])
    unconfirmed = {change.id for change in found if change.state is ChangeState.UNCONFIRMED}
    still = [outcome for outcome in outcomes if outcome.change_id in unconfirmed]
    return _settle(connection, document, still, None, now)


def _settle(
    connection: Connection,
    document: DocumentRef,
    outcomes: Sequence[ChangeOutcome],
    job: Job | None,
    now: datetime,
) -> tuple[Change, ...]:
    found = reads.list_by_ids(connection, [outcome.change_id for outcome in outcomes])
    changes_of = {change.id: change for change in found if change.document == document}
    settled = tuple(
        _settle_change(changes_of.get(outcome.change_id), outcome, job, now) for outcome in outcomes
    )
    if settled:
        connection.execute(_SETTLE, [_settled_columns(change) for change in settled])
        unwritten = {change.job_id for change in settled if change.decided_by == UNWRITTEN}
        forget_plans(connection, unwritten)
        undone = [change for change in settled if change.state is ChangeState.UNDONE]
        forget_outcomes(connection, {change.apply_job_id or change.job_id for change in undone})
        settled = _reject_if_ignored(connection, document, settled, now)
    for change in settled:
        if change.field is FieldName.TITLE and isinstance(
            title := _value_in_paperless(change), str
        ):
            document_rows.set_title(connection, document, title, now=now)
    return settled


def _reject_if_ignored(
    connection: Connection, document: DocumentRef, settled: tuple[Change, ...], now: datetime
) -> tuple[Change, ...]:
    """Reject the changes for review of an ignored document until it is no longer ignored."""
    waiting = [change for change in settled if change.state in WAITING]
    if not waiting or not document_rows.is_ignored(connection, document):
        return settled
    rejected: Values = {"state": ChangeState.REJECTED.value, "settled_at": now}
    for change in waiting:
        waited = how_it_waited(change.state, change.decided_by, change.settled_at)
        of_change = update(changes).where(changes.c.id == change.id)
        connection.execute(of_change.values(**rejected, before_ignored=waited))
    return tuple(
        replace(change, state=ChangeState.REJECTED, settled_at=now) if change in waiting else change
        for change in settled
    )


def _value_in_paperless(change: Change) -> Value:
    """Return what Paperless has of a field when a change of it is settled."""
    match change.state:
        case ChangeState.APPLIED:
            return change.after
        case ChangeState.UNDONE:
            return change.before
        case _:
            return change.found


def _is_same(change: Change, planned: PlannedChange) -> bool:
    return (change.field, change.before, change.after) == (
        planned.field,
        planned.before,
        planned.after,
    )


def _settle_change(
    change: Change | None, outcome: ChangeOutcome, job: Job | None, now: datetime
) -> Change:
    """Return the change with its outcome, or raise InvalidTransition."""
    if change is None:
        raise ChangeNotFound(outcome.change_id)
    unsent = outcome.state is change.state and not change.has_begun
    if unsent or outcome.state not in _OUTCOMES.get(change.state, frozenset()):
        raise InvalidTransition(_describe(change.id), state=change.state, wanted=outcome.state)
    known = replace(change, write_begun_at=None, undo_begun_at=None)
    # The job that was to write it still does when it is restarted.
    is_to_write = job is not None and job.id == (change.apply_job_id or change.job_id)
    match change.state, outcome.state:
        case _, ChangeState.UNDONE:
            # The time of the write and who decided it are kept.
            undone_by = change.undone_by or (as_person_name(job.asked_by) if job else "")
            return replace(known, state=ChangeState.UNDONE, undone_at=now, undone_by=undone_by)
        case (ChangeState.APPLIED, ChangeState.APPLIED):
            return replace(known, undone_by=None)
        case ChangeState.UNCONFIRMED, ChangeState.INTENDED if not is_to_write:
            return _returned(known, now)
        case _, ChangeState.INTENDED:
            return replace(known, state=ChangeState.INTENDED, settled_at=None)
        case _:
            return _ended(known, outcome, now)


def _returned(change: Change, now: datetime) -> Change:
    """Return a change that its ended job did not write: withdrawn, or for review if accepted."""
    if change.decided_by == RULE:
        withdrawn = replace(change, state=ChangeState.REJECTED, decided_by=UNWRITTEN)
        return replace(withdrawn, settled_at=now)
    return replace(change, state=ChangeState.PROPOSED, decided_by="", settled_at=None)


def _ended(change: Change, outcome: ChangeOutcome, now: datetime) -> Change:
    after = change.after if outcome.after is KEEP else outcome.after
    was_unconfirmed = change.state is ChangeState.UNCONFIRMED
    return replace(
        change,
        state=outcome.state,
        settled_at=change.settled_at if was_unconfirmed else now,
        found=outcome.found,
        after=after,
        undone_by=None,
    )


def _settled_columns(change: Change) -> Values:
    return {
        "settled": change.id,
        "state": change.state.value,
        "found": value_to_json(change.found),
        "after": value_to_json(change.after),
        "decided_by": change.decided_by,
        "settled_at": change.settled_at,
        "write_begun_at": change.write_begun_at,
        "undo_begun_at": change.undo_begun_at,
        "undone_at": change.undone_at,
        "undone_by": change.undone_by,
    }


def _describe(change_id: int) -> Message:
    return message("change {number}", number=str(change_id))
