"""Convert rows to values of `core` and back, including rows of older versions."""

from collections.abc import Callable, Mapping
from dataclasses import asdict
from datetime import datetime
from typing import Any, TypeAlias, TypedDict, TypeVar

import structlog
from sqlalchemy import RowMapping

from core.analysis import ModelCall
from core.archive import IndexChoice
from core.changes import AutomaticValue, Change, ChangeState, PlannedChange
from core.documents import DocumentRef, DocumentState, KnownDocument
from core.errors import Problem
from core.fields import field_from_text, value_from_json, value_to_json
from core.jobs import (
    Actor,
    CallProgress,
    Cancellation,
    Event,
    EventName,
    Job,
    JobStatus,
    NewJob,
    Stage,
    request_id,
)
from core.messages import message_from_json, message_to_json, plain
from core.scans import KnownInstance, Scan, SkipReason
from core.spending import Consent
from store.columns import folded

log = structlog.get_logger()

T = TypeVar("T")

UNREADABLE = (AttributeError, KeyError, TypeError, ValueError)
"""Errors of JSON with an unexpected structure."""

Row: TypeAlias = RowMapping | Mapping[str, Any]
"""A row as it was read, or with values that need not be read because they were just written."""

Values = dict[str, object]
"""Column values of an INSERT or UPDATE."""

CANCEL = (
    "cancel_requested",
    "cancel_message",
    "cancel_code",
    "cancel_actor",
    "cancel_by",
    "cancel_why",
)
"""The columns of a cancellation."""
GONE = "gone"
"""The `cancel_code` of a job that ended because its document is gone from Paperless."""
_DECISION_UNDONE = "decision_undone"
"""The `cancel_code` of a job whose decision a person undid before it was written."""


def read_or_warn(read: Callable[[], T], **which: int) -> T | None:
    """Return the result of `read`; log a warning and return None if it is unreadable."""
    try:
        return read()
    except UNREADABLE as error:
        # Only the type: the error's text quotes stored values, which are private.
        log.warning("stored row unreadable", error=type(error).__name__, **which)
        return None


def ref_of(row: Row) -> DocumentRef:
    return DocumentRef(row["instance"], row["document_id"])


def job_of(row: Row) -> Job:
    return Job(
        id=row["id"],
        document=ref_of(row),
        kind=row["kind"],
        priority=row["priority"],
        claim=row["claim"],
        max_attempts=row["max_attempts"],
        created_at=row["created_at"],
        asked_by=row["asked_by"],
        scan_id=row["scan_id"],
        payload=row["payload"],
        trace=row["trace"],
        started_at=row["started_at"],
        request_id=row["request_id"],
        consent=_consent_of(row),
        pages=row["pages"],
        title=row["title"],
        **mutable_job_fields_of(row),
    )


class MutableJobFields(TypedDict):
    """The fields of a job that may change while a worker has it.

    A move reads only these back: reading the rest takes as long as the move itself.
    """

    status: JobStatus
    attempts: int
    scheduled_for: datetime
    stage: Stage | None
    progress: int
    worker: str | None
    heartbeat_at: datetime | None
    finished_at: datetime | None
    problem: Problem | None
    cancellation: Cancellation | None
    ends_as: JobStatus | None
    reconciles: int
    updated_at: datetime | None
    model_call: CallProgress | None


MUTABLE_JOB_FIELDS = (*(MutableJobFields.__annotations__.keys() - {"cancellation"}), *CANCEL)
"""The columns that are read for MutableJobFields."""

JOB_COLUMNS = frozenset(
    {
        "id",
        "instance",
        "document_id",
        "kind",
        "priority",
        "claim",
        "max_attempts",
        "created_at",
        "asked_by",
        "scan_id",
        "payload",
        "trace",
        "started_at",
        "request_id",
        "consented_by",
        "consented_at",
        "consented_cost",
        "pages",
        "title",
        *MUTABLE_JOB_FIELDS,
    }
)
"""The columns that are read for a job."""


def mutable_job_fields_of(row: Row) -> MutableJobFields:
    return MutableJobFields(
        status=JobStatus(row["status"]),
        attempts=row["attempts"],
        scheduled_for=row["scheduled_for"],
        stage=None if row["stage"] is None else Stage(row["stage"]),
        progress=row["progress"],
        worker=row["worker"],
        heartbeat_at=row["heartbeat_at"],
        finished_at=row["finished_at"],
        problem=_problem_of(row),
        cancellation=_cancellation_of(row),
        ends_as=None if row["ends_as"] is None else JobStatus(row["ends_as"]),
        reconciles=row["reconciles"],
        updated_at=row["updated_at"],
        model_call=_model_call_of(row),
    )


def _model_call_of(row: Row) -> CallProgress | None:
    stored = row["model_call"]
    if stored is None:
        return None
    return CallProgress(
        started_at=datetime.fromisoformat(stored["started_at"]),
        tokens=stored["tokens"],
        is_thinking=stored["is_thinking"],
        usual_ms=stored["usual_ms"],
    )


def model_call_row(call: CallProgress | None) -> Values | None:
    return None if call is None else {**asdict(call), "started_at": call.started_at.isoformat()}


def new_job_row(new: NewJob, *, now: datetime, scan_id: int | None) -> Values:
    return {
        "instance": new.document.instance,
        "document_id": new.document.id,
        "kind": new.kind,
        "status": JobStatus.PENDING.value,
        "priority": int(new.priority),
        "claim": 0,
        "attempts": 0,
        "max_attempts": new.max_attempts,
        "give_backs": 0,
        "recovered": False,
        "scheduled_for": max(now, new.not_before or now),
        "created_at": now,
        "asked_by": new.asked_by,
        "scan_id": scan_id,
        "payload": dict(new.payload),
        "progress": 0,
        "updated_at": now,
        "request_id": request_id.get(),
        **consent_row(new.consent),
    }


def _problem_of(row: Row) -> Problem | None:
    problem: Mapping[str, Any] | None = row["problem"]
    if problem is None:
        return None
    return Problem(
        code=problem["code"],
        message=message_from_json(problem, problem["message"]),
        user_message=problem.get("user_message", ""),
        hint=problem.get("hint", ""),
        retryable=problem.get("retryable"),
    )


def _cancellation_of(row: Row) -> Cancellation | None:
    text: str | None = row["cancel_requested"]
    if text is None:
        return None
    if row["cancel_code"] == _DECISION_UNDONE:
        return Cancellation.of_undo(row["cancel_by"])
    if row["cancel_actor"] == Actor.USER:
        why: str | None = row["cancel_why"]
        return Cancellation(Actor.USER, row["cancel_by"], None if why is None else plain(why))
    if row["cancel_actor"] is None and row["cancel_message"] is None and not row["cancel_code"]:
        # An older version stored a person's name and reason as one text.
        return Cancellation(Actor.USER, text)
    actor = Actor(row["cancel_actor"] or Actor.WORKER)
    return Cancellation(actor, why=message_from_json(row["cancel_message"], text))


def cancel_row(cancellation: Cancellation, code: str | None = None) -> Values:
    """Return the columns of a cancellation; `cancel_requested` has all of it as a text."""
    by, why, text = cancellation.by, cancellation.why, cancellation.describe()
    return {
        "cancel_requested": str(text),
        "cancel_message": None if by or why is None else message_to_json(why),
        "cancel_code": _DECISION_UNDONE if cancellation.is_undo else code,
        "cancel_actor": cancellation.actor.value,
        "cancel_by": by or None,
        "cancel_why": str(why) if by and why is not None else None,
    }


def problem_row(problem: Problem | None) -> Values | None:
    if problem is None:
        return None
    return {
        "code": problem.code,
        "message": str(problem.message),
        "user_message": problem.user_message,
        "hint": problem.hint,
        "retryable": problem.retryable,
        **(message_to_json(problem.message) or {}),
    }


def event_of(row: RowMapping) -> Event:
    return Event(
        id=row["id"],
        job_id=row["job_id"],
        name=EventName(row["name"]),
        at=row["at"],
        trace=row["trace"],
        data=row["data"],
        messages={
            key: message_from_json(stored, str(row["data"].get(key, "")))
            for key, stored in (row["messages"] or {}).items()
        },
    )


def document_of(row: RowMapping) -> KnownDocument:
    return KnownDocument(
        ref=ref_of(row),
        state=DocumentState(row["state"]),
        title=row["title"],
        content_hash=row["content_hash"],
        trigger_removed=row["trigger_removed"],
        first_seen_at=row["first_seen_at"],
        updated_at=row["updated_at"],
    )


def title_columns(title: str) -> Values:
    """Return the columns of a title."""
    return {"title": title, "title_key": folded(title)}


def new_document_row(
    ref: DocumentRef, state: DocumentState, *, title: str, now: datetime
) -> Values:
    return {
        "instance": ref.instance,
        "document_id": ref.id,
        "state": state.value,
        **title_columns(title),
        "trigger_removed": False,
        "first_seen_at": now,
        "updated_at": now,
    }


def scan_of(row: RowMapping) -> Scan:
    skipped: Mapping[str, int] = row["skipped"]
    return Scan(
        id=row["id"],
        instance=row["instance"],
        asked_by=row["asked_by"],
        requested_at=row["requested_at"],
        started_at=row["started_at"],
        finished_at=row["finished_at"],
        kind=row["kind"],
        limit=row["limit"],
        seen=row["seen"],
        enqueued=row["enqueued"],
        skipped={SkipReason(reason): count for reason, count in skipped.items()},
        problem=_problem_of(row),
        changed_since=row["changed_since"],
        consent=_consent_of(row),
    )


def _consent_of(row: Row) -> Consent | None:
    if row["consented_at"] is None:
        return None
    return Consent(row["consented_by"], row["consented_at"], row["consented_cost"])


def consent_row(consent: Consent | None) -> Values:
    """Return the columns of a consent, of a scan or of a job."""
    return {
        "consented_by": consent.by if consent else None,
        "consented_at": consent.at if consent else None,
        "consented_cost": consent.cost if consent else None,
    }


def instance_of(row: RowMapping) -> KnownInstance:
    return KnownInstance(
        name=row["name"],
        endpoint=row["endpoint"],
        first_started_at=row["first_started_at"],
        last_scan_at=row["last_scan_at"],
        cron=row["cron"],
        next_scan_at=row["next_scan_at"],
        index_choice=IndexChoice(row["index_choice"]) if row["index_choice"] else None,
        url=row["url"],
    )


def change_of(row: RowMapping) -> Change:
    return Change(
        id=row["id"],
        document=ref_of(row),
        job_id=row["job_id"],
        field=field_from_text(row["field"]),
        before=value_from_json(row["before"]),
        after=value_from_json(row["after"]),
        state=ChangeState(row["state"]),
        evidence=row["evidence"],
        confidence=row["confidence"],
        reasons=tuple(row["reasons"]),
        found=value_from_json(row["found"]),
        decided_by=row["decided_by"],
        created_at=row["created_at"],
        settled_at=row["settled_at"],
        similar=tuple(row["similar"]),
        why=row["why"],
        apply_job_id=row["apply_job_id"],
        write_begun_at=row["write_begun_at"],
        undo_begun_at=row["undo_begun_at"],
        undone_at=row["undone_at"],
        undone_by=row["undone_by"],
        changed_seen_at=row["changed_seen_at"],
        changed_to=value_from_json(row["changed_to"]),
        pattern=row["pattern"],
        e_invoice=value_from_json(row["e_invoice"]),
        is_evidence_found=row["evidence_found"],
        is_edited=bool(row["is_edited"]),
    )


def automatic_value_of(row: RowMapping) -> AutomaticValue:
    return AutomaticValue(ref_of(row), field_from_text(row["field"]), value_from_json(row["after"]))


def planned_row(planned: PlannedChange) -> Values:
    """Return the columns of a change that come from the plan."""
    return {
        "field": str(planned.field),
        "before": value_to_json(planned.before),
        "after": value_to_json(planned.after),
        "evidence": planned.evidence,
        "evidence_found": planned.is_evidence_found,
        "confidence": planned.confidence,
        "reasons": list(planned.reasons),
        "similar": list(planned.similar),
        "pattern": planned.pattern,
        "e_invoice": value_to_json(planned.e_invoice),
    }


def call_of(row: RowMapping) -> ModelCall:
    return ModelCall(
        endpoint=row["endpoint"],
        model=row["model"],
        mode=row["mode"],
        outcome=row["outcome"],
        tokens_in=row["tokens_in"],
        tokens_out=row["tokens_out"],
        took_ms=row["took_ms"],
        at=row["at"],
        cost=row["cost"],
    )
