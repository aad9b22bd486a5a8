"""Turn values of ours into what the API shows."""

from datetime import date

from actions.documents import DocumentHistory
from actions.jobs import EnqueueResult, JobDetails
from actions.plan_events import CheckedSuggestion, list_checked_suggestions
from core.analysis import ModelCall, Result
from core.changes import Change
from core.documents import KnownDocument
from core.errors import DescribedError, Problem
from core.fields import Money, Name, Option, Value
from core.jobs import Event, Job
from dashboard.api.schemas import (
    CallShown,
    ChangeShown,
    CheckedShown,
    CheckShown,
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
        finished_at=job.finished_at,
        cancel_requested=None if job.cancel_requested is None else str(job.cancel_requested),
        ends_as=job.ends_as,
        problem=serialize_problem(job.problem),
    )


def serialize_queued(root: str, queued: EnqueueResult) -> QueuedShown:
    return QueuedShown(
        jobs=[serialize_job(root, job) for job in queued.jobs],
        refused=[serialize_error(one) for one in queued.refused],
    )


def serialize_timeline(root: str, story: JobDetails) -> JobStoryShown:
    latest = story.result or next(reversed(story.partial_results), None)
    return JobStoryShown(
        **serialize_job(root, story.job).model_dump(),
        result=serialize_result(root, latest) if latest else None,
        partial_results=[serialize_result(root, one) for one in story.partial_results],
        changes=[serialize_change(one) for one in story.changes],
        checks=[serialize_checked(one) for one in list_checked_suggestions(story.events)],
        calls=[serialize_call(one) for one in story.calls],
    )


def serialize_problem(problem: Problem | None) -> ProblemShown | None:
    return None if problem is None else serialize_error(problem)


def serialize_error(error: DescribedError) -> ProblemShown:
    """Build what the API shows of a problem or an error."""
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
        trace=event.trace,
        data=dict(event.data),
    )


def serialize_result(root: str, result: Result) -> ResultShown:
    said = result.analysis
    return ResultShown(
        id=result.id,
        address=f"{root}/results/{result.id}",
        job=result.job_id,
        number=result.number,
        kind=result.kind,
        part=PartShown(number=said.part.number, of=said.part.of) if said.part else None,
        schema_version=result.schema_version,
        model=said.model,
        prompt_version=said.prompt_version,
        tokens_in=said.tokens_in,
        tokens_out=said.tokens_out,
        created_at=result.created_at,
        suggestions=[
            SuggestionShown(
                field=str(one.field),
                value=one.value,
                evidence=one.evidence,
                confidence=one.confidence,
            )
            for one in said.suggestions
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
            CheckShown(check=one.check, passed=not one.failure, doubt=one.failure or None)
            for one in checked.checks
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
    # `str` gives a date as 2026-01-31, and an amount with its currency.
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


def serialize_document_history(root: str, life: DocumentHistory, link: str) -> LifeShown:
    waits = life.waits_for_review
    return LifeShown(
        document=str(life.ref),
        known=serialize_document(life.known, for_review=waits) if life.known else None,
        last_change_at=life.last_change_at,
        link=link,
        jobs=[serialize_job(root, one) for one in life.jobs],
        changes=[serialize_change(one) for one in life.changes],
        last_analysis=[serialize_event(one) for one in life.last_analysis],
    )
