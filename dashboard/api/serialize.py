"""Build the API's schemas from values."""

from datetime import date

from actions.documents import DocumentHistory
from actions.jobs import EnqueueResult, JobDetails
from actions.timeline import CheckedSuggestion, list_checked_suggestions
from core.analysis import ModelCall, Result
from core.changes import Change
from core.documents import KnownDocument
from core.errors import DescribedError, Problem
from core.fields import Money, Name, Option, Value
from core.jobs import Cancellation, Event, Job, JobStatus
from core.spending import Consent
from dashboard.api.schemas import (
    CallProgressShown,
    CallShown,
    CancellationShown,
    ChangeShown,
    CheckedShown,
    CheckShown,
    ConsentShown,
    DocumentShown,
    EventShown,
    JobShown,
    JobStoryShown,
    LifeShown,
    PartShown,
    ProblemShown,
    QueuedShown,
    ResultShown,
    SuggestionShown,
    ValueShown,
)


def serialize_job(root: str, job: Job) -> JobShown:
    return JobShown(
        id=job.id,
        address=f"{root}/jobs/{job.id}",
        document=str(job.document),
        instance=job.document.instance,
        kind=job.kind,
        status=job.status,
        stage=job.stage,
        progress=job.progress,
        priority=job.priority,
        attempts=job.attempts,
        max_attempts=job.max_attempts,
        asked_by=job.asked_by,
        scan=job.scan_id,
        created_at=job.created_at,
        scheduled_for=job.scheduled_for,
        started_at=job.started_at,
        updated_at=job.updated_at,
        finished_at=job.finished_at,
        cancel_requested=None if job.cancel_requested is None else str(job.cancel_requested),
        cancellation=serialize_cancellation(job.cancellation),
        request_id=job.request_id,
        ends_as=job.ends_as,
        problem=serialize_problem(job.problem),
        model_call=serialize_call_progress(job),
        consent=serialize_consent(job.consent),
        pages=job.pages,
    )


def serialize_consent(consent: Consent | None) -> ConsentShown | None:
    if consent is None:
        return None
    return ConsentShown(by=consent.by, at=consent.at, cost=consent.cost)


def serialize_call_progress(job: Job) -> CallProgressShown | None:
    call = job.model_call
    if call is None or job.status is not JobStatus.PROCESSING:
        return None
    return CallProgressShown(
        started_at=call.started_at,
        tokens=call.tokens,
        thinking=call.is_thinking,
        usual_ms=call.usual_ms,
    )


def serialize_cancellation(cancellation: Cancellation | None) -> CancellationShown | None:
    if cancellation is None:
        return None
    why = cancellation.why
    return CancellationShown(
        actor=cancellation.actor,
        by=cancellation.by or None,
        why=None if why is None else str(why),
    )


def serialize_queued(root: str, queued: EnqueueResult) -> QueuedShown:
    return QueuedShown(
        jobs=[serialize_job(root, job) for job in queued.jobs],
        refused=[serialize_error(error) for error in queued.refused],
    )


def serialize_timeline(root: str, details: JobDetails) -> JobStoryShown:
    latest = details.result or next(reversed(details.partial_results), None)
    checked = list_checked_suggestions(details.suggestions)
    return JobStoryShown(
        **serialize_job(root, details.job).model_dump(),
        result=serialize_result(root, latest) if latest else None,
        partial_results=[serialize_result(root, result) for result in details.partial_results],
        changes=[serialize_change(change) for change in details.changes],
        checks=[serialize_checked(suggestion) for suggestion in checked],
        calls=[serialize_call(call) for call in details.calls],
    )


def serialize_problem(problem: Problem | None) -> ProblemShown | None:
    if problem is None:
        return None
    return serialize_error(problem).model_copy(update={"retryable": problem.retryable})


def serialize_error(error: DescribedError) -> ProblemShown:
    """Build the schema of a problem or an error."""
    return ProblemShown(
        code=error.code,
        message=str(error.message),
        user_message=error.user_message,
        hint=error.hint,
    )


def serialize_event(event: Event) -> EventShown:
    return EventShown(
        id=event.id,
        job=event.job_id,
        name=event.name,
        at=event.at,
        status=event.status,
        actor=event.actor,
        trace=event.trace,
        data=dict(event.data),
    )


def serialize_result(root: str, result: Result) -> ResultShown:
    analysis = result.analysis
    return ResultShown(
        id=result.id,
        address=f"{root}/results/{result.id}",
        job=result.job_id,
        number=result.number,
        kind=result.kind,
        part=PartShown(number=analysis.part.number, of=analysis.part.of) if analysis.part else None,
        schema_version=result.schema_version,
        model=analysis.model,
        prompt_version=analysis.prompt_version,
        tokens_in=analysis.tokens_in,
        tokens_out=analysis.tokens_out,
        created_at=result.created_at,
        suggestions=[
            SuggestionShown(
                field=str(suggestion.field),
                value=suggestion.value,
                evidence=suggestion.evidence,
                confidence=suggestion.confidence,
            )
            for suggestion in analysis.suggestions
        ],
    )


def serialize_change(change: Change) -> ChangeShown:
    return ChangeShown(
        id=change.id,
        document=str(change.document),
        instance=change.document.instance,
        job=change.job_id,
        field=str(change.field),
        before=serialize_value(change.before),
        after=serialize_value(change.after),
        found=serialize_value(change.found),
        state=change.state,
        evidence=change.evidence,
        evidence_found=change.is_evidence_found,
        e_invoice=serialize_value(change.e_invoice),
        confidence=change.confidence,
        reasons=list(change.reasons),
        similar=list(change.similar),
        decided_by=change.decided_by,
        why=change.why,
        created_at=change.created_at,
        settled_at=change.settled_at,
        undone_at=change.undone_at,
        undone_by=change.undone_by,
        changed_seen_at=change.changed_seen_at,
        changed_to=serialize_value(change.changed_to),
    )


def serialize_checked(checked: CheckedSuggestion) -> CheckedShown:
    return CheckedShown(
        field=str(checked.field),
        value=serialize_value(checked.value),
        checks=[
            CheckShown(check=run.check, passed=not run.failure, doubt=run.failure or None)
            for run in checked.checks
        ],
        left_for=list(checked.left_for),
    )


def serialize_value(value: Value) -> ValueShown | None:
    match value:
        case None:
            return None
        case Name():
            return ValueShown(kind="name", text=value.name, id=value.id)
        case Option():
            return ValueShown(kind="option", text=value.label, id=value.id)
        case bool():
            return ValueShown(kind="boolean", text=str(value).lower())
    # `str` formats a date as 2026-01-31, and an amount with its currency.
    kinds = ((str, "text"), (date, "date"), (Money, "amount"))
    kind = next((kind for type_, kind in kinds if isinstance(value, type_)), "number")
    return ValueShown(kind=kind, text=str(value))


def serialize_call(call: ModelCall) -> CallShown:
    return CallShown(
        model=call.model,
        mode=call.mode,
        outcome=call.outcome,
        tokens_in=call.tokens_in,
        tokens_out=call.tokens_out,
        took_ms=call.took_ms,
        cost=call.cost,
        at=call.at,
    )


def serialize_document(known: KnownDocument, *, for_review: bool) -> DocumentShown:
    return DocumentShown(
        document=str(known.ref),
        instance=known.ref.instance,
        id=known.ref.id,
        title=known.title,
        state=known.state,
        for_review=for_review,
        first_seen_at=known.first_seen_at,
        updated_at=known.updated_at,
    )


def serialize_document_history(root: str, history: DocumentHistory, link: str) -> LifeShown:
    for_review = history.waits_for_review
    return LifeShown(
        document=str(history.ref),
        known=serialize_document(history.known, for_review=for_review) if history.known else None,
        last_change_at=history.last_change_at,
        link=link,
        jobs=[serialize_job(root, job) for job in history.jobs],
        changes=[serialize_change(change) for change in history.changes],
        last_analysis=[serialize_event(event) for event in history.last_analysis],
    )
