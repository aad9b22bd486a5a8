"""The tables. Rows never leave the store: `rows.py` converts them to values of `core`.

Statements use the plain tables at the end: measured, rows as objects are several times slower, and
a move is an UPDATE with a condition anyway. States are literals in statements and indexes, because
a partial index is not used for a bound value.
"""

from datetime import datetime
from decimal import Decimal

from sqlalchemy import BigInteger, Index, Table, UniqueConstraint, false, text
from sqlalchemy.sql.elements import ColumnElement, literal_column
from sqlmodel import Field, SQLModel

from store.columns import BigId, CleanText, Json, Money, UtcTime

PENDING: ColumnElement[str] = literal_column("'pending'")
PROCESSING: ColumnElement[str] = literal_column("'processing'")
PARTIAL: ColumnElement[str] = literal_column("'partial'")
FINAL: ColumnElement[str] = literal_column("'final'")
cause: ColumnElement[str] = literal_column("(jobs.problem ->> 'code')")
"""Why a job failed; the syntax is the same on both engines."""
instance_of_job: ColumnElement[str] = literal_column("(jobs.instance || '')")
"""For queries about a time span or about live jobs: for the bare column SQLite would use an index
that begins with it, and read all jobs that an instance ever had.
"""

LIVE = "status IN ('pending', 'processing')"
WRITTEN = "state IN ('applied', 'undone', 'overridden', 'unconfirmed')"
BEGUN = "write_begun_at IS NOT NULL OR undo_begun_at IS NOT NULL"
UNSETTLED = "changes.state IN ('intended', 'applied')"
"""States of a begun change whose job has not ended; afterwards it is unconfirmed."""
WAITS = "state IN ('proposed', 'conflict')"
DECIDED_BY_PERSON = (
    "settled_at IS NOT NULL"
    " AND decided_by NOT IN ('', 'rule', 'superseded', 'vanished', 'unwritten')"
)
UNFINISHED = "finished_at IS NULL"


def partial(name: str, *columns: str, where: str) -> Index:
    condition = text(where)
    expressions = [text(column) if " " in column else column for column in columns]
    return Index(name, *expressions, sqlite_where=condition, postgresql_where=condition)


def unique_partial(name: str, *columns: str, where: str) -> Index:
    condition = text(where)
    return Index(name, *columns, unique=True, sqlite_where=condition, postgresql_where=condition)


class InstanceRow(SQLModel, table=True):
    """A Paperless-ngx instance."""

    __tablename__ = "instances"

    name: str = Field(primary_key=True, sa_type=CleanText)
    endpoint: str = Field(sa_type=CleanText)
    first_started_at: datetime = Field(sa_type=UtcTime)
    last_scan_at: datetime | None = Field(default=None, sa_type=UtcTime)
    cron: str | None = Field(default=None, sa_type=CleanText)
    next_scan_at: datetime | None = Field(default=None, sa_type=UtcTime)
    index_choice: str | None = Field(default=None, sa_type=CleanText)
    url: str | None = Field(default=None, sa_type=CleanText)


class DocumentRow(SQLModel, table=True):
    """What is permanently known of a document; it decides selection."""

    __tablename__ = "documents"
    __table_args__ = (
        UniqueConstraint("instance", "document_id", name="uq_documents_ref"),
        Index("ix_documents_state", "state", "instance", "document_id"),
    )

    id: int | None = Field(default=None, primary_key=True, sa_type=BigId)
    instance: str = Field(sa_type=CleanText)
    document_id: int = Field(sa_type=BigId)
    state: str = Field(sa_type=CleanText)
    state_before_ignored: str | None = Field(default=None, sa_type=CleanText)
    title: str = Field(sa_type=CleanText)
    content_hash: str | None = Field(default=None, sa_type=CleanText)
    trigger_removed: bool
    first_seen_at: datetime = Field(sa_type=UtcTime)
    updated_at: datetime = Field(sa_type=UtcTime)
    title_key: str = Field(sa_type=CleanText, sa_column_kwargs={"server_default": ""})
    # Paperless's `modified` when the written values were last compared.
    checked_modified: datetime | None = Field(default=None, sa_type=UtcTime)


class JobRow(SQLModel, table=True):
    """A job: one document's place in the queue."""

    __tablename__ = "jobs"
    __table_args__ = (
        unique_partial("uq_jobs_live", "instance", "document_id", "kind", where=LIVE),
        unique_partial(
            "uq_jobs_processing", "instance", "document_id", where="status = 'processing'"
        ),
        # In the order of the claim, so that the first due entry is the result.
        partial(
            "ix_jobs_claim", "priority DESC", "id", "scheduled_for", where="status = 'pending'"
        ),
        partial(
            "ix_jobs_turn",
            "instance",
            "priority DESC",
            "id",
            "scheduled_for",
            where="status = 'pending'",
        ),
        partial("ix_jobs_due", "scheduled_for", where="status = 'pending'"),
        Index("ix_jobs_document", "instance", "document_id"),
        Index("ix_jobs_status", "instance", "status", "id"),
        Index("ix_jobs_scan", "scan_id"),
        # Covers all counts by day, so that no row is read for them.
        partial(
            "ix_jobs_finished",
            *("finished_at", "status", "kind", "instance", "document_id", "outcome"),
            where="finished_at IS NOT NULL",
        ),
        {"sqlite_autoincrement": True},
    )

    id: int | None = Field(default=None, primary_key=True, sa_type=BigId)
    instance: str = Field(sa_type=CleanText)
    document_id: int = Field(sa_type=BigId)
    kind: str = Field(sa_type=CleanText)
    status: str = Field(sa_type=CleanText)
    priority: int
    claim: int
    attempts: int
    max_attempts: int
    give_backs: int
    recovered: bool
    scheduled_for: datetime = Field(sa_type=UtcTime)
    created_at: datetime = Field(sa_type=UtcTime)
    asked_by: str = Field(sa_type=CleanText)
    scan_id: int | None = Field(default=None, sa_type=BigId, foreign_key="scans.id")
    payload: dict[str, object] = Field(sa_type=Json)
    stage: str | None = Field(default=None, sa_type=CleanText)
    progress: int
    worker: str | None = Field(default=None, sa_type=CleanText)
    trace: str | None = Field(default=None, sa_type=CleanText)
    heartbeat_at: datetime | None = Field(default=None, sa_type=UtcTime)
    finished_at: datetime | None = Field(default=None, sa_type=UtcTime)
    problem: dict[str, object] | None = Field(default=None, sa_type=Json, nullable=True)
    cancel_requested: str | None = Field(default=None, sa_type=CleanText)
    # Final status of a job once its begun changes have been checked.
    ends_as: str | None = Field(default=None, sa_type=CleanText)
    reconciles: int = Field(default=0, sa_column_kwargs={"server_default": "0"})
    # Fingerprint of the inputs of its stored plan.
    plan_made_from: str | None = Field(default=None, sa_type=CleanText)
    pulled_in_at: datetime | None = Field(default=None, sa_type=UtcTime)
    # Template and values of `cancel_requested`, and a code if programs decide by it.
    cancel_message: dict[str, object] | None = Field(default=None, sa_type=Json, nullable=True)
    cancel_code: str | None = Field(default=None, sa_type=CleanText)
    # Who cancelled it, and a person's reason.
    cancel_actor: str | None = Field(default=None, sa_type=CleanText)
    cancel_by: str | None = Field(default=None, sa_type=CleanText)
    cancel_why: str | None = Field(default=None, sa_type=CleanText)
    started_at: datetime | None = Field(default=None, sa_type=UtcTime)
    updated_at: datetime | None = Field(default=None, sa_type=UtcTime)
    request_id: str | None = Field(default=None, sa_type=CleanText)
    # Progress of the model call under way, as of one of the last heartbeats.
    model_call: dict[str, object] | None = Field(default=None, sa_type=Json, nullable=True)
    consented_by: str | None = Field(default=None, sa_type=CleanText)
    consented_at: datetime | None = Field(default=None, sa_type=UtcTime)
    consented_cost: Decimal | None = Field(default=None, sa_type=Money)
    # Of its document; NULL until it was fetched, and if Paperless does not know it.
    pages: int | None = Field(default=None)
    # How its document was filed, once the job is completed.
    outcome: str | None = Field(default=None, sa_type=CleanText)
    # Title of the document of a dry run: only processed documents have a row of their own.
    title: str | None = Field(default=None, sa_type=CleanText)


class EventRow(SQLModel, table=True):
    """An event of a job. Ids grow in the order of commits."""

    __tablename__ = "events"
    __table_args__ = (
        Index("ix_events_job", "job_id", "id"),
        Index("ix_events_name", "name", "at"),
        {"sqlite_autoincrement": True},
    )

    id: int | None = Field(default=None, primary_key=True, sa_type=BigId)
    job_id: int = Field(sa_type=BigId, foreign_key="jobs.id", ondelete="CASCADE")
    name: str = Field(sa_type=CleanText)
    at: datetime = Field(sa_type=UtcTime)
    trace: str | None = Field(default=None, sa_type=CleanText)
    data: dict[str, object] = Field(sa_type=Json)
    # Templates and values of the texts in `data` that are messages, by key.
    messages: dict[str, object] | None = Field(default=None, sa_type=Json, nullable=True)


class CallRow(SQLModel, table=True):
    """A call to a model. It outlives its job, because its cost still counts."""

    __tablename__ = "model_calls"
    __table_args__ = (
        Index("ix_model_calls_job", "job_id"),
        # Covers all sums, so that no row is read for them.
        Index(
            "ix_model_calls_instance",
            *("instance", "at", "job_id", "model", "tokens_in", "tokens_out", "cost", "outcome"),
            "pages",
        ),
    )

    id: int | None = Field(default=None, primary_key=True, sa_type=BigId)
    instance: str = Field(sa_type=CleanText)
    # No foreign key: a document still counts for its day when its job is deleted.
    job_id: int | None = Field(default=None, sa_type=BigId)
    endpoint: str = Field(sa_type=CleanText)
    model: str = Field(sa_type=CleanText)
    mode: str = Field(sa_type=CleanText)
    outcome: str = Field(sa_type=CleanText)
    tokens_in: int
    tokens_out: int
    took_ms: int
    at: datetime = Field(sa_type=UtcTime)
    cost: Decimal = Field(sa_type=Money)
    # Of the document at the first call of its job, 0 at further ones; NULL if they are unknown.
    pages: int | None = Field(default=None)


class ResultRow(SQLModel, table=True):
    """A stored analysis of a job."""

    __tablename__ = "results"
    __table_args__ = (
        UniqueConstraint("job_id", "number", name="uq_results_number"),
        unique_partial("uq_results_final", "job_id", where="kind = 'final'"),
        Index("ix_results_document", "instance", "document_id", "id"),
        # Deleting a result looks for those that were made from it.
        Index("ix_results_source", "reused_from"),
        {"sqlite_autoincrement": True},
    )

    id: int | None = Field(default=None, primary_key=True, sa_type=BigId)
    job_id: int = Field(sa_type=BigId, foreign_key="jobs.id", ondelete="CASCADE")
    number: int
    kind: str = Field(sa_type=CleanText)
    instance: str = Field(sa_type=CleanText)
    document_id: int = Field(sa_type=BigId)
    content_hash: str = Field(sa_type=CleanText)
    prompt_version: str = Field(sa_type=CleanText)
    model: str = Field(sa_type=CleanText)
    tokens_in: int
    tokens_out: int
    schema_version: int
    suggestions: list[dict[str, object]] = Field(sa_type=Json)
    reused_from: int | None = Field(
        default=None, sa_type=BigId, foreign_key="results.id", ondelete="SET NULL"
    )
    created_at: datetime = Field(sa_type=UtcTime)
    examples: list[int] = Field(sa_type=Json)
    part: int | None = None
    parts: int | None = None
    unread: int = Field(sa_type=BigInteger)


class DeletedResultRow(SQLModel, table=True):
    """A result that retention deleted; its address stays valid and says so."""

    __tablename__ = "deleted_results"

    result_id: int = Field(
        primary_key=True, sa_type=BigId, sa_column_kwargs={"autoincrement": False}
    )
    instance: str = Field(sa_type=CleanText)
    deleted_at: datetime = Field(sa_type=UtcTime)


class DeletedJobRow(SQLModel, table=True):
    """A job that retention deleted; changes that are kept longer still refer to it."""

    __tablename__ = "deleted_jobs"

    job_id: int = Field(primary_key=True, sa_type=BigId, sa_column_kwargs={"autoincrement": False})
    instance: str = Field(sa_type=CleanText)
    document_id: int = Field(sa_type=BigId)
    deleted_at: datetime = Field(sa_type=UtcTime)


class ChangeRow(SQLModel, table=True):
    """A change of one field of one document, kept as long as it can be undone."""

    __tablename__ = "changes"
    __table_args__ = (
        Index("ix_changes_document", "instance", "document_id", "state"),
        Index("ix_changes_job", "job_id"),
        Index("ix_changes_scan", "scan_id"),
        # With id and state: SQLite uses a larger index if it needs no row lookups.
        partial("ix_changes_waiting", "instance", "document_id", "id", "state", where=WAITS),
        partial("ix_changes_written", "instance", "settled_at", "id", where=WRITTEN),
        partial("ix_changes_begun", "instance", "document_id", "writer_job_id", where=BEGUN),
        partial("ix_changes_apply_job", "apply_job_id", where="apply_job_id IS NOT NULL"),
        partial("ix_changes_undone", "undone_at", "id", where="undone_at IS NOT NULL"),
        partial(
            "ix_changes_decided",
            *("settled_at", "instance", "field", "state", "is_edited"),
            where=DECIDED_BY_PERSON,
        ),
        {"sqlite_autoincrement": True},
    )

    id: int | None = Field(default=None, primary_key=True, sa_type=BigId)
    instance: str = Field(sa_type=CleanText)
    document_id: int = Field(sa_type=BigId)
    # No foreign key: changes outlive their jobs.
    job_id: int = Field(sa_type=BigId)
    field: str = Field(sa_type=CleanText)
    before: dict[str, object] | None = Field(default=None, sa_type=Json, nullable=True)
    after: dict[str, object] | None = Field(default=None, sa_type=Json, nullable=True)
    state: str = Field(sa_type=CleanText)
    evidence: str = Field(sa_type=CleanText)
    confidence: float
    reasons: list[str] = Field(sa_type=Json)
    found: dict[str, object] | None = Field(default=None, sa_type=Json, nullable=True)
    decided_by: str = Field(sa_type=CleanText)
    created_at: datetime = Field(sa_type=UtcTime)
    settled_at: datetime | None = Field(default=None, sa_type=UtcTime)
    scan_id: int | None = Field(default=None, sa_type=BigId)
    similar: list[str] = Field(sa_type=Json)
    why: str = Field(sa_type=CleanText, sa_column_kwargs={"server_default": ""})
    # The job that writes an accepted change.
    apply_job_id: int | None = Field(default=None, sa_type=BigId)
    # At most one of the two is set, from just before the request until its effect is known.
    write_begun_at: datetime | None = Field(default=None, sa_type=UtcTime)
    undo_begun_at: datetime | None = Field(default=None, sa_type=UtcTime)
    # The job that began it.
    writer_job_id: int | None = Field(default=None, sa_type=BigId)
    undone_at: datetime | None = Field(default=None, sa_type=UtcTime)
    undone_by: str | None = Field(default=None, sa_type=CleanText)
    # When a scan detected that someone changed our value, and the new value.
    changed_seen_at: datetime | None = Field(default=None, sa_type=UtcTime)
    changed_to: dict[str, object] | None = Field(default=None, sa_type=Json, nullable=True)
    # State, decider and time of a change for review when its document was ignored.
    before_ignored: dict[str, object] | None = Field(default=None, sa_type=Json, nullable=True)
    # Whether the evidence is a line that we found, not the model's quote.
    evidence_found: bool = Field(default=False, sa_column_kwargs={"server_default": false()})
    # What is open of the pattern that made a title.
    pattern: str = Field(sa_type=CleanText, sa_column_kwargs={"server_default": ""})
    # The value that the e-invoice inside the document has for this field.
    e_invoice: dict[str, object] | None = Field(default=None, sa_type=Json, nullable=True)
    # Whether the person who accepted it corrected the suggestion; NULL: not accepted, or added.
    is_edited: bool | None = Field(default=None, nullable=True)
    # What a person decided about, and the job that carries the decision out.
    before_decision: dict[str, object] | None = Field(default=None, sa_type=Json, nullable=True)


class ScanRow(SQLModel, table=True):
    """A scan of an instance, with its report."""

    __tablename__ = "scans"
    __table_args__ = (
        Index("ix_scans_instance", "instance", "id"),
        unique_partial("uq_scans_unfinished", "instance", where=UNFINISHED),
        {"sqlite_autoincrement": True},
    )

    id: int | None = Field(default=None, primary_key=True, sa_type=BigId)
    instance: str = Field(sa_type=CleanText)
    asked_by: str = Field(sa_type=CleanText)
    started_at: datetime | None = Field(default=None, sa_type=UtcTime)
    finished_at: datetime | None = Field(default=None, sa_type=UtcTime)
    seen: int
    enqueued: int
    skipped: dict[str, int] = Field(sa_type=Json)
    requested_at: datetime = Field(sa_type=UtcTime)
    kind: str = Field(sa_type=CleanText)
    limit: int | None = None
    problem: dict[str, object] | None = Field(default=None, sa_type=Json, nullable=True)
    changed_since: datetime | None = Field(default=None, sa_type=UtcTime)
    # Term of the lease under which it was started; NULL without a lease.
    term: int | None = Field(default=None, sa_type=BigId)
    consented_by: str | None = Field(default=None, sa_type=CleanText)
    consented_at: datetime | None = Field(default=None, sa_type=UtcTime)
    consented_cost: Decimal | None = Field(default=None, sa_type=Money)


class ScanMarkRow(SQLModel, table=True):
    """How far an instance was scanned."""

    __tablename__ = "scan_marks"

    instance: str = Field(primary_key=True, sa_type=CleanText)
    modified: datetime = Field(sa_type=UtcTime)
    rules: str = Field(sa_type=CleanText)
    around: str | None = Field(default=None, sa_type=CleanText)
    whole_at: datetime = Field(sa_type=UtcTime)
    passed_at: datetime | None = Field(default=None, sa_type=UtcTime)
    documents: int | None = None
    newest_id: int | None = Field(default=None, sa_type=BigId)


class SearchFaultRow(SQLModel, table=True):
    """An instance whose Paperless finds no similar documents."""

    __tablename__ = "search_faults"

    instance: str = Field(primary_key=True, sa_type=CleanText)
    document_id: int = Field(sa_type=BigId)
    noticed_at: datetime = Field(sa_type=UtcTime)


class HoldRow(SQLModel, table=True):
    """A target on hold; a lifted hold still stores which document caused it."""

    __tablename__ = "holds"

    target: str = Field(primary_key=True, sa_type=CleanText)
    cause: str = Field(sa_type=CleanText)
    since: datetime = Field(sa_type=UtcTime)
    next_probe_at: datetime | None = Field(default=None, sa_type=UtcTime)
    probes: int
    instance: str | None = Field(default=None, sa_type=CleanText)
    document_id: int | None = Field(default=None, sa_type=BigId)
    lifted_at: datetime | None = Field(default=None, sa_type=UtcTime)
    pulled_in_at: datetime | None = Field(default=None, sa_type=UtcTime)
    # Template and values of the cause, and what decides when it is tried again.
    cause_message: dict[str, object] | None = Field(default=None, sa_type=Json, nullable=True)
    limit_kind: str | None = Field(default=None, sa_type=CleanText)
    is_daily_quota: bool = Field(default=False, sa_column_kwargs={"server_default": false()})
    needs_answer: bool = Field(default=False, sa_column_kwargs={"server_default": false()})


class CapabilityRow(SQLModel, table=True):
    """The capabilities of an endpoint, for one model."""

    __tablename__ = "capabilities"

    endpoint: str = Field(primary_key=True, sa_type=CleanText)
    model: str = Field(primary_key=True, sa_type=CleanText)
    mode: str = Field(sa_type=CleanText)
    token_parameter: str = Field(sa_type=CleanText)
    temperature: bool
    learned_at: datetime = Field(sa_type=UtcTime)
    # Whether it streams in this mode and ends with the usage; NULL: not known yet.
    streams: bool | None = Field(default=None)


class WorkerRow(SQLModel, table=True):
    """A worker process."""

    __tablename__ = "workers"

    name: str = Field(primary_key=True, sa_type=CleanText)
    pid: int
    host: str = Field(sa_type=CleanText)
    role: str = Field(sa_type=CleanText)
    started_at: datetime = Field(sa_type=UtcTime)
    beat_at: datetime = Field(sa_type=UtcTime)
    processor_at: datetime | None = Field(default=None, sa_type=UtcTime)
    scheduler_at: datetime | None = Field(default=None, sa_type=UtcTime)
    web_at: datetime | None = Field(default=None, sa_type=UtcTime)
    settings: str | None = Field(default=None, sa_type=CleanText)


class LeaseRow(SQLModel, table=True):
    """What only one process may do, and which one does it."""

    __tablename__ = "leases"

    name: str = Field(primary_key=True, sa_type=CleanText)
    holder: str = Field(sa_type=CleanText)
    term: int = Field(sa_type=BigId)
    expires_at: datetime = Field(sa_type=UtcTime)


metadata = SQLModel.metadata


def table_of(row: type[SQLModel]) -> Table:
    return metadata.tables[str(row.__tablename__)]


instances = table_of(InstanceRow)
documents = table_of(DocumentRow)
jobs = table_of(JobRow)
events = table_of(EventRow)
model_calls = table_of(CallRow)
results = table_of(ResultRow)
deleted_results = table_of(DeletedResultRow)
deleted_jobs = table_of(DeletedJobRow)
changes = table_of(ChangeRow)
scans = table_of(ScanRow)
scan_marks = table_of(ScanMarkRow)
search_faults = table_of(SearchFaultRow)
holds = table_of(HoldRow)
capabilities = table_of(CapabilityRow)
workers = table_of(WorkerRow)
leases = table_of(LeaseRow)
