"""Put jobs into the queue: single ones, those that a scan selected, and restarted ones."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from sqlalchemy import Connection, RowMapping, func, select

from core.documents import DocumentRef, DocumentState
from core.jobs import ANALYZE, APPLY, MODEL_KINDS, EventName, Job, JobStatus, NewJob
from core.messages import message
from core.spending import NO_CONSENTS, Consent
from store import document_rows
from store.changes import moves as change_moves
from store.engine import insert_into
from store.errors import AlreadyQueued, InvalidTransition, NotFound, Refused
from store.queue import events
from store.queue.moves import get, update_unclaimed
from store.rows import CANCEL, Values, consent_row, job_of, new_document_row, new_job_row, ref_of
from store.tables import PENDING, PROCESSING, documents, jobs

Selected = Sequence[tuple[NewJob, str]]


def enqueue(connection: Connection, new: NewJob, *, now: datetime) -> Job | None:
    """Put a job into the queue; None if one of that document and kind is live.

    Raise DocumentIgnored if it is an analysis and the document is ignored.
    """
    if new.kind == ANALYZE:
        document_rows.refuse_ignored(connection, new.document)
    made = connection.execute(
        insert_into(connection, jobs)
        .values(new_job_row(new, now=now, scan_id=None))
        .on_conflict_do_nothing()
        .returning(jobs)
    )
    row = made.mappings().first()
    if row is None:
        return None
    job = job_of(row)
    if job.kind == ANALYZE:
        document_rows.mark_queued(connection, job.document, now=now)
    events.append(connection, job, EventName.ENQUEUED, at=now, **_enqueued_facts(new))
    return job


def enqueue_selected(connection: Connection, selected: Selected, *, now: datetime) -> int:
    """Store documents that were selected outside a scan, with their jobs; return how many.

    Documents that were queued or ignored in the meantime are left out.
    """
    return enqueue_all(connection, drop_ignored(connection, selected), None, now)


def enqueue_all(
    connection: Connection, wanted: Selected, scan_id: int | None, now: datetime
) -> int:
    """Store documents with their jobs; return how many jobs were enqueued."""
    inserted = _insert_jobs(connection, wanted, scan_id, now)
    _queue_documents(connection, wanted, inserted, now)
    return len(inserted)


def drop_ignored(connection: Connection, selected: Selected) -> Selected:
    """Return what was selected, without analyses of documents that are ignored."""
    analyses = [new.document for new, _ in selected if new.kind == ANALYZE]
    ignored: set[DocumentRef] = set()
    for instance in {ref.instance for ref in analyses}:
        states = document_rows.get_states(
            connection, instance, [r.id for r in analyses if r.instance == instance]
        )
        ignored |= {
            DocumentRef(instance, number)
            for number, state in states.items()
            if state is DocumentState.IGNORED
        }
    return [(new, title) for new, title in selected if new.document not in ignored]


def restart(
    connection: Connection,
    job_id: int,
    *,
    by: str,
    consents: Mapping[str, Consent] = NO_CONSENTS,
    now: datetime,
) -> Job:
    """Restart a failed or cancelled job with all its attempts.

    A job that calls the model keeps the consent of its instance. Raise JobNotFound,
    InvalidTransition, DocumentIgnored, or AlreadyQueued if another job of that document and kind
    is live.
    """
    job = get(connection, job_id)
    if not job.can_be_restarted:
        raise InvalidTransition(
            message("job {number}", number=str(job_id)), state=job.status, wanted=JobStatus.PENDING
        )
    if job.kind == ANALYZE:
        document_rows.refuse_ignored(connection, job.document)
    if _has_live_twin(connection, job):
        raise AlreadyQueued(job.document, kind=job.kind)
    consent = consents.get(job.document.instance) if job.kind in MODEL_KINDS else None
    restarted = update_unclaimed(
        connection, job, _restart_values(now) | consent_row(consent), now=now
    )
    if job.kind == APPLY:
        change_moves.accept_again(connection, job, by)
    if job.kind == ANALYZE:
        document_rows.mark_queued(connection, job.document, now=now)
    facts = {"by": by} | _consent_facts(consent)
    events.append(connection, restarted, EventName.RESTARTED, at=now, **facts)
    return restarted


def restart_each(
    connection: Connection,
    ids: Iterable[int],
    *,
    by: str,
    consents: Mapping[str, Consent] = NO_CONSENTS,
    now: datetime,
) -> tuple[tuple[Job, ...], tuple[NotFound | Refused, ...]]:
    """Restart several jobs; return the restarted ones and the errors of the others.

    A job that cannot be restarted does not stop the others.
    """
    started: list[Job] = []
    refused: list[NotFound | Refused] = []
    for job_id in ids:
        try:
            # A refused restart has written nothing, so the transaction can continue.
            started.append(restart(connection, job_id, by=by, consents=consents, now=now))
        except (NotFound, Refused) as error:
            refused.append(error)
    return tuple(started), tuple(refused)


def _insert_jobs(
    connection: Connection, wanted: Selected, scan_id: int | None, now: datetime
) -> Sequence[RowMapping]:
    if not wanted:
        return ()
    last = connection.scalar(select(func.max(jobs.c.id))) or 0
    # Measured: executing one statement with many rows is ten times as fast as one with many values.
    rows = [new_job_row(new, now=now, scan_id=scan_id) for new, _ in wanted]
    connection.execute(insert_into(connection, jobs).on_conflict_do_nothing(), rows)
    inserted = connection.execute(
        select(jobs).where(jobs.c.id > last).order_by(jobs.c.id)
    ).mappings()
    found = inserted.all()
    scan = {} if scan_id is None else {"scan": scan_id}
    facts = {
        row["id"]: _enqueued_facts(
            NewJob(ref_of(row), row["kind"], row["priority"], row["asked_by"])
        )
        | scan
        for row in found
    }
    events.append_all(connection, EventName.ENQUEUED, facts, at=now)
    return found


def _queue_documents(
    connection: Connection, wanted: Selected, inserted: Sequence[RowMapping], now: datetime
) -> None:
    analysed = {ref_of(row) for row in inserted if row["kind"] == ANALYZE}
    rows = [
        new_document_row(new.document, DocumentState.QUEUED, title=title, now=now)
        for new, title in wanted
        if new.kind == ANALYZE and new.document in analysed
    ]
    if not rows:
        return
    statement = insert_into(connection, documents)
    again = {
        name: statement.excluded[name] for name in ("state", "title", "title_key", "updated_at")
    }
    connection.execute(
        statement.on_conflict_do_update(
            index_elements=["instance", "document_id"], set_=again | {"trigger_removed": False}
        ),
        rows,
    )


def _enqueued_facts(new: NewJob) -> Values:
    facts: Values = {"asked_by": new.asked_by, "kind": new.kind, "priority": int(new.priority)}
    return facts | _consent_facts(new.consent)


def _consent_facts(consent: Consent | None) -> Values:
    return {} if consent is None else {"consented_cost": str(consent.cost)}


def _restart_values(now: datetime) -> Values:
    return {
        "status": JobStatus.PENDING.value,
        "attempts": 0,
        "give_backs": 0,
        "scheduled_for": now,
        "finished_at": None,
        "problem": None,
        **dict.fromkeys(CANCEL),
        "ends_as": None,
        "reconciles": 0,
        "stage": None,
        "progress": 0,
        "trace": None,
        "started_at": None,
    }


def _has_live_twin(connection: Connection, job: Job) -> bool:
    twin = select(jobs.c.id).where(
        jobs.c.instance == job.document.instance,
        jobs.c.document_id == job.document.id,
        jobs.c.kind == job.kind,
        jobs.c.status.in_([PENDING, PROCESSING]),
    )
    return connection.execute(twin.limit(1)).first() is not None
