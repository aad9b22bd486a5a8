"""The schemas of jobs, events, results, changes and documents."""

from datetime import datetime
from decimal import Decimal
from typing import Annotated, Any, TypeAlias

from pydantic import BaseModel, Field

from core.analysis import ResultKind
from core.changes import ChangeState
from core.documents import DocumentState
from core.jobs import Actor, EventName, JobStatus, Stage


class ProblemShown(BaseModel):
    """Why something failed or was refused."""

    code: str
    message: str
    user_message: str
    hint: str
    retryable: bool | None = None
    """Whether another attempt could succeed; null if that is not known."""


class CancellationShown(BaseModel):
    """Who cancelled a job, and why."""

    actor: Actor
    by: str | None
    """Name of the person or token; null if the worker cancelled it."""
    why: str | None


ConsentUpTo: TypeAlias = Annotated[Decimal, Field(gt=0)] | None
"""The highest estimated cost that a request confirms; null: none."""


class ConsentShown(BaseModel):
    """A person's consent to the estimated cost of a scan, or of jobs that were started together."""

    by: str
    at: datetime
    cost: Decimal
    """The estimate for all of it, in the currency of the instance."""


class CallProgressShown(BaseModel):
    """How far a model call is."""

    started_at: datetime
    tokens: int
    """Approximate number of tokens so far; 0 before the first, and if nothing is streamed."""
    thinking: bool
    usual_ms: int | None
    """How long recent calls of this model took; null if there are too few."""


class JobShown(BaseModel):
    """A job for one document."""

    id: int
    address: str
    """Its address, valid as long as the job is kept."""
    document: str
    instance: str
    kind: str
    status: JobStatus
    stage: Stage | None
    progress: int
    """Percent."""
    priority: int
    attempts: int
    max_attempts: int
    asked_by: str
    scan: int | None
    created_at: datetime
    scheduled_for: datetime
    started_at: datetime | None
    """Start of the current or latest attempt."""
    updated_at: datetime | None
    """When status, stage or progress last changed."""
    finished_at: datetime | None
    cancel_requested: str | None
    """Who requested the cancellation and why, as a text."""
    cancellation: CancellationShown | None
    request_id: str | None
    """The `X-Request-ID` of the request that created the job."""
    problem: ProblemShown | None
    ends_as: JobStatus | None
    """The job's final status; set while Paperclerk checks what a begun write changed."""
    model_call: CallProgressShown | None
    """The model call under way, updated every two seconds."""
    consent: ConsentShown | None
    """Who confirmed the estimated cost when they last started it; null: it needed no consent."""
    pages: int | None
    """Of its document; null until it was fetched, or if Paperless does not know them."""


class QueuedShown(BaseModel):
    """The jobs that were enqueued, and why others were not."""

    jobs: list[JobShown]
    refused: list[ProblemShown]


class EventShown(BaseModel):
    """An event in the timeline of a job."""

    id: int
    job: int
    name: EventName
    at: datetime
    status: JobStatus | None
    """The job's status from this event on; null if the event did not change it."""
    actor: Actor
    """Who caused it."""
    trace: str | None
    """One for each attempt."""
    data: dict[str, Any]


class SuggestionShown(BaseModel):
    """A value that the model suggested for a field."""

    field: str
    value: str
    evidence: str
    confidence: float


class PartShown(BaseModel):
    """One chunk of a long document."""

    number: int
    """Counted from 1."""
    of: int


class ResultShown(BaseModel):
    """The analysis of a document by a model."""

    id: int
    address: str
    """Permanent; after retention has deleted the result, it returns 410 with the date."""
    job: int
    number: int
    kind: ResultKind
    part: PartShown | None
    """The chunk of a long document that was analyzed; null: the whole document."""
    schema_version: int
    """Increases when the format of stored suggestions changes."""
    model: str
    prompt_version: str
    tokens_in: int
    tokens_out: int
    created_at: datetime
    suggestions: list[SuggestionShown]


class ValueShown(BaseModel):
    """The value of a field; null if it is empty."""

    kind: str
    """text, date, name, amount, option, boolean or number."""
    text: str
    id: int | str | None = None
    """Of a name or an option in Paperless; null if it does not exist there yet."""


class ChangeShown(BaseModel):
    """One field of one document, before and after."""

    id: int
    document: str
    instance: str
    job: int
    field: str
    """title, correspondent, document_type, tags, date, storage_path or custom_field:<id>:<name>."""
    before: ValueShown | None
    after: ValueShown | None
    found: ValueShown | None
    """The value in Paperless, for a conflict or an overridden change."""
    state: ChangeState
    evidence: str
    evidence_found: bool
    """Whether Paperclerk found the evidence: the model's own quote does not show the value."""
    e_invoice: ValueShown | None
    """The value that the e-invoice inside the PDF has for this field; null if it has none."""
    confidence: float
    reasons: list[str]
    similar: list[str]
    decided_by: str
    why: str
    """Why a person rejected it."""
    created_at: datetime
    settled_at: datetime | None
    """When it was written or rejected; an undo does not change it."""
    undone_at: datetime | None
    undone_by: str | None
    changed_seen_at: datetime | None
    """When a scan detected that someone changed the written value; null if it is unchanged."""
    changed_to: ValueShown | None
    """The value it was changed to; also null if it was removed."""


class CheckShown(BaseModel):
    """A check of a suggestion, and its result."""

    check: str
    passed: bool
    doubt: str | None
    """Why it failed, as in the reasons of a change; null if it passed."""


class CheckedShown(BaseModel):
    """A suggestion, and the checks that apply to it."""

    field: str
    value: ValueShown | None
    checks: list[CheckShown]
    left_for: list[str]
    """Why it was left out regardless of the checks; empty if it was not."""


class CallShown(BaseModel):
    """One call to a model."""

    model: str
    mode: str
    outcome: str
    tokens_in: int
    tokens_out: int
    took_ms: int
    cost: Decimal
    at: datetime


class JobStoryShown(JobShown):
    """A job with its result, changes and calls."""

    result: ResultShown | None
    """The latest result: final, or partial."""
    partial_results: list[ResultShown]
    changes: list[ChangeShown]
    checks: list[CheckedShown]
    """Available as long as the events of the job are kept."""
    calls: list[CallShown]


class DocumentShown(BaseModel):
    """A document that Paperclerk knows; it is never forgotten."""

    document: str
    instance: str
    id: int
    title: str
    state: DocumentState
    """Decides whether a scan selects the document; `done` means analysed."""
    for_review: bool
    """Whether any of its changes is for review."""
    first_seen_at: datetime
    updated_at: datetime


class LifeShown(BaseModel):
    """The history of a document."""

    document: str
    known: DocumentShown | None
    """null: not known."""
    last_change_at: datetime | None
    """When Paperclerk last changed it in Paperless; null if never."""
    link: str
    """Address of the document in Paperless."""
    jobs: list[JobShown]
    changes: list[ChangeShown]
    last_analysis: list[EventShown]


class SelectionShown(BaseModel):
    """Whether a scan would select a document now."""

    document: str
    title: str
    selected: bool
    reason: str | None
    """Why not; null if it would be selected."""
